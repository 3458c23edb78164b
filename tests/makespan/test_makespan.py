"""Makespan of each form of a pipeline, compared with the longest path and with frames."""

from __future__ import annotations

import pytest
from makespan.measure import FRAMES, Sample
from makespan.table import DOCUMENT, SIZES, row
from readback.families import FAMILIES

EXACT = pytest.approx(1.0)


@pytest.mark.parametrize("size", [6, 14, 45])
@pytest.mark.parametrize("family", FAMILIES)
def test_scripts_and_needs_have_the_minimal_makespan(family: str, size: int) -> None:
    """It equals the longest path for any durations."""
    for seed in range(3):
        ratios = Sample(family, size, seed).ratios(forms=("scripted", "needs"))
        assert ratios == {FRAMES: ratios[FRAMES], "scripted": EXACT, "needs": EXACT}


@pytest.mark.parametrize("size", [5, 12, 28])
def test_exact_blocks_have_the_minimal_makespan(size: int) -> None:
    """The style `auto` writes blocks only for such graphs."""
    for seed in range(4):
        assert Sample("blocks", size, seed).ratios(forms=("declarative",))["declarative"] == EXACT


def test_the_makespan_table_in_the_documentation_is_current() -> None:
    """One of its rows is computed again."""
    text = DOCUMENT.read_text(encoding="utf-8")

    assert row("crossed", 12, range(SIZES[12])) in text.splitlines()
    assert [line for line in text.splitlines() if line.startswith("| blocks | 300 |")]


@pytest.mark.parametrize("shape", ["trellis", "60 layers of 3", "300 near each other", "ladder"])
def test_deep_scripts_take_at_most_5_percent_more(shape: str) -> None:
    """With more than forty nested blocks, stages may have to wait for others to end."""
    sample = Sample(shape, 0, 1)

    assert sample.ratios(forms=("scripted",))["scripted"] <= 1.05
    assert sample.ratios(forms=("scripted",), unit=True)["scripted"] <= 1.05


@pytest.mark.parametrize("family", FAMILIES)
def test_blocks_are_never_worse_than_frames(family: str) -> None:
    """All stages have the same duration, for which the blocks are selected."""
    for seed in range(4):
        for size in (6, 14, 40):
            ratios = Sample(family, size, seed).ratios(forms=("declarative",), unit=True)
            assert ratios["declarative"] <= ratios[FRAMES] + 1e-9
