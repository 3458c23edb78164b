"""What an engine test does where its engine is absent."""

import pytest
from engines.requirement import require


def test_a_test_goes_on_when_nothing_is_missing() -> None:
    """No reason, no skip."""
    require(None)


def test_a_test_is_skipped_for_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is told."""
    monkeypatch.delenv("PIPEGEN_REQUIRE_ENGINES", raising=False)

    with pytest.raises(pytest.skip.Exception, match="no groovy"):
        require("no groovy")


def test_a_test_fails_where_engines_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """CI sees a missing engine."""
    monkeypatch.setenv("PIPEGEN_REQUIRE_ENGINES", "1")

    with pytest.raises(pytest.fail.Exception, match="no groovy"):
        require("no groovy")
