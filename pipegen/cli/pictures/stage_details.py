"""Details of stages on the page with a picture, as data for templates/pictures/page.js.j2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipegen.cli.config_as_yaml import as_yaml
from pipegen.cli.pictures.pictured import left_by
from pipegen.plan.model import Job, Plan
from pipegen.plan.stage.words import (
    allowed_words,
    approval_words,
    case_words,
    duration_words,
    source_of,
    words,
)
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, child, children, written_text

# Blank lines between top-level keys, which are removed for stages.
_BETWEEN_KEYS = re.compile(r"\n\n(?=\S)")

Written = Mapping[tuple[str, int], TreeMapping]


def written_stages(tree: TreeMapping) -> Written:
    """Return the stages in *tree*, an expanded config, by the locations of their names.

    Combinations of a matrix, and stages of a called pipeline, share one entry.
    """
    stages_by_location: dict[tuple[str, int], TreeMapping] = {}
    for pipeline in children(tree.get("pipelines") or tree):
        stages = child(pipeline, "stages")
        for stage in children(stages) if stages is not None else ():
            name = child(stage, "name")
            if isinstance(stage, TreeMapping) and name is not None:
                stages_by_location[_location(name.span)] = stage
    return stages_by_location


def details(plan: Plan, written: Written) -> dict[str, dict[str, object]]:
    """Return the details of each stage of *plan*, without empty ones."""
    readers: dict[tuple[str, str], list[str]] = {}
    for job in plan.jobs:
        for output in job.reads:
            readers.setdefault((output.stage, output.name), []).append(job.stage)
    return {job.stage: dict(_stage_details(job, plan, written.get(_location(job.span)), readers)) for job in plan.jobs}


def _stage_details(
    job: Job, plan: Plan, stage: TreeMapping | None, readers: Mapping[tuple[str, str], list[str]]
) -> Iterator[tuple[str, object]]:
    entries: dict[str, object] = {
        "place": f"{job.span.file.from_root}:{job.span.first.line}",
        "description": written_text(stage.get("description")) if stage is not None else "",
        "facts": [list(fact) for fact in (*_waits(job), *_machine(job), *_bounds(job))],
        "needs": list(job.needs),
        "followers": list(plan.graph.successors(job.stage)) if job.stage in plan.graph else [],
        "reads": [[output.stage, output.name] for output in job.reads],
        "outputs": [[name, readers.get((job.stage, name), [])] for name in job.binds],
        "files": list(job.files),
        "leaves": list(left_by(job)),
        "script": "\n".join(_lines(stage.get("script"))) if stage is not None else "",
        "config": _BETWEEN_KEYS.sub("\n", as_yaml(stage)) if stage is not None else "",
    }
    return ((key, value) for key, value in entries.items() if value)


_Facts = Iterator[tuple[str, str]]


def _waits(job: Job) -> _Facts:
    """Yield the conditions, cases, approvals and waits of *job*."""
    deployment = job.deployment
    if job.condition is not None:
        yield "When", words(job.condition)
    for case in job.cases:
        yield "Case", case_words(case)
    if deployment.approval is not None:
        yield "Approval", approval_words(deployment.approval)
    if deployment.delay is not None:
        yield "Starts after", duration_words(deployment.delay.seconds)
    if deployment.environment is not None:
        yield "Environment", source_of(deployment.environment.name)
    if deployment.locks:
        yield "Lock", ", ".join(lock.name for lock in deployment.locks)


def _machine(job: Job) -> _Facts:
    """Yield the machine of *job*."""
    machine = job.machine
    if job.combination is not None:
        yield "Matrix", ", ".join(f"{axis} = {value}" for axis, value in job.combination.values)
    if machine.image is not None:
        yield "Image", source_of(machine.image.name)
    if machine.services:
        yield "Services", ", ".join(source_of(service.image) for service in machine.services)
    if machine.labels or machine.label_expressions:
        yield "Agent", ", ".join((*machine.labels, *machine.label_expressions))


def _bounds(job: Job) -> _Facts:
    """Yield the limits of *job*."""
    limits = job.limits
    if limits.timeout is not None:
        yield "Timeout", duration_words(limits.timeout.seconds)
    if limits.retry is not None:
        yield "Attempts", str(limits.retry.count + 1)
    if limits.allow_failure is not None:
        yield "May fail", allowed_words(limits.allow_failure)


def _location(span: Span) -> tuple[str, int]:
    return span.file.path, span.start


def _lines(node: Node | None) -> Iterator[str]:
    """Yield the entries of a script."""
    if isinstance(node, Scalar):
        yield node.text
    elif node is not None:
        for child in children(node):
            yield from _lines(child)
