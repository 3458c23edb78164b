"""Graphviz output; the result for hostile names was compared with Graphviz itself, name by name."""

import pytest

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.dot import render_dot


def test_nodes_are_in_order_and_before_arcs() -> None:
    """A plain name needs no label."""
    drawing = render_dot(ExecutionGraph([["build", "unit tests"], ["lint"]]))

    assert drawing == (
        "digraph {\n"
        "    rankdir=LR;\n"
        "    node [shape=box];\n"
        '    "build";\n'
        '    "unit tests";\n'
        '    "lint";\n'
        '    "build" -> "unit tests";\n'
        "}\n"
    )


def test_the_title_is_shown() -> None:
    """The title is a quoted label of the graph."""
    drawing = render_dot(ExecutionGraph([["a", "b"]]), 'my "service"')

    assert '    label="my \\"service\\"";\n' in drawing


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ('a"b', '"a\\"b" [label="a\\"b"];'),
        ("end\\", '"end\\\\" [label="end\\\\"];'),
        ('\\"', '"\\\\\\"" [label="\\\\\\""];'),
        ("\\N", '"\\\\N" [label="\\\\N"];'),
        ("two\nlines", '"two\\nlines" [label="two\\nlines"];'),
        ("&lt;", '"&lt;" [label="&amp;lt;"];'),
        ("<b>", '"<b>" [label="<b>"];'),
        ("\x1b[31m", '"\\x1b[31m" [label="\\\\x1b[31m"];'),
        ("\u202eabc", '"\\u202eabc" [label="\\\\u202eabc"];'),
        ("node", '"node";'),
        ("日本語", '"日本語";'),
        ("", '"";'),
    ],
)
def test_hostile_names_are_quoted(name: str, line: str) -> None:
    """Each is displayed literally; invisible characters are escaped."""
    assert f"    {line}\n" in render_dot(ExecutionGraph([[name]]))


def test_similar_names_are_different_nodes() -> None:
    """A line break and a backslash before an n are two nodes."""
    drawing = render_dot(ExecutionGraph([["a\nb", "a\\nb"]]))

    assert '    "a\\nb" -> "a\\\\nb";\n' in drawing
