"""`pipegen graph`: the graph of stages, drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from pipegen.cli.session import ConfigArgument, PipelineOption, SetOption, show_plans
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.dot import render_dot
from pipegen.graph.render.json import json_value
from pipegen.graph.render.mermaid import render_mermaid
from pipegen.graph.render.text import render_text
from pipegen.plan.model import Plan


class Drawing(StrEnum):
    """How a graph is drawn."""

    TEXT = "text"
    DOT = "dot"
    MERMAID = "mermaid"
    JSON = "json"


def graph(
    config: ConfigArgument = None,
    pipeline: PipelineOption = None,
    inputs: SetOption = None,
    form: Annotated[Drawing, typer.Option("--format", help="How the graph is drawn.")] = Drawing.TEXT,
) -> None:
    """Draw the graph of stages."""
    plans = show_plans(config, pipeline, inputs)
    typer.echo(_drawn(plans, form).rstrip("\n"))


def _drawn(plans: Sequence[Plan], form: Drawing) -> str:
    match form:
        case Drawing.TEXT:
            return "\n".join(render_text(plan.graph, title=_title(plan, plans)) for plan in plans)
        case Drawing.DOT:
            return "\n".join(render_dot(plan.graph, title=_title(plan, plans)) for plan in plans)
        case Drawing.MERMAID:
            # Mermaid draws one graph a text: several pipelines stand side by side in it.
            return render_mermaid(_united(plans) if len(plans) > 1 else plans[0].graph)
        case Drawing.JSON:
            pipelines = [{"name": plan.name, **json_value(plan.graph)} for plan in plans]
            return json.dumps({"pipelines": pipelines}, indent=2)


def _title(plan: Plan, plans: Sequence[Plan]) -> str:
    return plan.name if len(plans) > 1 else ""


def _united(plans: Sequence[Plan]) -> ExecutionGraph:
    arcs: list[list[str]] = []
    for plan in plans:
        arcs += [[f"{plan.name}: {stage}"] for stage in plan.graph.nodes]
        arcs += [[f"{plan.name}: {earlier}", f"{plan.name}: {later}"] for earlier, later in plan.graph.arcs]
    return ExecutionGraph(arcs)
