"""The order of stages that an engine enforces, read back from its generated file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise, product
from typing import TypeAlias

from pipegen.compiler import Analysed, generate
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.targets import registry
from pipegen.targets.base import GeneratedFile

# The targets whose files are read back.
READABLE = ("gitlab", "jenkins")
_Names: TypeAlias = Mapping[tuple[str, str], str]


class EngineOrder(StrEnum):
    """The engine whose order is used."""

    GITLAB = "gitlab"
    # Frame by frame, as in Jenkinsfiles written manually, and as PipelineLib runs stages.
    JENKINS_FRAMES = "jenkins-frames"
    JENKINS_DECLARATIVE = "jenkins-declarative"
    JENKINS_SCRIPTED = "jenkins-scripted"


def enforced(analysed: Analysed, order: EngineOrder, report: Report) -> Mapping[str, ExecutionGraph]:
    """Return the graph of each pipeline under *order*; report features that the engine lacks."""
    if order is EngineOrder.JENKINS_FRAMES:
        return {plan.name: _frames(plan.graph) for plan in analysed.plans}
    graph, names = _gitlab(analysed, report) if order is EngineOrder.GITLAB else _jenkins(analysed, order, report)
    return {plan.name: _part(graph, plan, names) for plan in analysed.plans}


def read_order(target: str, files: Sequence[GeneratedFile]) -> ExecutionGraph:
    """Return the order that *files* of a target, one of `READABLE`, enforce where all their stages run."""
    *children, last = files
    if target == "jenkins":
        from pipegen.readback import jenkins  # noqa: PLC0415 - see below

        return jenkins.order(last.text)
    from pipegen.readback import gitlab  # noqa: PLC0415 - see below

    return gitlab.read(last.text, {file.name: file.text for file in children}.get)[0]


# Imported on use, so that other commands start faster.


def _gitlab(analysed: Analysed, report: Report) -> tuple[ExecutionGraph, _Names]:
    """Return the order of the jobs, and their names by pipeline and stage."""
    from pipegen.targets.gitlab.names import job_names  # noqa: PLC0415 - see above

    graph = read_order("gitlab", generate(analysed, registry.load("gitlab"), {}, report))
    return graph, job_names(analysed.plans, analysed.settings.get("gitlab"))


def _jenkins(analysed: Analysed, order: EngineOrder, report: Report) -> tuple[ExecutionGraph, _Names]:
    """Return the order of the stages in a Jenkinsfile, and their names by pipeline and stage."""
    from pipegen.targets.jenkins.names import display_names  # noqa: PLC0415 - see above

    options = {"style": order.value.removeprefix("jenkins-")}
    files = generate(analysed, registry.load("jenkins"), options, report)
    return read_order("jenkins", files), display_names(analysed.plans)


def _frames(graph: ExecutionGraph) -> ExecutionGraph:
    frames = graph.stack()
    nodes = ((node,) for node in graph.nodes)
    return ExecutionGraph([*nodes, *(pair for before, after in pairwise(frames) for pair in product(before, after))])


def _part(engine_order: ExecutionGraph, plan: Plan, names: _Names) -> ExecutionGraph:
    """Return the graph of *plan* in *engine_order* with the names of its stages, without finally stages.

    Stages that the engine leaves out are left out, as Jenkins does with those that stop an environment.
    """
    stages = {names[plan.name, stage]: stage for stage in plan.graph.nodes if names[plan.name, stage] in engine_order}
    arcs = [
        (stages[earlier], stages[later])
        for earlier, later in engine_order.arcs
        if earlier in stages and later in stages
    ]
    return ExecutionGraph([*((stage,) for stage in stages.values()), *arcs])
