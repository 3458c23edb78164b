"""What an engine test does where its engine is absent."""

import os
import shutil

import pytest


def require(reason: str | None) -> None:
    """Skip the test for *reason*; fail it where PIPEGEN_REQUIRE_ENGINES=1 says that every engine is there."""
    if reason is None:
        return
    if os.environ.get("PIPEGEN_REQUIRE_ENGINES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def require_program(name: str) -> None:
    """Skip the test, or fail it, where no program *name* is found."""
    require(None if shutil.which(name) else f"{name} not found: run tests/engines/install")
