"""A world for each shell."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell.world import SHELLS, World, require_shell


@pytest.fixture(params=list(SHELLS))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """Return a checkout, once with each shell."""
    require_shell(request.param)
    return World(tmp_path, request.param).prepare()
