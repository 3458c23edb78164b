"""Simulated runs as SVG charts."""

from __future__ import annotations

import re
from functools import partial
from xml.etree import ElementTree as ET

import pytest
from run.chart.shown import TIMES, service, wide
from test_growth import calls

from pipegen.run.chart.svg import render_svg
from pipegen.run.chart.times import SECONDS, UNITS
from pipegen.run.simulation import Simulation

NAMESPACE = "{http://www.w3.org/2000/svg}"


def elements(simulation: Simulation, tag: str) -> list[ET.Element]:
    """Return the elements *tag* of the chart of *simulation*."""
    return list(ET.fromstring(render_svg(simulation, SECONDS)).iter(f"{NAMESPACE}{tag}"))  # noqa: S314 - our own


def test_each_stage_is_a_bar_with_a_tooltip() -> None:
    """It names the executor, start, end and waits."""
    texts = [bar[0].text for bar in elements(service(), "rect") if len(bar)]

    assert texts == [
        "lint: 1 min, from 0 s to 1 min on executor 1",
        "unit: 5 min, from 0 s to 5 min on executor 2",
        "docs: 1 min 30 s, from 1 min to 2 min 30 s on executor 1, after 30 s for a delay, waited 30 s for a slot",
        "release: 30 s, from 5 min to 5 min 30 s on executor 1",
        "mail: 0.5 s, from 5 min 30 s to 5 min 31 s on executor 1",
    ]


def test_the_number_of_calls_grows_linearly() -> None:
    """Ten times the stages require at most eleven times the calls, although each row is an executor."""
    small, large = (calls(partial(render_svg, run, SECONDS)) for run in (wide(300, 4), wide(3_000, 4)))

    assert large / small <= 11


def test_bar_widths_are_proportional_to_durations() -> None:
    """A minimum width keeps short stages visible."""
    widths = [float(bar.attrib["width"]) for bar in elements(service(), "rect") if len(bar)]

    assert widths[:4] == pytest.approx(
        [TIMES[stage] * widths[0] / 60 for stage in ("lint", "unit", "docs", "release")], rel=0.01
    )
    assert widths[4] == 2


def test_the_chart_has_a_title_and_a_description() -> None:
    """Screen readers announce them."""
    root = ET.fromstring(render_svg(service(), SECONDS))  # noqa: S314 - our own

    assert (root.attrib["role"], root.attrib["aria-labelledby"]) == ("img", "title words")
    assert [root.find(f"{NAMESPACE}{tag}") is not None for tag in ("title", "desc")] == [True, True]
    assert elements(service(), "title")[0].text == "service on 2 executors: 5 min 31 s"


def test_the_chart_is_self_contained() -> None:
    """No external fonts, scripts or images; a light and a dark theme."""
    text = render_svg(service(), SECONDS)

    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<(script|image|use|foreignObject|a)\b|@import|url\(", text)


def test_names_are_escaped() -> None:
    """Markup stays text, and a character that XML forbids is an escape sequence."""
    text = render_svg(service(name="<b>&\x00\ufffe"), SECONDS)

    assert ET.fromstring(text).findtext(f"{NAMESPACE}title") == r"<b>&\x00\ufffe on 2 executors: 5 min 31 s"  # noqa: S314


def test_many_stages_are_grouped_by_executor() -> None:
    """There is a row per executor, and still a bar per stage."""
    simulation = wide(300, 4)

    assert len([bar for bar in elements(simulation, "rect") if len(bar)]) == 300
    assert [
        element.text for element in elements(simulation, "text") if (element.text or "").startswith("executor ")
    ] == [f"executor {number}" for number in range(1, 5)]


def test_an_empty_run_renders_without_bars() -> None:
    """The chart has no stages."""
    assert "lower bound 0" in render_svg(wide(0, 1), UNITS)
