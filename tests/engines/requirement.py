"""What an engine test does where its engine is absent."""

import os

import pytest


def require(reason: str | None) -> None:
    """Skip the test for *reason*; fail it where PIPEGEN_REQUIRE_ENGINES=1 says that every engine is there."""
    if reason is None:
        return
    if os.environ.get("PIPEGEN_REQUIRE_ENGINES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
