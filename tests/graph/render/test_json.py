"""Graphs as JSON."""

import json

import pytest

from pipegen.graph.errors import CycleError
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.json import json_value, render_json

GRAPH = ExecutionGraph([["build", "test"], ["lint"]])


def test_nodes_arcs_and_frames_have_a_line_each() -> None:
    """The text is easy to compare line by line."""
    assert render_json(GRAPH) == (
        "{\n"
        '  "nodes": [\n'
        '    "build",\n'
        '    "test",\n'
        '    "lint"\n'
        "  ],\n"
        '  "arcs": [\n'
        '    ["build", "test"]\n'
        "  ],\n"
        '  "frames": [\n'
        '    ["build", "lint"],\n'
        '    ["test"]\n'
        "  ]\n"
        "}\n"
    )


@pytest.mark.parametrize(
    "graph", [GRAPH, ExecutionGraph(), ExecutionGraph([['"\\', "\x1b[31m\n", "é日🚀", "\udc80", "\u2028"]])]
)
def test_any_names_are_read_back(graph: ExecutionGraph) -> None:
    """The text is ASCII and contains exactly the value."""
    text = render_json(graph)

    assert text.isascii()
    assert json.loads(text) == json.loads(json.dumps(json_value(graph)))
    assert tuple(json.loads(text)["nodes"]) == graph.nodes


def test_a_cycle_has_no_frames() -> None:
    """A graph without frames is an error."""
    with pytest.raises(CycleError):
        render_json(ExecutionGraph([["a", "a"]]))
