"""The driver of a scripted file, and the diagnostic for deep nesting."""

from __future__ import annotations

import pytest
from graph import families
from targets.jenkins.sample_plans import jenkinsfile, lowered, plan, scripts

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.jenkins import order
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import PlanScripts


def work(graph: ExecutionGraph, name: str = "demo") -> PlanScripts:
    """Return a plan with the nodes and arcs of *graph*."""
    return scripts(plan(*([node] for node in graph.nodes), *graph.arcs, name=name))


def deepest(*plan_scripts: PlanScripts, report: Report) -> int:
    """Return the depth limit of blocks in the file for *plan_scripts*."""
    body = lowered(*plan_scripts, style="scripted", report=report).body
    assert isinstance(body, model.ScriptedPipelines)
    return body.deepest


@pytest.mark.parametrize(
    ("graph", "expected", "is_tested"),
    [
        (families.trellis(11, 3), 0, False),
        (families.trellis(12, 3), 10, True),
        (families.diamonds(10), 0, False),
        (families.diamonds(11), 10, False),
        (
            ExecutionGraph([[f"n{index}", f"n{index + 1}"] for index in range(60)] + [["n0", "n60"], ["n5", "n9"]]),
            0,
            False,
        ),
        (ExecutionGraph([[f"n{index}" for index in range(300)]]), 0, False),
        (ExecutionGraph([[f"n{index}" for index in range(301)]]), 10, False),
    ],
)
def test_deep_and_large_graphs_use_the_limiting_driver(
    graph: ExecutionGraph, expected: int, *, is_tested: bool
) -> None:
    """It is reported only if stages may have to wait; redundant arcs do not count."""
    report = Report()

    assert deepest(work(graph), report=report) == expected
    assert [diagnostic.code for diagnostic in report.diagnostics()] == [codes.DEEP_NESTING] * is_tested


def test_separately_started_pipelines_count_as_a_block() -> None:
    """Blocks in each can then nest one level less."""
    report = Report()
    deep, other = work(families.trellis(50, 3)), work(families.trellis(2, 1), "other")
    final = scripts(plan(["a"], ["last"], name="final", last={"frame": None}))

    assert deepest(deep, other, report=report) == 10
    assert deepest(deep, final, report=report) == 9


def test_stages_that_may_start_late_are_reported() -> None:
    """The note names stages, and the file's header has a line."""
    report = Report()
    file = lowered(work(families.trellis(13, 3)), style="scripted", report=report)
    (diagnostic,) = report.diagnostics()

    assert diagnostic.message.startswith('"m6", "m7", "s5", "m8" and 11 more may start late: ')
    assert "can nest 12 parallel blocks" in diagnostic.message
    assert file.notes == (
        "Style: scripted.",
        "Stages may start late in runs that put 10 parallel blocks into each other.",
    )


def test_the_driver_keeps_the_order_of_the_arcs() -> None:
    """Read back from the text, for deep graphs and flat ones."""
    for graph in (families.trellis(60, 3), families.diamonds(60), families.ladder(45)):
        actual = order(jenkinsfile(work(graph), style="scripted"))

        assert {(ancestor, node) for node in actual.nodes for ancestor in actual.ancestors(node)} == {
            (ancestor, node) for node in graph.nodes for ancestor in graph.ancestors(node)
        }


def test_thousands_of_stages_use_the_list_of_successors() -> None:
    """The driver then does not search all stages."""
    report = Report()
    text = jenkinsfile(work(families.full_layers(100, 10)), style="scripted", report=report)

    assert "followers = stageFollowers()" in text
    assert not report.diagnostics()
