"""Configs that double are refused, in little time and memory."""

from __future__ import annotations

import pytest
from robust.exponential_configs import compiled, doublings

CONFIGS = dict(doublings())


@pytest.mark.parametrize("name", sorted(CONFIGS)[::9])
def test_a_doubling_is_refused(name: str) -> None:
    """With a diagnostic; the time is that of the processor."""
    trial = compiled(name, CONFIGS[name])

    assert not trial.is_wrong, (trial.seconds, trial.megabytes, trial.output[-300:])
