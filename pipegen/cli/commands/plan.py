"""`pipegen plan`: what the config comes to, before any target."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from pipegen.cli import generated
from pipegen.cli.exits import WrongUsage
from pipegen.cli.expanded import as_yaml
from pipegen.cli.generated import FileArgument
from pipegen.cli.session import PipelineOption, SetOption, show_made, show_plans
from pipegen.compiler import expand
from pipegen.graph.paths import longest_path
from pipegen.plan.model import Commands, Job, Leave, Plan, Step


class PlanFormat(StrEnum):
    """How a plan is shown."""

    TEXT = "text"
    JSON = "json"


def plan(
    config: FileArgument = None,
    pipeline: PipelineOption = None,
    inputs: SetOption = None,
    form: Annotated[PlanFormat, typer.Option("--format", help="How the plan is shown.")] = PlanFormat.TEXT,
    *,
    expanded: Annotated[
        bool,
        typer.Option("--expanded", help="Show the config instead, with includes, templates and defaults written out."),
    ] = False,
) -> None:
    """Show frames, jobs, needs and bindings of each pipeline.

    Of a generated file, the order which it enforces.
    """
    reading = generated.read_generated(config, pipeline=pipeline, set=inputs, expanded=expanded)
    if reading is not None:
        is_data = form is PlanFormat.JSON
        typer.echo(json.dumps(generated.as_data(reading), indent=2) if is_data else generated.described(reading))
        return
    if expanded:
        if pipeline or inputs or form is not PlanFormat.TEXT:
            raise WrongUsage("--expanded shows the whole config, as YAML: leave --pipeline, --set and --format out")
        typer.echo(as_yaml(show_made(config, expand)), nl=False)
        return
    plans = show_plans(config, pipeline, inputs)
    if form is PlanFormat.JSON:
        typer.echo(json.dumps(as_data(plans), indent=2))
    else:
        typer.echo("\n\n".join(_described(one) for one in plans))


def as_data(plans: Sequence[Plan]) -> Mapping[str, object]:
    """Return *plans* as the JSON document that is a contract: see docs/plan.md."""
    return {
        "pipelines": [
            {
                "name": plan.name,
                "frames": [list(frame) for frame in plan.frames],
                "jobs": [_job_data(job) for job in plan.jobs],
            }
            for plan in plans
        ]
    }


def _job_data(job: Job) -> Mapping[str, object]:
    return {
        "stage": job.stage,
        "frame": job.frame,
        "needs": list(job.needs),
        "reads": [str(output) for output in job.reads],
        "binds": list(job.binds),
        "line": job.span.first.line,
    }


def _described(plan: Plan) -> str:
    lines = [f"pipeline {plan.name}"]
    lines += [f"  frame {number}: {_listed(frame)}" for number, frame in enumerate(plan.frames, start=1)]
    final = [job.stage for job in plan.jobs if job.is_final]
    lines += [f"  finally: {_listed(final)}"] if final else []
    lines.append(f"  longest path: {' -> '.join(longest_path(plan.graph))}")
    for job in plan.jobs:
        lines += ["", f"  {job.stage}", *_details(job)]
    return "\n".join(lines)


def _details(job: Job) -> list[str]:
    told = (
        ("after", job.needs),
        ("steps", [_step_name(step) for step in job.steps if not isinstance(step, Leave)]),
        ("reads", [str(output) for output in job.reads]),
        ("binds", job.binds),
        ("files of", job.files),
        ("leaves", [artifact.path or "files known at run time" for artifact in job.artifacts]),
    )
    return [f"    {name:<8}  {_listed(words)}" for name, words in told if words]


def _listed(words: Iterable[str]) -> str:
    """Return *words* with commas between; in quotes where one holds a comma, as the names of legs do."""
    return ", ".join(f'"{word}"' if "," in word else word for word in words)


def _step_name(step: Step) -> str:
    return "script" if isinstance(step, Commands) else type(step).__name__.lower()
