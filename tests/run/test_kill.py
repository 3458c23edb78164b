"""Runs that are killed at random moments and gone on with: a few here, `benchmarks/kill.py` does any number."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.kill import Victim, campaign
from cli.program import environment


@pytest.mark.slow
@pytest.mark.parametrize("is_isolated", [False, True])
def test_a_killed_run_goes_on(tmp_path: Path, *, is_isolated: bool) -> None:
    """Nothing is left of it, nothing repeated that had finished, nothing lost; PIPEGEN_KILLS says how often."""
    victim = Victim(tmp_path, environment(), is_isolated=is_isolated)
    figures = campaign(victim, int(os.environ.get("PIPEGEN_KILLS", "6")))

    assert figures.is_good, "\n".join(figures.lines())
    assert figures.kills == int(os.environ.get("PIPEGEN_KILLS", "6"))
