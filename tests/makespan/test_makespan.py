"""No form waits without need: what each takes, against the longest path and against frames."""

from __future__ import annotations

import pytest
from makespan.measure import FRAMES, Sample
from readback.families import FAMILIES

EXACT = pytest.approx(1.0)


@pytest.mark.parametrize("size", [6, 14, 45])
@pytest.mark.parametrize("family", FAMILIES)
def test_scripts_and_needs_take_the_longest_path(family: str, size: int) -> None:
    """Whatever the stages take."""
    for seed in range(3):
        ratios = Sample(family, size, seed).ratios(forms=("scripted", "needs"))
        assert ratios == {FRAMES: ratios[FRAMES], "scripted": EXACT, "needs": EXACT}


@pytest.mark.parametrize("shape", ["trellis", "60 layers of 3", "300 near each other", "ladder"])
def test_deep_scripts_take_at_most_a_twentieth_more(shape: str) -> None:
    """Where blocks would get more than forty deep, stages may wait for some to end."""
    sample = Sample(shape, 0, 1)

    assert sample.ratios(forms=("scripted",))["scripted"] <= 1.05
    assert sample.ratios(forms=("scripted",), unit=True)["scripted"] <= 1.05


@pytest.mark.parametrize("family", FAMILIES)
def test_blocks_are_never_worse_than_frames(family: str) -> None:
    """With stages that all take as long, which is what blocks are chosen by."""
    for seed in range(4):
        for size in (6, 14, 40):
            ratios = Sample(family, size, seed).ratios(forms=("declarative",), unit=True)
            assert ratios["declarative"] <= ratios[FRAMES] + 1e-9
