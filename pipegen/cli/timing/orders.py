"""The order in which an engine lets stages run, read back from the very file that it would get."""

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
    """Whose order stages are in."""

    GITLAB = "gitlab"
    # Frame after frame, as people write a Jenkinsfile by hand, and as PipelineLib runs stages.
    JENKINS_FRAMES = "jenkins-frames"
    JENKINS_DECLARATIVE = "jenkins-declarative"
    JENKINS_SCRIPTED = "jenkins-scripted"


def enforced(analysed: Analysed, order: EngineOrder, report: Report) -> Mapping[str, ExecutionGraph]:
    """Return the order of each pipeline's stages under *order*; what the engine cannot say is reported."""
    if order is EngineOrder.JENKINS_FRAMES:
        return {plan.name: _frames(plan.graph) for plan in analysed.plans}
    found, names = _gitlab(analysed, report) if order is EngineOrder.GITLAB else _jenkins(analysed, order, report)
    return {plan.name: _part(found, plan, names) for plan in analysed.plans}


def read_order(target: str, files: Sequence[GeneratedFile]) -> ExecutionGraph:
    """Return the order that *files* of a target, one of `READABLE`, enforce where all their stages run."""
    *children, last = files
    if target == "jenkins":
        from pipegen.readback import jenkins  # noqa: PLC0415 - see below

        return jenkins.order(last.text)
    from pipegen.readback import gitlab  # noqa: PLC0415 - see below

    return gitlab.read(last.text, {file.name: file.text for file in children}.get)[0]


# No other verb waits for what these import.


def _gitlab(analysed: Analysed, report: Report) -> tuple[ExecutionGraph, _Names]:
    """Return the order of the jobs, and their names by pipeline and stage."""
    from pipegen.targets.gitlab.names import JobNames, stage_names  # noqa: PLC0415 - see above

    found = read_order("gitlab", generate(analysed, registry.load("gitlab"), {}, report))
    # What is renamed was told when the file was made.
    return found, stage_names(analysed.plans, JobNames(), Report())


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


def _part(found: ExecutionGraph, plan: Plan, names: _Names) -> ExecutionGraph:
    """Return the order of the stages of *plan* in *found*, by their own names; finally stages come after all anyway.

    A stage that an engine leaves out, as Jenkins does one that takes an environment down, is left out.
    """
    stages = {names[plan.name, stage]: stage for stage in plan.graph.nodes if names[plan.name, stage] in found}
    arcs = [(stages[one], stages[other]) for one, other in found.arcs if one in stages and other in stages]
    return ExecutionGraph([*((stage,) for stage in stages.values()), *arcs])
