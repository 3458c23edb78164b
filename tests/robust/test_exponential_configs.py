"""Configs that double in size are rejected quickly and in little memory."""

from __future__ import annotations

import pytest
from robust.exponential_configs import compiled, doublings

CONFIGS = dict(doublings())


@pytest.mark.parametrize("name", sorted(CONFIGS)[::9])
def test_a_doubling_config_is_rejected_in_time(name: str) -> None:
    """With a diagnostic; the time is CPU time."""
    trial = compiled(name, CONFIGS[name])

    assert not trial.is_wrong, (trial.seconds, trial.megabytes, trial.output[-300:])
