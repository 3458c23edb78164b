"""The graph behaves like Tekton's graph of tasks, with tasks written as arcs."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pipegen.graph.execution import DoneError, ExecutionGraph

CASES = "tekton_dag.json"

Case = dict[str, Any]

WAITS_FOR = ("run_after", "results_in_params", "results_in_matrix", "results_in_when")


def tasks_of(case: Case) -> list[tuple[str, list[str]]]:
    """Return each task of *case* with the tasks it waits for, from any of the case's notations."""
    if "deps" in case:
        return list(case["deps"].items())
    if "generator" in case:
        return list(generated(case["generator"]))
    return [(task["name"], [name for key in WAITS_FOR for name in task.get(key, ())]) for task in case["tasks"]]


def generated(rule: Case) -> Iterator[tuple[str, list[str]]]:
    """Yield the tasks of a generated case: each one waits for all earlier ones in its branch."""
    assert rule["depends_on"] == "all predecessors in the branch"
    for branch in range(rule["branches"]):
        root = rule["root"].format(branch=branch)
        following = rule["root"].format(branch=(branch + 1) % rule["branches"])
        yield root, [following] if "root_depends_on" in rule else []
        before = [root]
        for index in range(rule["tasks_per_branch"]):
            name = rule["task"].format(branch=branch, index=index)
            yield name, list(before)
            before.append(name)


def build(case: Case) -> ExecutionGraph:
    """Return the graph of the tasks of *case*."""
    arcs: list[list[str]] = []
    for name, waits_for in tasks_of(case):
        arcs += [[name], *([earlier, name] for earlier in waits_for)]
    return ExecutionGraph(arcs)


def direct(graph: ExecutionGraph) -> dict[str, list[str]]:
    """Return each node's predecessors, sorted as Tekton sorts them."""
    return {node: sorted(graph.predecessors(node)) for node in graph.nodes}


def check_candidates(case: Case) -> None:
    """Check the candidates for the done tasks, or the error for an impossible set."""
    graph = build(case)
    if "error" not in case["expect"]:
        assert sorted(graph.candidates(case["done"])) == sorted(case["expect"]["candidates"])
        return
    assert case["expect"] == {"error": "done_without_ancestors"}
    with pytest.raises(DoneError) as raised:
        graph.candidates(case["done"])
    assert raised.value.name in case["done"]
    assert raised.value.missing in set(graph.ancestors(raised.value.name)) - set(case["done"])


def check_build(case: Case) -> None:
    """Check the predecessors or the size of the graph, or the error."""
    expected = case["expect"]
    match expected:
        case {"error": "duplicate"}:
            # Arcs may name nodes repeatedly: duplicate definitions are detected by the owner of the arcs.
            counted = Counter(name for name, _ in tasks_of(case))
            assert max(counted.values()) > 1
            assert build(case).nodes == tuple(counted)
        case {"error": "missing_task"}:
            # An arc to a stage without a definition is detected by the owner of the arcs, too.
            assert set(build(case).nodes) - {name for name, _ in tasks_of(case)}
        case {"error": "cycle"}:
            assert build(case).cycles()
        case {"prev": before}:
            assert direct(build(case)) == before
        case {"nodes": nodes, "edges": arcs}:
            graph = build(case)
            assert (len(graph.nodes), len(graph.arcs), graph.cycles()) == (nodes, arcs, ())
        case _:
            raise AssertionError(expected)


def check_cycles(case: Case) -> None:
    """Check that there is no cycle, or one through an arc that Tekton reports.

    Tekton names a task that could not be scheduled and the tasks it waits for; we report the cycle from its first
    node.
    """
    graph = build(case)
    if case["expect"] == {"ok": True}:
        assert graph.cycles() == ()
        return
    (cycle,) = graph.cycles()
    blamed = case["expect"]["blamed_task"]
    assert case["expect"]["error"] == "cycle"
    assert sorted(graph.predecessors(blamed)) == case["expect"]["blamed_on"]
    assert cycle[0] == blamed
    assert cycle[-2] in case["expect"]["blamed_on"]


def check_waits(case: Case) -> None:
    """Check the predecessors of each task; tasks without predecessors are left out."""
    assert {node: before for node, before in direct(build(case)).items() if before} == case["expect"]["deps"]


CHECKS = {"candidates": check_candidates, "build": check_build, "cycle_check": check_cycles, "deps": check_waits}


def test_case_has_the_results_of_tekton(case: Case) -> None:
    """Each kind of case has one check."""
    CHECKS[case["kind"]](case)


def test_every_key_is_read(cases: list[Case]) -> None:
    """The checks read every key of a task."""
    assert {key for case in cases for task in case.get("tasks", ()) for key in task} <= {"name", *WAITS_FOR}
