"""The environment in which each shell runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell.world import SHELLS, World, require_shell


@pytest.fixture(params=[pytest.param(shell, marks=() if shell == "dash" else pytest.mark.slow) for shell in SHELLS])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """Return a checkout for each shell; quick tests use one shell."""
    require_shell(request.param)
    return World(tmp_path, request.param).prepare()
