"""The graph behaves like PipelineLib's, in its tests and in observations of its unmodified class."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from pipegen.graph.execution import CycleError, ExecutionGraph
from pipegen.graph.render.dot import render_dot

CASES = "pipelinelib_graph.json"

Case = dict[str, Any]


def check_nodes(graph: ExecutionGraph, expected: list[str]) -> None:
    """Compare as sets: PipelineLib walks from the roots, we keep the order of the arcs."""
    assert sorted(graph.nodes) == sorted(expected)


def check_roots(graph: ExecutionGraph, expected: list[str]) -> None:
    """Compare as sets."""
    assert sorted(graph.roots) == sorted(expected)


def check_leaves(graph: ExecutionGraph, expected: list[str]) -> None:
    """Compare as sets."""
    assert sorted(graph.leaves) == sorted(expected)


def check_ancestors(graph: ExecutionGraph, expected: dict[str, list[str]]) -> None:
    """Compare as sets, for every node."""
    ancestors = {node: sorted(graph.ancestors(node)) for node in graph.nodes}

    assert ancestors == {node: sorted(before) for node, before in expected.items()}


def check_frames(graph: ExecutionGraph, expected: list[list[str]]) -> None:
    """Compare with order: frames keep the order of the arcs."""
    assert [list(frame) for frame in graph.stack()] == expected


def check_equal(graph: ExecutionGraph, expected: list[list[str]]) -> None:
    """Compare as graphs."""
    assert graph == ExecutionGraph(expected)


def check_error(graph: ExecutionGraph, expected: str) -> None:
    """Check that `stack` raises the only kind of error."""
    assert expected == "cycle"
    with pytest.raises(CycleError):
        graph.stack()


def check_linear(graph: ExecutionGraph, expected: list[list[str]]) -> None:
    """Check for one frame per stage, in the order of the config, as without `execution`."""
    assert [[stage] for arc in expected for stage in arc] == [list(frame) for frame in graph.stack()]


CHECKS: dict[str, Callable[[ExecutionGraph, Any], None]] = {
    "nodes": check_nodes,
    "roots": check_roots,
    "leaves": check_leaves,
    "ancestors": check_ancestors,
    "frames": check_frames,
    "equals_arcs": check_equal,
    "default_arcs": check_linear,
    "error": check_error,
}

# Our results in cases with a defect of PipelineLib. A value here replaces or completes the expected one of the case.
OURS: dict[str, Case] = {
    # PipelineLib's search for ancestors overflows the stack on a cycle; ours ends, and includes the nodes of the cycle.
    "observed/two-cycle": {"ancestors": {"a": ["a", "b"], "b": ["a", "b"]}},
    "observed/cycle-beside-dag": {"ancestors": {"x": [], "y": ["x"], "a": ["a", "b"], "b": ["a", "b"]}},
    "observed/repeat-node-in-arc": {"ancestors": {"a": [], "b": ["a", "b", "c"], "c": ["a", "b", "c"]}},
    # In PipelineLib, a later arc with one name makes the node a root again, beside its predecessor; our arcs remove no
    # order.
    "observed/union-1": {"frames": [["a"], ["b"]]},
}


def build(case: Case) -> ExecutionGraph:
    """Return the graph of *case*."""
    arcs = [case["stages"]] if case["arcs"] is None else case["arcs"]
    graph = ExecutionGraph(arcs)
    match case.get("op"):
        case None:
            return graph
        case "union":
            return graph | ExecutionGraph(case["other"])
        case "concatenate":
            return graph + ExecutionGraph(case["other"])
        case other:
            raise AssertionError(other)


def test_case_has_the_results_of_pipelinelib(case: Case) -> None:
    """Where PipelineLib has a defect, our own answer is expected."""
    graph = build(case)
    expected = {**case["expect"], **OURS.get(case["id"], {})}

    assert expected
    for question, answer in expected.items():
        CHECKS[question](graph, answer)


def test_dot_text_has_the_same_arcs_as_pipelinelib(case: Case) -> None:
    """PipelineLib writes one line with the arcs and the nodes without arcs."""
    graph = build(case)
    if "dot" not in case:
        assert case["origin"] == "upstream-test" or "op" in case
        return
    upstream = [re.split(" -> ", part) for part in re.split("; ", case["dot"][len("digraph { ") : -len(" }")]) if part]
    arcs = [re.findall('"(.*?)"', line) for line in render_dot(graph).splitlines() if line.startswith('    "')]

    assert sorted(arc for arc in arcs if len(arc) > 1) == sorted(arc for arc in upstream if len(arc) > 1)
    assert {node for arc in arcs for node in arc} == {node for arc in upstream for node in arc}


def test_every_case_and_defect_is_covered(cases: list[Case]) -> None:
    """Each defect that we do not copy has our own answer, and no other case has one."""
    assert len(cases) == 24
    assert [case["id"] for case in cases if "upstream_defect" in case] == list(OURS)
    assert {question for case in cases for question in case["expect"]} == CHECKS.keys()
    assert {key for case in cases for key in case} <= {
        *("id", "origin", "source", "arcs", "stages", "op", "other", "expect", "dot", "note", "upstream_defect")
    }
