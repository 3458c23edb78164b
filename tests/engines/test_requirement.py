"""Handling of a missing engine in engine tests."""

import pytest
from engines.requirement import require


def test_a_test_runs_if_the_engine_is_available() -> None:
    """None means that it is available."""
    require(None)


def test_a_test_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pytest displays it."""
    monkeypatch.delenv("PIPEGEN_REQUIRE_ENGINES", raising=False)

    with pytest.raises(pytest.skip.Exception, match="no groovy"):
        require("no groovy")


def test_a_test_fails_if_engines_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """CI reports a missing engine."""
    monkeypatch.setenv("PIPEGEN_REQUIRE_ENGINES", "1")

    with pytest.raises(pytest.fail.Exception, match="no groovy"):
        require("no groovy")
