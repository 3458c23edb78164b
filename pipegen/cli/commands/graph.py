"""`pipegen graph`: draws the graph of stages."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import click

from pipegen.cli.events import (
    ConfigPart,
    EventOptions,
    event_options,
)
from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import check_writable, write
from pipegen.cli.files.overwriting import check_picture
from pipegen.cli.generated import file_argument, read_generated
from pipegen.cli.parameters import PATH, EnumChoice
from pipegen.cli.session import (
    Format,
    changed_since_option,
    diagnostics_option,
    pipeline_option,
    set_option,
    show_result,
    target_option,
)
from pipegen.cli.terminal.colours import ORDER
from pipegen.cli.terminal.streams import show_text
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.dot import render_dot
from pipegen.graph.render.mermaid import render_mermaid
from pipegen.graph.render.text import render_text
from pipegen.plan.model import Plan


class Drawing(StrEnum):
    """The format of a graph."""

    TEXT = "text"
    DOT = "dot"
    MERMAID = "mermaid"
    JSON = "json"
    SVG = "svg"
    HTML = "html"


_PICTURES = (Drawing.SVG, Drawing.HTML)
# The format of a file without --format, by its extension; any other file has text.
_EXTENSIONS = {
    ".svg": Drawing.SVG,
    ".html": Drawing.HTML,
    ".json": Drawing.JSON,
    ".dot": Drawing.DOT,
    ".mmd": Drawing.MERMAID,
}


@click.command("graph")
@file_argument
@pipeline_option
@set_option
@changed_since_option
@event_options
@click.option(
    "--format",
    "form",
    type=EnumChoice(Drawing),
    help="The format of the graph. Default: that of the extension of --output, else text.",
)
@target_option
@click.option("--output", "-o", type=PATH, metavar="FILE", help="Write the graph to this file.")
@diagnostics_option
def graph(
    config: Path | None,
    pipeline: tuple[str, ...],
    inputs: tuple[str, ...],
    changed_since: str | None,
    event: EventOptions,
    form: Drawing | None,
    target: tuple[str, ...],
    output: Path | None,
    diagnostics: Format,
) -> None:
    """Draw the graph of stages.

    For a Jenkinsfile or a .gitlab-ci.yml, draw the order that it enforces. The HTML format is an interactive page that
    also shows the generated text of each target for a stage.
    """
    output = None if output == Path("-") else output
    form = form or (_EXTENSIONS.get(output.suffix) if output is not None else None) or Drawing.TEXT
    if target and form is not Drawing.HTML:
        raise WrongUsage("--target is for --format html, which shows the generated text of each stage")
    if form in _PICTURES:
        check_picture(output, form.value.upper())
    elif output is not None:
        check_writable(output)
    part = ConfigPart(
        pipelines=pipeline,
        inputs=inputs,
        changed_since=changed_since,
        event=event,
    )
    reading = read_generated(config, diagnostics, event, **part.options(), target=target)
    if form in _PICTURES:
        from pipegen.cli.pictures import drawing  # noqa: PLC0415 - only pictures need what it imports

        is_page = form is Drawing.HTML
        if reading is not None:
            text = drawing.of_file(reading, is_page=is_page)
        else:
            text = drawing.of_config(config, part.analyse, target, diagnostics, is_page=is_page)
    elif reading is not None:
        text = _drawn([(reading.file.path, reading.graph)], form)
    else:
        plans = show_result(config, part.analyse, diagnostics).plans
        is_data = form is Drawing.JSON
        text = _drawn([(plan.name, plan.graph if is_data else _with_final(plan)) for plan in plans], form)
    if output is None:
        show_text(text.rstrip("\n"), colours=ORDER if form is Drawing.TEXT else None)
    else:
        write(output, text.rstrip("\n") + "\n")


def _drawn(graphs: Sequence[tuple[str, ExecutionGraph]], form: Drawing) -> str:
    """Return *graphs* in one text, with names if there are several."""
    titled = [(name if len(graphs) > 1 else "", graph) for name, graph in graphs]
    match form:
        case Drawing.TEXT:
            return "\n".join(render_text(graph, title=title) for title, graph in titled)
        case Drawing.DOT:
            return "\n".join(render_dot(graph, title=title) for title, graph in titled)
        case Drawing.MERMAID:
            # A Mermaid text has a single graph, which contains all pipelines.
            return render_mermaid(_united(graphs) if len(graphs) != 1 else graphs[0][1])
        case _:
            pipelines = [
                {"name": name, "nodes": graph.nodes, "arcs": graph.arcs, "frames": graph.stack()}
                for name, graph in graphs
            ]
            return json.dumps({"pipelines": pipelines}, indent=2)


def _with_final(plan: Plan) -> ExecutionGraph:
    """Return the graph of *plan* with its `finally` stages, which come after all others."""
    return plan.graph + ExecutionGraph([[job.stage] for job in plan.jobs if job.is_final])


def _united(graphs: Sequence[tuple[str, ExecutionGraph]]) -> ExecutionGraph:
    arcs: list[list[str]] = []
    for name, graph in graphs:
        arcs += [[f"{name}: {stage}"] for stage in graph.nodes]
        arcs += [[f"{name}: {earlier}", f"{name}: {later}"] for earlier, later in graph.arcs]
    return ExecutionGraph(arcs)
