"""`pipegen graph`: the graph of stages, drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from pipegen.cli.generated import FileArgument, read_generated
from pipegen.cli.session import (
    ChangedSinceOption,
    DiagnosticsOption,
    Format,
    PipelineOption,
    SetOption,
    show_plans,
)
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.dot import render_dot
from pipegen.graph.render.json import json_value
from pipegen.graph.render.mermaid import render_mermaid
from pipegen.graph.render.text import render_text


class Drawing(StrEnum):
    """How a graph is drawn."""

    TEXT = "text"
    DOT = "dot"
    MERMAID = "mermaid"
    JSON = "json"


def graph(
    config: FileArgument = None,
    pipeline: PipelineOption = None,
    inputs: SetOption = None,
    changed_since: ChangedSinceOption = None,
    form: Annotated[Drawing, typer.Option("--format", help="How the graph is drawn.")] = Drawing.TEXT,
    diagnostics: DiagnosticsOption = Format.TEXT,
) -> None:
    """Draw the graph of stages.

    Of a generated file, that is the order which it enforces.
    """
    reading = read_generated(config, diagnostics, pipeline=pipeline, set=inputs, changed_since=changed_since)
    if reading is not None:
        graphs = [(reading.file.path, reading.graph)]
    else:
        graphs = [(plan.name, plan.graph) for plan in show_plans(config, pipeline, inputs, diagnostics, changed_since)]
    typer.echo(_drawn(graphs, form).rstrip("\n"))


def _drawn(graphs: Sequence[tuple[str, ExecutionGraph]], form: Drawing) -> str:
    """Return *graphs*, each with its name, in one drawing; a name is shown when there are several."""
    titled = [(name if len(graphs) > 1 else "", graph) for name, graph in graphs]
    match form:
        case Drawing.TEXT:
            return "\n".join(render_text(graph, title=title) for title, graph in titled)
        case Drawing.DOT:
            return "\n".join(render_dot(graph, title=title) for title, graph in titled)
        case Drawing.MERMAID:
            # Mermaid draws one graph a text: several pipelines stand side by side in it.
            return render_mermaid(_united(graphs) if len(graphs) > 1 else graphs[0][1])
        case Drawing.JSON:
            pipelines = [{"name": name, **json_value(graph)} for name, graph in graphs]
            return json.dumps({"pipelines": pipelines}, indent=2)


def _united(graphs: Sequence[tuple[str, ExecutionGraph]]) -> ExecutionGraph:
    arcs: list[list[str]] = []
    for name, graph in graphs:
        arcs += [[f"{name}: {stage}"] for stage in graph.nodes]
        arcs += [[f"{name}: {earlier}", f"{name}: {later}"] for earlier, later in graph.arcs]
    return ExecutionGraph(arcs)
