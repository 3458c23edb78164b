"""The order in which an engine lets stages run, read back from the very file that it would get."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from itertools import pairwise, product

from pipegen.cli.exits import WrongUsage
from pipegen.compiler import Analysed, generate
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.readback import gitlab as gitlab_text
from pipegen.readback import jenkins as jenkins_text
from pipegen.targets import registry
from pipegen.targets.gitlab.names import Names, stage_names
from pipegen.targets.jenkins.names import display_names


class Order(StrEnum):
    """Whose order stages are in."""

    GITLAB = "gitlab"
    # Frame after frame, as people write a Jenkinsfile by hand, and as PipelineLib runs stages.
    JENKINS_FRAMES = "jenkins-frames"
    JENKINS_DECLARATIVE = "jenkins-declarative"
    JENKINS_SCRIPTED = "jenkins-scripted"


def enforced(analysed: Analysed, order: Order, report: Report) -> Mapping[str, ExecutionGraph]:
    """Return the order of each pipeline's stages under *order*; what the engine cannot say is reported."""
    if order is Order.JENKINS_FRAMES:
        return {plan.name: _frames(plan.graph) for plan in analysed.plans}
    if order is Order.GITLAB:
        found = gitlab_text.order(_text(analysed, "gitlab", {}, report))
        # What it renames was told when the file was made.
        names = stage_names(analysed.plans, Names(), Report())
    else:
        style = order.value.removeprefix("jenkins-")
        found = jenkins_text.order(_text(analysed, "jenkins", {"style": style}, report))
        names = display_names(analysed.plans)
    return {plan.name: _part(found, plan, names) for plan in analysed.plans}


def _text(analysed: Analysed, target: str, options: Mapping[str, str], report: Report) -> str:
    files = generate(analysed, registry.load(target), options, report)
    if len(files) > 1:
        raise WrongUsage(f'"{analysed.file.path}" comes to several files on {target}, whose order is not read back')
    return files[0].text


def _frames(graph: ExecutionGraph) -> ExecutionGraph:
    frames = graph.stack()
    nodes = ((node,) for node in graph.nodes)
    return ExecutionGraph([*nodes, *(pair for before, after in pairwise(frames) for pair in product(before, after))])


def _part(found: ExecutionGraph, plan: Plan, names: Mapping[tuple[str, str], str]) -> ExecutionGraph:
    """Return the order of the stages of *plan* in *found*, by their own names; finally stages come after all anyway."""
    stages = {names[plan.name, stage]: stage for stage in plan.graph.nodes}
    if missing := stages.keys() - set(found.nodes):
        raise RuntimeError(f"the generated file lacks {min(missing)!r}")
    arcs = [(stages[one], stages[other]) for one, other in found.arcs if one in stages and other in stages]
    return ExecutionGraph([*((stage,) for stage in plan.graph.nodes), *arcs])
