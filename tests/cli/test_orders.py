"""The order that engines enforce, as used by `pipegen simulate --target`."""

from __future__ import annotations

from pathlib import Path

import pytest
from readback.texts import relation

from pipegen.cli.timing.orders import EngineOrder, enforced
from pipegen.compiler import Analysed, analyse
from pipegen.config.files.load import decode, load
from pipegen.diagnostics.report import Report, Stopped
from pipegen.run.tasks import running

CASES = sorted(path.parent for path in (Path(__file__).parents[1] / "golden").glob("*/pipeline.yml"))


def analysed(text: str) -> Analysed:
    """Return the analysed config *text*."""
    report = Report()
    return analyse(decode(text.encode(), "pipegen.yaml", "", report), (), report)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize(
    "order", [EngineOrder.GITLAB, EngineOrder.JENKINS_SCRIPTED, EngineOrder.JENKINS_DECLARATIVE], ids=str
)
def test_engines_keep_all_waits_and_only_declarative_adds_some(case: Path, order: EngineOrder) -> None:
    """This is checked for all golden cases."""
    report = Report()
    analysis = analyse(load(case / "pipeline.yml", report), (), report)
    try:
        orders = enforced(analysis, order, report)
    except Stopped:
        assert report.has_errors()
        return
    for plan in analysis.plans:
        graph, enforced_order = running(plan, plan.graph), running(plan, orders[plan.name])
        added = relation(enforced_order) - relation(graph)
        assert set(enforced_order.nodes) == set(graph.nodes)
        assert relation(graph) <= relation(enforced_order)
        assert not added or order is EngineOrder.JENKINS_DECLARATIVE


def test_a_frame_waits_for_the_whole_previous_frame() -> None:
    """Each stage waits for all stages of it."""
    analysis = analysed(
        "pipelines:\n"
        "  p: { stages: [{ name: a }, { name: b }, { name: c }, { name: d }], execution: [[a, c], [b, d]] }\n"
    )

    assert relation(enforced(analysis, EngineOrder.JENKINS_FRAMES, Report())["p"]) == {
        *(("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")),
    }


def test_a_renamed_gitlab_job_is_mapped_to_its_stage() -> None:
    """The same holds for stages of one of several pipelines."""
    analysis = analysed(
        "pipelines:\n"
        "  p: { stages: [{ name: image }, { name: pages }], execution: [[image, pages]] }\n"
        "  q: { stages: [{ name: image }] }\n"
    )
    orders = enforced(analysis, EngineOrder.GITLAB, Report())

    assert {name: relation(order) for name, order in orders.items()} == {"p": {("image", "pages")}, "q": set()}
    assert orders["q"].nodes == ("image",)
