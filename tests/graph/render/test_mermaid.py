"""Mermaid flowcharts; the result for hostile names was compared with Mermaid 11 itself, name by name."""

import re

import pytest

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.mermaid import render_mermaid


def test_nodes_have_numbers_and_quoted_labels() -> None:
    """Nodes are in order and before arcs."""
    drawing = render_mermaid(ExecutionGraph([["build-image", "unit tests"], ["end"]]))

    assert drawing == ('flowchart LR\n    n0["build-image"]\n    n1["unit tests"]\n    n2["end"]\n    n0 --> n1\n')


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ('a"]b', "a#34;#93;b"),
        ("&lt;<b>", "#38;lt#59;#60;b#62;"),
        ("#35;", "#35;35#59;"),
        ("%%{init: {}}%%", "#37;#37;#123;init#58;#32;#123;#125;#125;#37;#37;"),
        ("`code`", "#96;code#96;"),
        ("_a_ b_c", "#95;a#95;#32;b_c"),
        ("1. build", "1#46;#32;build"),
        ("- item", "#45;#32;item"),
        ("a\\nb", "a#92;nb"),
        ("two\nlines", "two<br/>lines"),
        ("\x1b[31m", "#92;x1b#91;31m"),
        ("日本 語é", "日本 語é"),
        ("a  b", "a#32;#32;b"),
        ("", "#32;"),
    ],
)
def test_hostile_names_are_escaped(name: str, label: str) -> None:
    """No name ends its label, is parsed as Markdown or changes settings."""
    assert render_mermaid(ExecutionGraph([[name]])) == f'flowchart LR\n    n0["{label}"]\n'


def test_no_ascii_character_ends_a_label() -> None:
    """A label contains only letters, digits, entities, line breaks, and four separators between letters."""
    everything = "".join(map(chr, range(128)))
    drawing = render_mermaid(ExecutionGraph([[everything, everything[::-1]]]))

    for label in re.findall(r'\["(.*)"\]\n', drawing):
        assert re.fullmatch(r"(\w|#\d+;|<br/>|(?<=\w)[-_ /](?=\w))+", label)
    assert len(drawing.splitlines()) == 4
