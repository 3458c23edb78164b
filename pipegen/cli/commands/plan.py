"""`pipegen plan`: shows the plan of a config, independent of targets."""

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import click

from pipegen.cli import generated
from pipegen.cli.commands.compile import style_option, target_options
from pipegen.cli.config_as_yaml import as_yaml
from pipegen.cli.events import (
    ConfigPart,
    EventOptions,
    event_answers,
    event_options,
)
from pipegen.cli.events import as_data as event_data
from pipegen.cli.events import as_table as event_table
from pipegen.cli.events import as_text as event_text
from pipegen.cli.exits import WrongUsage
from pipegen.cli.generated import file_argument, joined
from pipegen.cli.parameters import EnumChoice
from pipegen.cli.session import (
    Format,
    changed_since_option,
    diagnostics_option,
    load_targets,
    pipeline_option,
    set_option,
    show_result,
    target_option,
)
from pipegen.cli.target_files import TargetFiles, check_readable, data, describe, make
from pipegen.cli.terminal.colours import EVENTS, PLAN
from pipegen.cli.terminal.streams import show_data, show_file, show_text
from pipegen.compiler import expand
from pipegen.diagnostics.report import Report
from pipegen.graph.paths import longest_path
from pipegen.plan.events import PipelineStart
from pipegen.plan.model import Approval, Case, Input, Job, Leave, Plan, Schedule, Selection
from pipegen.plan.model.facts import StartEvent
from pipegen.plan.model.steps import step_key
from pipegen.plan.stage.words import (
    allowed_words,
    approval_words,
    case_values,
    case_words,
    duration_words,
    words,
)
from pipegen.readback.generated import Reading
from pipegen.source.text import SourceFile


class PlanFormat(StrEnum):
    """The format of a plan."""

    TEXT = "text"
    JSON = "json"


@click.command("plan")
@file_argument
@pipeline_option
@set_option
@changed_since_option
@event_options
@target_option
@style_option
@click.option(
    "--format", "form", type=EnumChoice(PlanFormat), default=PlanFormat.TEXT.value, help="The format of the plan."
)
@diagnostics_option
@click.option(
    "--expanded", is_flag=True, help="Show the config instead, with includes, templates and defaults applied."
)
@click.option("--events", is_flag=True, help="Show instead which stages run for which events, and why others do not.")
def plan(
    config: Path | None,
    pipeline: tuple[str, ...],
    inputs: tuple[str, ...],
    changed_since: str | None,
    event: EventOptions,
    target: tuple[str, ...],
    style: str | None,
    form: PlanFormat,
    diagnostics: Format,
    *,
    expanded: bool,
    events: bool,
) -> None:
    """Show frames, jobs, needs and bindings of each pipeline.

    With --target, also show the order that the target enforces: waits without an arc, and their effect on duration. For
    a Jenkinsfile or a .gitlab-ci.yml, show the order that it enforces.
    """
    part = ConfigPart(
        pipelines=pipeline,
        inputs=inputs,
        changed_since=changed_since,
        event=event,
    )
    others = {**part.options(), "target": target, "style": style}
    read = generated.file_events if events else generated.read_generated
    from_file = read(config, diagnostics, event, **others, expanded=expanded)
    if isinstance(from_file, Reading):
        _show_reading(from_file, form)
    elif from_file is not None:
        _show_events(from_file, form)
    elif expanded:
        if events or event.is_used or any(others.values()) or form is not PlanFormat.TEXT:
            raise WrongUsage("--expanded shows the whole config as YAML: omit other options")
        show_file(as_yaml(show_result(config, expand, diagnostics)))
    elif events:
        if target or style:
            raise WrongUsage("--events shows the stages of the config: omit --target and --style")
        _show_events(event_answers(show_result(config, part.for_all_events, diagnostics), part.event), form)
    else:
        _show(*show_result(config, _work(part, target, style), diagnostics), form)


def _work(
    part: ConfigPart, target: Sequence[str], style: str | None
) -> Callable[[SourceFile, Report], tuple[Sequence[Plan], Sequence[TargetFiles]]]:
    """Return the function that makes the plans of *part*, and the files of each *target* in *style*."""
    targets = load_targets(target)
    check_readable(targets)
    options = target_options(targets, style)

    def work(file: SourceFile, report: Report) -> tuple[Sequence[Plan], Sequence[TargetFiles]]:
        analysed = part.analyse(file, report)
        return analysed.plans, [make(analysed, target_module, options, report) for target_module in targets]

    return work


def _show(plans: Sequence[Plan], target_files: Sequence[TargetFiles], form: PlanFormat) -> None:
    if form is PlanFormat.JSON:
        show_data(json.dumps(as_data(plans, target_files), indent=2))
    else:
        show_text(
            "\n\n".join((*_inputs(plans), *map(_describe, plans), *map(describe, target_files))),
            colours=PLAN,
        )


def _show_events(columns: Sequence[tuple[StartEvent, Sequence[PipelineStart]]], form: PlanFormat) -> None:
    if form is PlanFormat.JSON:
        show_data(json.dumps(event_data(columns), indent=2))
    elif len(columns) == 1:
        show_text(event_text(*columns[0]), colours=EVENTS)
    else:
        show_text(event_table(columns), colours=EVENTS)


def _show_reading(reading: Reading, form: PlanFormat) -> None:
    if form is PlanFormat.JSON:
        show_data(json.dumps(generated.as_data(reading), indent=2))
    else:
        show_text(generated.describe(reading), colours=PLAN)


