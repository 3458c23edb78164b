"""The order that a generated file enforces, as `graph` and `plan` show it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.parameters import PATH
from pipegen.cli.session import Format, show
from pipegen.config.files.load import USUAL_NAMES, load
from pipegen.diagnostics.report import Report
from pipegen.graph.paths import longest_path
from pipegen.readback.engines import engine_of
from pipegen.readback.generated import Reading, read

file_argument = click.argument(
    "config",
    required=False,
    type=PATH,
    metavar="[FILE]",
    help=f"A config, or a generated Jenkinsfile or .gitlab-ci.yml. Default: {', '.join(USUAL_NAMES)}.",
)


def read_generated(path: Path | None, form: Format, **options: object) -> Reading | None:
    """Return the order that the file *path* enforces, and show its diagnostics; None if it is not a generated file.

    *options* are the values of options that apply only to configs.
    """
    if path is None or not path.is_file():
        return None
    report = Report()
    file = load(path, report)
    engine = engine_of(file)
    if engine is None:
        return None
    if config_options := [f"--{name.replace('_', '-')}" for name, value in options.items() if value]:
        raise WrongUsage(f'"{path}" is a generated file, for which {" and ".join(config_options)} cannot be used')
    reading = None if report.has_errors() else read(file, engine, report)
    show(report.diagnostics(), form, sys.stderr)
    if reading is None:
        raise click.exceptions.Exit(Exit.PROBLEMS)
    return reading


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
            "frames": [list(frame) for frame in frames],
            "stages": stages,
        }
    }


def describe(reading: Reading) -> str:
    """Return *reading* as text."""
    graph = reading.graph
    lines = [f"{reading.file.path}: {reading.engine.value}, {reading.form}"]
    lines += [f"  frame {number}: {_listed(frame)}" for number, frame in enumerate(graph.stack(), start=1)]
    lines.append(f"  longest path: {' -> '.join(longest_path(graph))}")
    for stage in graph.nodes:
        lines += ["", f"  {stage}"]
        if graph.predecessors(stage):
            lines.append(f"    after     {_listed(graph.predecessors(stage))}")
    return "\n".join(lines)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' if "," in word else word for word in words)
