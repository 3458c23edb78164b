"""No form waits without need: what each takes, against the longest path and against frames."""

from __future__ import annotations

from random import Random

import pytest
from makespan.clock import frames
from makespan.measure import FRAMES, Sample
from makespan.table import DOCUMENT, SIZES, row
from readback.families import FAMILIES

from pipegen.graph.layout import cheapest_blocks

EXACT = pytest.approx(1.0)


@pytest.mark.parametrize("size", [6, 14, 45])
@pytest.mark.parametrize("family", FAMILIES)
def test_scripts_and_needs_take_the_longest_path(family: str, size: int) -> None:
    """Whatever the stages take."""
    for seed in range(3):
        ratios = Sample(family, size, seed).ratios(forms=("scripted", "needs"))
        assert ratios == {FRAMES: ratios[FRAMES], "scripted": EXACT, "needs": EXACT}


@pytest.mark.parametrize("size", [5, 12, 28])
def test_blocks_take_the_longest_path_where_they_say_the_graph(size: int) -> None:
    """Which is where the style auto writes them."""
    for seed in range(4):
        assert Sample("blocks", size, seed).ratios(forms=("declarative",))["declarative"] == EXACT


@pytest.mark.parametrize("family", FAMILIES)
def test_known_durations_are_made_good_use_of(family: str) -> None:
    """Blocks that are chosen by what stages take are never worse than frames."""
    for seed in range(10):
        random = Random(f"{family} {seed}")  # noqa: S311 - shapes and durations, no secrets
        graph = FAMILIES[family](random.randint(4, 24), random)
        durations = {stage: random.lognormvariate(0, 1) for stage in graph.nodes}
        placed = cheapest_blocks(graph, durations)
        taken = sum(max(sum(durations[stage] for stage in chain) for chain in block) for block in placed)
        assert taken <= frames(graph, durations) + 1e-9


def test_the_table_in_the_documents_is_what_the_script_makes() -> None:
    """One of its lines, made anew."""
    text = DOCUMENT.read_text(encoding="utf-8")

    assert row("crossed", 12, range(SIZES[12])) in text.splitlines()
    assert [line for line in text.splitlines() if line.startswith("| blocks | 300 |")]


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
