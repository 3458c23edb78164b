"""Tests of runs on paper as pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from run.chart.shown import TIMES, service, wide

from pipegen.run.chart.svg import render_svg
from pipegen.run.chart.times import SECONDS, UNITS
from pipegen.run.simulation import Simulation

NAMESPACE = "{http://www.w3.org/2000/svg}"


def elements(simulation: Simulation, tag: str) -> list[ET.Element]:
    """Return the elements *tag* of the picture of *simulation*."""
    return list(ET.fromstring(render_svg(simulation, SECONDS)).iter(f"{NAMESPACE}{tag}"))  # noqa: S314 - our own


def test_each_stage_is_a_bar_that_tells_about_itself() -> None:
    """Where it ran, from when to when, and what it waited for."""
    told = [bar[0].text for bar in elements(service(), "rect") if len(bar)]

    assert told == [
        "lint: 1 min, from 0 s to 1 min on executor 1",
        "unit: 5 min, from 0 s to 5 min on executor 2",
        "docs: 1 min 30 s, from 1 min to 2 min 30 s on executor 1, after 30 s for a delay, waited 30 s for a slot",
        "release: 30 s, from 5 min to 5 min 30 s on executor 1",
        "mail: 0.5 s, from 5 min 30 s to 5 min 31 s on executor 1",
    ]


def test_bars_are_as_long_as_their_stages() -> None:
    """All by the same scale, but none too short to be seen."""
    widths = [float(bar.attrib["width"]) for bar in elements(service(), "rect") if len(bar)]

    assert widths[:4] == pytest.approx(
        [TIMES[stage] * widths[0] / 60 for stage in ("lint", "unit", "docs", "release")], rel=0.01
    )
    assert widths[4] == 2


def test_the_picture_says_in_words_what_it_shows() -> None:
    """To those who do not see it."""
    root = ET.fromstring(render_svg(service(), SECONDS))  # noqa: S314 - our own

    assert (root.attrib["role"], root.attrib["aria-labelledby"]) == ("img", "title words")
    assert [root.find(f"{NAMESPACE}{tag}") is not None for tag in ("title", "desc")] == [True, True]
    assert elements(service(), "title")[0].text == "service on 2 executors: 5 min 31 s"


def test_the_picture_needs_nothing_beside_itself() -> None:
    """No fonts, scripts or images from elsewhere; a light and a dark dress."""
    text = render_svg(service(), SECONDS)

    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<(script|image|use|foreignObject|a)\b|@import|url\(", text)


def test_names_are_text_whatever_they_hold() -> None:
    """Markup is shown, and a character that XML cannot hold is an escape."""
    text = render_svg(service(name="<b>&\x00\ufffe"), SECONDS)

    assert ET.fromstring(text).findtext(f"{NAMESPACE}title") == r"<b>&\x00\ufffe on 2 executors: 5 min 31 s"  # noqa: S314


def test_many_stages_are_shown_by_executor() -> None:
    """A row each, and a bar for each stage all the same."""
    found = wide(300, 4)

    assert len([bar for bar in elements(found, "rect") if len(bar)]) == 300
    assert [one.text for one in elements(found, "text") if (one.text or "").startswith("executor ")] == [
        f"executor {number}" for number in range(1, 5)
    ]


def test_an_empty_run_is_a_picture_too() -> None:
    """Without bars."""
    assert "lower bound 0" in render_svg(wide(0, 1), UNITS)
