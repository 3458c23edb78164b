"""The order that a generated file enforces, and what an event starts of it, as `graph` and `plan` show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import click

from pipegen.cli.events import EventOptions, checkout_of
from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.starts import starts_of
from pipegen.cli.parameters import PATH
from pipegen.cli.session import Format, reported
from pipegen.config.files.load import USUAL_NAMES, load
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.paths import longest_path
from pipegen.plan.events import PipelineStart
from pipegen.plan.model.facts import StartEvent
from pipegen.readback.engines import FileEngine, engine_of
from pipegen.readback.generated import Reading, read
from pipegen.source.text import SourceFile
from pipegen.structs import replace

T = TypeVar("T")

file_argument = click.argument(
    "config",
    required=False,
    type=PATH,
    metavar="[FILE]",
    help=f"A config, a Jenkinsfile or a .gitlab-ci.yml. Default: {', '.join(USUAL_NAMES)}.",
)


def read_generated(path: Path | None, form: Format, event: EventOptions, **options: object) -> Reading | None:
    """Return the order that the file *path* enforces for *event*, and show its diagnostics; None for a config.

    *options* are the values of options that apply only to configs.
    """

    def work(file: SourceFile, engine: FileEngine, report: Report) -> Reading | None:
        reading = read(file, engine, report)
        if reading is None or not event.is_used:
            return reading
        start = starts_of(file, engine, report).of(event.event(checkout_of(file)))
        before = start.before
        nodes = tuple((name,) for name in before)
        arcs = ((other, name) for name in before for other in before if other in before[name])
        reasons = dict.fromkeys(answer.reason for answer in start.pipelines if answer.reason)
        graph = ExecutionGraph((*nodes, *arcs)).transitive_reduction()
        return replace(reading, graph=graph, reason="" if before else "; ".join(reasons))

    return _result_of(path, form, work, options)


def file_events(
    path: Path | None, form: Format, event: EventOptions, **options: object
) -> Sequence[tuple[StartEvent, Sequence[PipelineStart]]] | None:
    """Return what *event*, or each usual one, starts of the file *path*, and show its diagnostics; None for a config.

    *options* are the values of options that apply only to configs.
    """

    def work(
        file: SourceFile, engine: FileEngine, report: Report
    ) -> Sequence[tuple[StartEvent, Sequence[PipelineStart]]]:
        starts = starts_of(file, engine, report)
        events = (event.event(checkout_of(file)),) if event.is_used else starts.events
        return [(each, starts.of(each).pipelines) for each in events]

    return _result_of(path, form, work, options)


def _result_of(
    path: Path | None,
    form: Format,
    work: Callable[[SourceFile, FileEngine, Report], T | None],
    options: Mapping[str, object],
) -> T | None:
    """Return the result of *work* on the file *path*, None if no engine reads it; exit without a result."""
    if path is None or not path.is_file():
        return None
    report = Report()
    file = load(path, report)
    engine = engine_of(file)
    if engine is None:
        return None
    if config_options := [f"--{name.replace('_', '-')}" for name, value in options.items() if value]:
        raise WrongUsage(f'"{path}" is not a config: omit {" and ".join(config_options)}')

    def read_file(report: Report) -> T | None:
        report.stop_if_errors()
        return work(file, engine, report)

    return reported(read_file, report, form)


def as_data(reading: Reading) -> Mapping[str, object]:
    """Return *reading* as a JSON document; the format is documented in docs/plan.md."""
    graph, frames = reading.graph, reading.graph.stack()
    frame_numbers = {stage: number for number, frame in enumerate(frames) for stage in frame}
    stages = [
        {"stage": stage, "frame": frame_numbers[stage], "needs": list(graph.predecessors(stage))}
        for stage in graph.nodes
    ]
    return {
        "order": {
            "file": reading.file.path,
            "engine": reading.engine.value,
            "form": reading.form,
            **({"reason": reading.reason} if reading.reason else {}),
            "frames": [list(frame) for frame in frames],
            "stages": stages,
        }
    }


def describe(reading: Reading) -> str:
    """Return *reading* as text."""
    graph = reading.graph
    lines = [f"{reading.file.path}: {reading.engine.value}, {reading.form}"]
    lines += [f"  frame {number}: {joined(frame)}" for number, frame in enumerate(graph.stack(), start=1)]
    no_job = f"  no job runs: {reading.reason}" if reading.reason else "  no job runs"
    lines += [f"  longest path: {' -> '.join(longest_path(graph))}"] if graph.nodes else [no_job]
    for stage in graph.nodes:
        lines += ["", f"  {stage}"]
        if graph.predecessors(stage):
            lines.append(f"    after     {joined(graph.predecessors(stage))}")
    return "\n".join(lines)


def joined(words: Iterable[str]) -> str:
    """Return *words* joined by commas; words with commas, such as names of combinations, are quoted."""
    return ", ".join(f'"{word}"' if "," in word else word for word in words)
