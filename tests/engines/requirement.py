"""Handling of a missing engine in engine tests."""

import os
import shutil

import pytest


def require(reason: str | None) -> None:
    """Skip the test for *reason*, or fail it if PIPEGEN_REQUIRE_ENGINES=1 declares that all engines are installed."""
    if reason is None:
        return
    if os.environ.get("PIPEGEN_REQUIRE_ENGINES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def require_program(name: str) -> None:
    """Skip or fail the test if there is no program *name*."""
    require(None if shutil.which(name) else f"{name} not found: run tests/engines/install")
