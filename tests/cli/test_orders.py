"""The order that engines enforce, as `pipegen simulate --target` takes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipegen.cli.timing.orders import EngineOrder, enforced
from pipegen.compiler import Analysed, analyse
from pipegen.config.files.load import decode, load
from pipegen.diagnostics.report import Report, Stopped
from pipegen.graph.execution import ExecutionGraph
from pipegen.run.tasks import running

CASES = sorted(path.parent for path in (Path(__file__).parents[1] / "golden").glob("*/pipeline.yml"))


def relation(graph: ExecutionGraph) -> set[tuple[str, str]]:
    """Return all pairs of a stage and one before it, however far."""
    return {(later, earlier) for later in graph.nodes for earlier in graph.ancestors(later)}


def analysed(text: str) -> Analysed:
    """Return the config *text*, checked."""
    report = Report()
    return analyse(decode(text.encode(), "pipegen.yaml", "", report), (), report)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize(
    "order", [EngineOrder.GITLAB, EngineOrder.JENKINS_SCRIPTED, EngineOrder.JENKINS_DECLARATIVE], ids=str
)
def test_no_engine_loses_a_wait_and_two_add_none(case: Path, order: EngineOrder) -> None:
    """Of all configs that are compiled in the tests, finally stages and matrices, several pipelines and images."""
    report = Report()
    found = analyse(load(case / "pipeline.yml", report), (), report)
    try:
        orders = enforced(found, order, report)
    except Stopped:
        assert report.has_errors()
        return
    for plan in found.plans:
        wanted, enforced_order = running(plan, plan.graph), running(plan, orders[plan.name])
        added = relation(enforced_order) - relation(wanted)
        assert set(enforced_order.nodes) == set(wanted.nodes)
        assert relation(wanted) <= relation(enforced_order)
        assert not added or order is EngineOrder.JENKINS_DECLARATIVE


def test_frames_wait_for_whole_frames() -> None:
    """Each stage for all of the frame before."""
    found = analysed(
        "pipelines:\n"
        "  p: { stages: [{ name: a }, { name: b }, { name: c }, { name: d }], execution: [[a, c], [b, d]] }\n"
    )

    assert relation(enforced(found, EngineOrder.JENKINS_FRAMES, Report())["p"]) == {
        *(("c", "a"), ("c", "b"), ("d", "a"), ("d", "b")),
    }


def test_a_job_that_gitlab_calls_otherwise_is_known_by_its_stage() -> None:
    """So is a stage of one of several pipelines."""
    found = analysed(
        "pipelines:\n"
        "  p: { stages: [{ name: image }, { name: pages }], execution: [[image, pages]] }\n"
        "  q: { stages: [{ name: image }] }\n"
    )
    orders = enforced(found, EngineOrder.GITLAB, Report())

    assert {name: relation(order) for name, order in orders.items()} == {"p": {("pages", "image")}, "q": set()}
    assert orders["q"].nodes == ("image",)