def as_data(plans: Sequence[Plan], target_files: Sequence[TargetFiles] = ()) -> Mapping[str, object]:
    """Return *plans* and *target_files* as a JSON document; the format is documented in docs/plan.md."""
    inputs = plans[0].inputs if plans else ()
    return {
        **({"inputs": [_input_data(input_) for input_ in inputs]} if inputs else {}),
        "pipelines": [_plan_data(plan) for plan in plans],
        **({"targets": [data(files) for files in target_files]} if target_files else {}),
    }


def _input_data(input_: Input) -> Mapping[str, object]:
    document: dict[str, object] = {"name": input_.name, "type": input_.type.value, "default": input_.default}
    return {**document, "choices": list(input_.choices)} if input_.choices else document


def _plan_data(plan: Plan) -> Mapping[str, object]:
    document: dict[str, object] = {"name": plan.name}
    if plan.selection is Selection.ON_DEMAND:
        document["on_demand"] = True
    if plan.condition is not None:
        document["when"] = words(plan.condition)
    if plan.schedules:
        document["schedules"] = [
            {"cron": schedule.cron, "timezone": schedule.timezone or "UTC"} for schedule in plan.schedules
        ]
    final = _final(plan)
    return {
        **document,
        "frames": [list(frame) for frame in plan.frames],
        **({"finally": final} if final else {}),
        "jobs": [_job_data(job) for job in plan.jobs],
    }


def _job_data(job: Job) -> Mapping[str, object]:
    document: dict[str, object] = {
        "stage": job.stage,
        "frame": job.frame,
        "needs": list(job.needs),
        "reads": [str(output) for output in job.reads],
        "binds": list(job.binds),
        "line": job.span.first.line,
    }
    if job.condition is not None:
        document["when"] = words(job.condition)
    if job.on_status:
        document["on_status"] = job.on_status
    if job.cases:
        document["cases"] = [_case_data(case) for case in job.cases]
    allowed = job.limits.allow_failure
    if allowed is not None and allowed.condition is not None:
        document["allow_failure"] = {"when": words(allowed.condition)}
    if job.deployment.approval is not None:
        document["approve"] = _approval_data(job.deployment.approval)
    if job.deployment.delay is not None:
        document["delay"] = job.deployment.delay.seconds
    return document


def _approval_data(approval: Approval) -> Mapping[str, object]:
    document: dict[str, object] = {"optional": approval.is_optional, "approvers": list(approval.approvers)}
    if approval.message is not None:
        document["message"] = approval.message
    return document if approval.condition is None else {**document, "when": words(approval.condition)}


def _case_data(case: Case) -> Mapping[str, object]:
    document: dict[str, object] = {"env": dict(case_values(case))}
    return {"when": words(case.condition), **document} if case.condition is not None else document


def _describe(plan: Plan) -> str:
    lines = [f"pipeline {plan.name}"]
    lines += ["  runs: only on demand"] if plan.selection is Selection.ON_DEMAND else []
    lines += [f"  when: {words(plan.condition)}"] if plan.condition is not None else []
    lines += [f"  schedule: {_clock(schedule)}" for schedule in plan.schedules]
    lines += [f"  frame {number}: {joined(frame)}" for number, frame in enumerate(plan.frames, start=1)]
    final = _final(plan)
    lines += [f"  finally: {joined(final)}"] if final else []
    lines.append(f"  longest path: {' -> '.join(longest_path(plan.graph))}")
    for job in plan.jobs:
        lines += ["", f"  {job.stage}", *_details(job)]
    return "\n".join(lines)


def _inputs(plans: Sequence[Plan]) -> list[str]:
    """Return the text for the inputs of the file; [] if it has none."""
    inputs = plans[0].inputs if plans else ()
    return ["\n".join(("inputs", *(f"  {input_.name}: {_input(input_)}" for input_ in inputs)))] if inputs else []


def _input(input_: Input) -> str:
    choices = f", one of {joined(input_.choices)}" if input_.choices else ""
    default = "must be set" if input_.default is None else f"default {json.dumps(input_.default)}"
    return f"{input_.type.value}{choices}, {default}"


def _clock(schedule: Schedule) -> str:
    return f"{schedule.cron} ({schedule.timezone or 'UTC'})"


def _final(plan: Plan) -> list[str]:
    return [job.stage for job in plan.jobs if job.is_final]


def _details(job: Job) -> list[str]:
    approval, delay = job.deployment.approval, job.deployment.delay
    entries = (
        ("after", job.needs),
        ("when", [words(job.condition)] if job.condition is not None else ()),
        ("status", [job.on_status] if job.on_status else ()),
        ("approval", [approval_words(approval)] if approval is not None else ()),
        ("delay", [duration_words(delay.seconds)] if delay is not None else ()),
        ("steps", [step_key(step) for step in job.steps if not isinstance(step, Leave)]),
        ("reads", [str(output) for output in job.reads]),
        ("binds", job.binds),
        ("files of", job.files),
        ("leaves", [artifact.path or "files known at run time" for artifact in job.artifacts]),
    )
    lines = [f"    {name:<8}  {joined(words)}" for name, words in entries if words]
    allowed = job.limits.allow_failure
    lines += [f"    {'may fail':<8}  {allowed_words(allowed)}"] if allowed is not None and allowed.condition else []
    return [*lines, *(f"    {'case':<8}  {case_words(case)}" for case in job.cases)]
