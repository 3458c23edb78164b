"""A picture as an SVG document."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from pictures.sample_pictures import HOSTILE, picture

from pipegen.pictures.svg import render_svg

SVG = "{http://www.w3.org/2000/svg}"


def read(text: str) -> ET.Element:
    """Return the document *text*."""
    return ET.fromstring(text)  # noqa: S314 - our own


def texts(document: ET.Element, tag: str) -> list[str]:
    """Return the texts of all elements *tag*."""
    return [element.text or "" for element in document.iter(f"{SVG}{tag}")]


def test_a_picture_names_stages_and_the_values_of_arcs() -> None:
    """Names are selectable text; arcs have titles for screen readers."""
    document = read(render_svg([picture()]))

    assert {"service", "build", "unit", "release"} <= set(texts(document, "text"))
    assert "build → unit: values: version; files: dist/" in texts(document, "title")
    assert "unit → release: order only" in texts(document, "title")
    assert "release, when branch main, waits, on the longest path" in texts(document, "title")


def test_a_picture_has_a_title_and_a_description() -> None:
    """`aria-labelledby` refers to them."""
    document = read(render_svg([picture()]))

    assert document.get("aria-labelledby") == "title words"
    assert texts(document, "title")[0] == "service"
    assert texts(document, "desc") == ["service: 4 stages, 3 on the longest path"]


def test_a_picture_is_self_contained() -> None:
    """The only URL is the namespace, and it contains the light and the dark theme."""
    text = render_svg([picture()])

    assert re.findall(r"[a-z]+://[^\"')\s]+", text) == ["http://www.w3.org/2000/svg"]
    assert "@media(prefers-color-scheme:dark)" in text


def test_rendering_is_deterministic() -> None:
    """The bytes are the same."""
    assert render_svg([picture()]) == render_svg([picture()])


def test_several_pipelines_are_stacked_vertically() -> None:
    """Each has its name as a title; they share one legend."""
    text = render_svg([picture("one"), picture("two")])
    tops = [float(top) for top in re.findall(r'<text class="title" x="24" y="([\d.]+)"', text)]

    assert len(tops) == 2
    assert tops[0] < tops[1]
    assert text.count(">on the longest path</text>") == 1


def test_hostile_names_add_no_elements() -> None:
    """The document is well-formed, and names appear only as text."""
    for name in HOSTILE:
        document = read(render_svg([picture(name, stage=name)]))

        assert {element.tag.removeprefix(SVG) for element in document.iter()} <= {
            *("svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "g", "line")
        }


def test_finally_stages_are_to_the_right_of_all_others() -> None:
    """A line separates them."""
    text = render_svg([picture()])
    places = {
        name: float(left)
        for left, name in re.findall(r'translate\(([\d.]+) [\d.]+\)">\n<title>([a-z-]+).*?</title>', text)
    }

    assert places["clean-up"] == max(places.values())
    assert 'class="fence"' in text
