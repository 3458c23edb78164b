"""Simulated runs as text charts."""

from __future__ import annotations

import pytest
from run.chart.shown import service, wide

from pipegen.graph.render.columns import columns
from pipegen.run.chart.sweep import render_sweep, verdict
from pipegen.run.chart.text import ASCII, BLOCKS, Glyphs, render_text
from pipegen.run.chart.times import SECONDS, UNITS
from pipegen.run.sweep import Sweep


def test_a_run_renders_as_a_text_chart() -> None:
    """It begins with the figures; then each stage is a line with its waits and its duration."""
    assert render_text(service(), SECONDS, 72).splitlines() == [
        "makespan      5 min 31 s",
        "lower bound   5 min 31 s: the longest path (the work of 8 min 1 s on 2",
        "              executors takes 4 min)",
        "longest path  unit (5 min) -> release (30 s) -> mail (0.5 s)",
        "utilisation   73%",
        "waiting       30 s for a slot: docs (30 s)",
        "              30 s for a delay: docs (30 s)",
        "",
        "                     |0                |2 min             |4 min",
        "lint          1 min  ▒▒▒▒▒▒▒▒▒▒",
        "unit          5 min  ███████████████████████████████████████████████",
        "docs     1 min 30 s  ·········▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "release        30 s                                                █████",
        "mail          0.5 s                                                    █",
        "",
        "█ on the longest path, ▒ other, · ready, but waiting",
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_lines_fit_the_terminal(width: int) -> None:
    """Below 60 columns, there is no room for a chart."""
    for simulation in (service(), wide(300, 5)):
        assert max(map(columns, render_text(simulation, SECONDS, width).splitlines())) <= max(width, 60)


def test_many_stages_are_grouped_by_executor() -> None:
    """Each row states the utilisation of its executor."""
    lines = render_text(wide(300, 3), UNITS, 80).splitlines()

    assert [line.split()[:3] for line in lines if line.startswith("executor ")] == [
        ["executor", "1", "100%"],
        ["executor", "2", "99%"],
        ["executor", "3", "100%"],
    ]


def test_ascii_glyphs_replace_blocks_in_other_encodings() -> None:
    """An old terminal or an unknown encoding gets ASCII."""
    assert (Glyphs.of("utf-8"), Glyphs.of("ascii"), Glyphs.of("no such encoding")) == (BLOCKS, ASCII, ASCII)
    assert render_text(service(), SECONDS, 72, ASCII).isascii()


def test_control_characters_in_names_are_escaped() -> None:
    """They would break lines or control the terminal."""
    text = render_text(service(name="a\nb\x1b"), SECONDS)

    assert "\x1b" not in text


def test_a_sweep_renders_as_a_table_with_a_verdict() -> None:
    """The sentence names the number of executors past which the run gets no shorter."""
    sweep = Sweep.over(range(1, 5), service)

    assert render_sweep(sweep, SECONDS, 60, BLOCKS).splitlines() == [
        "executors    makespan  over bound  used",
        "        1   8 min 1 s          0%  100%  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "        2  5 min 31 s          0%   73%  ▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "        3  5 min 31 s          0%   48%  ▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "        4  5 min 31 s          0%   36%  ▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "",
        "More than 2 executors do not help: the run takes 5 min 31 s.",
    ]
    assert verdict(Sweep(sweep.simulations[:1]), SECONDS) == (
        "More executors than 1 may still help: with 1, the run takes 8 min 1 s."
    )
