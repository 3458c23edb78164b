"""The helpers that build and push the images of stages whose image is a Dockerfile.

Runners pull the image of a job before its script, so another job has to build it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.graph.execution import ExecutionGraph
from pipegen.numbering import unique_name
from pipegen.plan.model import (
    AnyOf,
    BuildImage,
    Condition,
    ImageFile,
    Job,
    Limits,
    Machine,
    Output,
    Plan,
    Pull,
    SharedResources,
)
from pipegen.plan.model.texts import mail_texts, outputs_in
from pipegen.shell.host import Images
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.settings import GitLabSettings

T = TypeVar("T")

_NAME = "imageID"
_LONGEST_SLUG = 40


class _Key(Struct):
    """What one helper builds: the image of *file*, with the newest base image if it *pulls*."""

    file: ImageFile
    pulls: bool


def with_built_images(plans: Sequence[Plan], settings: GitLabSettings) -> Sequence[Plan]:
    """Return *plans* with a stage that builds each Dockerfile, before the stages that run in its image.

    Without a registry, no other job gets the image.
    """
    if settings.images is Images.LOCAL or not any(_key(job) is not None for plan in plans for job in plan.jobs):
        return plans
    slugs = {job.slug.lower().replace(".", "-") for plan in plans for job in plan.jobs}
    return [_with_builds(plan, slugs, is_alone=len(plans) == 1) for plan in plans]


def builds_dockerfile(job: Job) -> bool:
    """Return whether *job* is such a helper, no stage of the config."""
    return any(type(step) is BuildImage and isinstance(step.blubberfile, ImageFile) for step in job.steps)


def _key(job: Job) -> _Key | None:
    image = job.machine.image
    return _Key(image.file, image.pull is Pull.ALWAYS) if image is not None and image.file is not None else None


def _with_builds(plan: Plan, slugs: set[str], *, is_alone: bool) -> Plan:
    """Return *plan* with its builds, each before the first stage that needs it; their slugs are added to *slugs*."""
    users: dict[_Key, list[Job]] = {}
    for job in plan.jobs:
        key = _key(job)
        if key is not None:
            users.setdefault(key, []).append(job)
    if not users:
        return plan
    stages = {job.stage for job in plan.jobs}
    builds: dict[_Key, Job] = {}
    for key, jobs in users.items():
        stage = unique_name(f"image {key.file.path}", stages, "{} {}".format)
        path = key.file.path if is_alone else f"{plan.name} {key.file.path}"
        slug = re.sub(r"[^a-z0-9]+", "-", path.lower())[:_LONGEST_SLUG].strip("-") or "image"
        builds[key] = _build(key, stage, unique_name(slug, slugs), jobs)
    new = {jobs[0].stage: builds[key] for key, jobs in users.items()}
    graph = ExecutionGraph([*_nodes(plan, new), *plan.graph.arcs, *_arcs(users, builds)])
    frames = graph.stack()
    frame_of = {stage: number for number, frame in enumerate(frames) for stage in frame}
    jobs = []
    for job in plan.jobs:
        if job.stage in new:
            jobs.append(new[job.stage])
        key = _key(job)
        jobs.append(replace(job if key is None else _in_built(job, builds[key]), frame=frame_of.get(job.stage)))
    return replace(plan, graph=graph, frames=frames, jobs=tuple(jobs))


def _nodes(plan: Plan, new: Mapping[str, Job]) -> Iterator[tuple[str]]:
    """Yield the stages of *plan*, each after the build that is *new* there; builds for finally stages come last."""
    for stage in plan.graph.nodes:
        if stage in new:
            yield (new[stage].stage,)
        yield (stage,)
    yield from ((build.stage,) for stage, build in new.items() if stage not in plan.graph)


def _arcs(users: Mapping[_Key, Sequence[Job]], builds: Mapping[_Key, Job]) -> Iterator[tuple[str, str]]:
    """Yield the arcs from each build to its users; finally stages have none."""
    for key, jobs in users.items():
        yield from ((builds[key].stage, job.stage) for job in jobs if not job.is_final)


def _in_built(job: Job, build: Job) -> Job:
    """Return *job* in the image of *build*."""
    image = job.machine.image
    if image is None:
        return job
    reference = Reference(build.stage, _NAME, None, image.span, Scope.STAGE)
    # The policy was for the base image.
    built = replace(image, name=Text((reference,), image.span), file=None, pull=None)
    return replace(
        job,
        machine=replace(job.machine, image=built),
        needs=job.needs if job.is_final else (*job.needs, build.stage),
        inputs=(*job.inputs, Output(build.stage, _NAME)),
    )


def _build(key: _Key, stage: str, slug: str, users: Sequence[Job]) -> Job:
    """Return the stage that builds the image of *key* for *users*; settings that these share hold for it, too."""
    first = users[0]
    span = first.span if first.machine.image is None else first.machine.image.span
    fetch = _common([job.fetch for job in users], None)
    mail = first.mail
    has_one_mail = mail is not None and all(job.mail is not None and job.mail.to == mail.to for job in users)
    step = BuildImage(
        blubberfile=key.file,
        variant=Text((), span),
        context=Text((key.file.context,), span),
        has_local_context=True,
        excludes=None,
        pull=Text(("always" if key.pulls else "",), span),
        span=span,
    )
    return Job(
        stage=stage,
        pipeline=first.pipeline,
        slug=slug,
        span=span,
        frame=0,
        needs=(),
        reads=(),
        binds=(_NAME, "imageLocalName"),
        inputs=(),
        outputs=(_NAME,),
        expanded=(_NAME,),
        files=(),
        artifacts=(),
        directory=".",
        steps=(step,),
        mail=mail if mail is not None and has_one_mail and not outputs_in(mail_texts(mail)) else None,
        shared=SharedResources(image=True),
        condition=_condition([job.condition for job in users]),
        machine=Machine(labels=_common([job.machine.labels for job in users], ())),
        fetch=None if fetch is not None and fetch.is_skipped else fetch,
        limits=_common([job.limits for job in users], Limits()),
    )


def _common(values: Sequence[T], otherwise: T) -> T:
    """Return the value that all *values* are, else *otherwise*."""
    return values[0] if all(value == values[0] for value in values) else otherwise


def _condition(conditions: Sequence[Condition | None]) -> Condition | None:
    """Return the condition that one of *conditions* holds; None always does."""
    distinct = tuple(condition for condition in dict.fromkeys(conditions) if condition is not None)
    if None in conditions:
        return None
    return distinct[0] if len(distinct) == 1 else AnyOf(distinct)
