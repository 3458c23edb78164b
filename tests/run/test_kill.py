"""Runs that are killed at random moments and resumed: a few here, any number in `benchmarks/kill.py`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.kill import Victim, campaign
from cli.program import environment


@pytest.mark.slow
@pytest.mark.parametrize("is_isolated", [False, True])
def test_a_killed_run_can_be_resumed(tmp_path: Path, *, is_isolated: bool) -> None:
    """No process remains, no completed stage is repeated, and no result is lost; PIPEGEN_KILLS sets the count."""
    victim = Victim(tmp_path, environment(), is_isolated=is_isolated)
    figures = campaign(victim, int(os.environ.get("PIPEGEN_KILLS", "6")))

    assert figures.is_good, "\n".join(figures.lines())
    assert figures.kills == int(os.environ.get("PIPEGEN_KILLS", "6"))
