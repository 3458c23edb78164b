"""Assignment of stages to child pipelines: those of `--split`, and whole pipelines whose runs wait for each other.

A child returns nothing: its artifacts are not visible outside. So all readers of a stage in a child are in that child;
children fetch artifacts of the parent. A child starts when everything before any of its stages has ended, and
successors of one of its stages run after all of them. So children must not wait for each other in a cycle, and
they may add waits, which are reported.

A whole pipeline is a child so that the bridge that starts it holds a resource group until the child ends:
https://docs.gitlab.com/ci/resource_groups/#pipeline-level-concurrency-control-with-cross-projectparent-child-pipelines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Job, Output, Plan, TriggerJob
from pipegen.source.text import Span
from pipegen.structs import Struct
from pipegen.targets.engine_names import group_resource
from pipegen.targets.gitlab.files.layout import PipelineLayout
from pipegen.targets.gitlab.helper_jobs.built_images import builds_dockerfile
from pipegen.targets.gitlab.jobs.setting_stages import setting_names
from pipegen.targets.gitlab.names import resource_group_name
from pipegen.targets.gitlab.needs.awaited import read_stages
from pipegen.targets.gitlab.rules.runs import report_overlapping, waits
from pipegen.targets.gitlab.settings import GitLabSettings

_PARENT = -1
# A wide graph may have very many waits; diagnostics list only the first.
_SHOWN_WAITS, _SHOWN_NAMES = 3, 3
_SHORTEST_TITLE = 3


class Split(Struct, kw_only=True):
    """The children of a pipeline.

    Attributes:
        parts: the child of each stage that is in one; "" stands for the jobs of the whole pipeline.
        titles: the names of the children.
        notes: notes on the waits that they add.
        resource_group: the resource group that the bridge holds while the child runs.
    """

    parts: Mapping[str, int]
    titles: Mapping[int, str]
    notes: tuple[str, ...] = ()
    resource_group: str = ""


_WHOLE = Split(parts={}, titles={})


def split(
    plans: Sequence[Plan],
    layouts: Sequence[PipelineLayout],
    settings: GitLabSettings,
    groups: Sequence[Sequence[str]],
    report: Report,
) -> tuple[Split, ...]:
    """Return the children that *groups* of stages make of *plans*, and those whose runs wait for each other.

    Stages that cannot be in a child are reported, and so are added waits.
    """
    _check_names(plans, groups, report)
    return tuple(
        _run_in_child(plan, layout, settings, groups, report)
        if waits(plan)
        else _split(plan, layout, settings, groups, report)
        for plan, layout in zip(plans, layouts, strict=True)
    )


def _run_in_child(
    plan: Plan, layout: PipelineLayout, settings: GitLabSettings, groups: Sequence[Sequence[str]], report: Report
) -> Split:
    """Return one child with all of *plan*; a stage that cannot be in a child is reported."""
    in_settings = _reasons_in_settings(settings)
    named = {stage for group in groups for stage in _matching_stages(plan, group)}
    for job in plan.jobs:
        reasons = [*(["--split names it"] if job.stage in named else []), *_reasons(job, plan, layout, in_settings)]
        if reasons:
            report_overlapping(
                plan, f'stage "{job.title}" cannot be in a child pipeline of all stages: {reasons[0]}', report
            )
            return _WHOLE
    group = plan.concurrency.group if plan.concurrency is not None else None
    return Split(
        parts=dict.fromkeys(("", *(job.stage for job in plan.jobs)), 0),
        titles={0: plan.name},
        resource_group=resource_group_name(
            group_resource(plan.name if group is None else group), is_of_branch=group is None
        ),
    )


def _split(
    plan: Plan, layout: PipelineLayout, settings: GitLabSettings, groups: Sequence[Sequence[str]], report: Report
) -> Split:
    named: dict[str, int] = {}
    for part, group in enumerate(groups):
        named = dict.fromkeys(_matching_stages(plan, group), part) | named
    pinned = dict(_pinned(plan, layout, settings))
    parts = _parts(plan, named, pinned)
    mistakes = [
        (stage, f'stage "{stage}" cannot be in a child pipeline: {why}')
        for stage, why in pinned.items()
        if stage in named
    ]
    mistakes += [*_crossings(plan, layout, parts), *_generator_crossings(plan, parts)]
    order = _order(plan, parts)
    if order.cycles():
        mistakes.append((next(iter(named)), "a child pipeline of --split and another job would wait for each other"))
    for stage, message in mistakes:
        report.add(
            codes.CUT_CROSSED,
            message,
            at=plan.job(stage).span,
            hint="put the readers of a stage into its child, pass other stages to --split, or omit it: a file that is "
            "too large is split anyway, and stays one pipeline",
        )
    if mistakes or not parts:
        return _WHOLE
    members = {part: [stage for stage in parts if parts[stage] == part] for part in dict.fromkeys(parts.values())}
    titles = {part: _title(plan, names) for part, names in members.items()}
    return Split(parts=parts, titles=titles, notes=_waits(plan, order, report))


def _parts(plan: Plan, named: Mapping[str, int], pinned: Collection[str]) -> dict[str, int]:
    """Return the children of the stages *named*, and of the stages that come only after stages of one child.

    The build of an image is in the child of all its users.
    """
    parts: dict[str, int] = {}
    children_before: dict[str, set[int]] = {}
    for stage in plan.graph.topological():
        predecessors = plan.job(stage).needs
        direct = {parts[predecessor] for predecessor in predecessors if predecessor in parts}
        children_before[stage] = set().union(*(children_before[predecessor] for predecessor in predecessors))
        if stage in named and stage not in pinned:
            parts[stage] = named[stage]
        elif len(direct) == 1 and children_before[stage] == direct and stage not in pinned:
            parts[stage] = direct.pop()
        # A successor of a parent stage that comes after a child is after that child, too.
        if stage in parts or children_before[stage]:
            children_before[stage].add(parts.get(stage, _PARENT))
    for build in filter(builds_dockerfile, plan.jobs):
        of_users = {parts.get(stage, _PARENT) for stage in plan.graph.successors(build.stage)}
        if len(of_users) == 1 and _PARENT not in of_users and build.stage not in pinned:
            parts[build.stage] = of_users.pop()
    return parts


def _order(plan: Plan, parts: Mapping[str, int]) -> ExecutionGraph:
    """Return the order of the stages of *plan* if *parts* are children, which have a start and an end there."""
    graph = plan.graph
    arcs: list[tuple[str, ...]] = [(stage,) for stage in graph.nodes]
    for stage, part in parts.items():
        arcs.append((_start(part), stage, _end(part)))
    for earlier, later in graph.arcs:
        if parts.get(earlier) == parts.get(later):
            arcs.append((earlier, later))
        else:
            source = _end(parts[earlier]) if earlier in parts else earlier
            arcs.append((source, _start(parts[later]) if later in parts else later))
    return ExecutionGraph(arcs)


def _start(part: int) -> str:
    return f"\0start {part}"


def _end(part: int) -> str:
    return f"\0end {part}"


def _crossings(plan: Plan, layout: PipelineLayout, parts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the stages that read outputs or files across the boundaries of *parts*, and a message for each."""
    owners = {pipeline_job.job.name: pipeline_job.stage for pipeline_job in layout.pipeline_jobs}
    for pipeline_job in layout.pipeline_jobs:
        for producer in dict.fromkeys(owners[need.job] for need in pipeline_job.job.needs if need.artifacts):
            if producer in parts and parts[producer] != parts.get(pipeline_job.stage):
                yield pipeline_job.stage, _crossing(plan, producer, pipeline_job.stage)
    image_outputs = {Output(job.stage, name) for job in plan.jobs for name in job.expanded}
    for job in plan.jobs if image_outputs else ():
        for output in job.inputs:
            # Variables of a dotenv report are not passed on to another pipeline.
            if output in image_outputs and job.stage in parts and parts.get(output.stage) != parts[job.stage]:
                yield job.stage, _image_crossing(plan.job(output.stage), output, job)


def _image_crossing(producer: Job, output: Output, job: Job) -> str:
    """Return the message about *output* of *producer* in the image name of *job*."""
    if builds_dockerfile(producer):
        return f'stage "{job.title}" shares its "{producer.stage}" with a stage outside the child pipeline'
    reference = f"${{{output.stage}.{output.name}}}"
    return f'stage "{job.title}" uses {reference} in an image name, which a child pipeline cannot get'


def _generator_crossings(plan: Plan, parts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the stages that start a file of a stage in another pipeline, if *parts* are children, and a message."""
    for job in plan.jobs:
        files = [file for step in job.steps if isinstance(step, TriggerJob) for file in step.include]
        for file in files:
            if file.stage and parts.get(file.stage) != parts.get(job.stage):
                yield job.stage, f'stage "{job.title}" starts a file of "{file.stage}", which is in another pipeline'


def _crossing(plan: Plan, producer: str, reader: str) -> str:
    """Return the message about a read across a boundary."""
    output = next((output for output in plan.job(reader).inputs if output.stage == producer), None)
    subject = f"${{{output.stage}.{output.name}}}" if output is not None else f'files of "{producer}"'
    return f'stage "{reader}" reads {subject}, which a child pipeline of --split cannot return'


def _title(plan: Plan, names: Sequence[str]) -> str:
    """Return the name of the child of the stages *names*: their common prefix, or else the first name."""
    if len(names) == sum(not job.is_final for job in plan.jobs):
        return plan.name
    names = [name for name in names if not builds_dockerfile(plan.job(name))]
    common = re.sub(r"[^A-Za-z0-9]+$", "", _common_prefix(min(names), max(names)))
    return common if len(common) >= _SHORTEST_TITLE else names[0]


def _common_prefix(first: str, second: str) -> str:
    """Return the common prefix of two texts: of the first and last of sorted names, it is common to all."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return "".join(letter for letter, _ in pairs)


def _waits(plan: Plan, order: ExecutionGraph, report: Report) -> tuple[str, ...]:
    """Report waits in *order* that the arcs do not require; return notes on them."""
    graph = plan.graph
    required, actual = graph.closure(), order.closure()
    own = (1 << len(graph.nodes)) - 1
    groups: dict[int, list[str]] = {}
    builds = {job.stage for job in plan.jobs if builds_dockerfile(job)}
    for stage in graph.nodes:
        if stage in builds:
            continue
        added = actual.mask(stage) & own & ~required.mask(stage)
        if added:
            groups.setdefault(added, []).append(stage)
    if not groups:
        return ()
    shown = list(groups.items())[:_SHOWN_WAITS]
    descriptions = [f"{_quoted(names)} for {_quoted(required.names(mask))}" for mask, names in shown]
    hidden_count = len(groups) - len(descriptions)
    pairs = sum(mask.bit_count() * len(names) for mask, names in groups.items())
    report.add(
        codes.CHILD_WAITS,
        "child pipelines add waits that the graph does not require: "
        f"{'; '.join([*descriptions, *([f'and {hidden_count} more'] if hidden_count else [])])} "
        f"({pairs} {'pair' if pairs == 1 else 'pairs'} of stages in all)",
        at=plan.job(shown[0][1][0]).span,
        label="waits longer than necessary",
        hint="a stage with an added wait is skipped when the other stage fails; pass other stages to --split",
    )
    notes = [f"Added wait: {line}." for line in descriptions]
    if hidden_count:
        notes.append(f"And {hidden_count} more added waits.")
    return (*notes, "When a stage fails, those that wait for it do not run, added waits included.")


def _quoted(names: Sequence[str]) -> str:
    return listed(names, limit=_SHOWN_NAMES)


def known_groups(plans: Sequence[Plan], groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return *groups* without names that match no stage of *plans*."""
    known = (
        tuple(name for name in group if any(_matching_stages(plan, (name,)) for plan in plans)) for group in groups
    )
    return tuple(group for group in known if group)


def _check_names(plans: Sequence[Plan], groups: Sequence[Sequence[str]], report: Report) -> None:
    jobs = [job for plan in plans for job in plan.jobs if not job.is_final and not builds_dockerfile(job)]
    known = list(dict.fromkeys(job.title for job in jobs))
    for name in dict.fromkeys(name for group in groups for name in group):
        if not any(_matching_stages(plan, (name,)) for plan in plans):
            suggested = suggestion(name, known)
            report.add(
                codes.UNKNOWN_SPLIT_STAGE,
                f'--split names stage "{name}", which does not exist or cannot be split off',
                at=Span(plans[0].span.file, 0, 0),
                hint=f'write "--split {suggested}"' if suggested else f"the stages are {listed(known, limit=10)}",
            )


def _matching_stages(plan: Plan, group: Sequence[str]) -> list[str]:
    """Return the stages of *plan* that *group* names: a matrix by its name, or as `pipeline: stage`."""
    return [
        job.stage
        for job in plan.jobs
        if not job.is_final
        and not builds_dockerfile(job)
        and any(name in group for title in (job.stage, job.title) for name in (title, f"{plan.name}: {title}"))
    ]


def _pinned(plan: Plan, layout: PipelineLayout, settings: GitLabSettings) -> Iterator[tuple[str, str]]:
    """Yield each stage that must be in the parent, and the reason."""
    in_settings = _reasons_in_settings(settings)
    for job in plan.jobs:
        if job.is_final:
            for stage in (*read_stages(job), *(stage for stage in job.statuses if stage)):
                yield stage, f'the finally stage "{job.title}" reads it'
        deployment = job.deployment
        if deployment.approval is not None or deployment.environment is not None or job.raw or in_settings:
            for reason in (*_reasons_of_part(job), *_reasons(job, plan, layout, in_settings)):
                yield job.stage, reason


def _reasons_in_settings(settings: GitLabSettings) -> dict[str, str]:
    """Return why the stages that *settings* name cannot be in any child."""
    publications = [publication for publication in (settings.pages, *settings.release) if publication is not None]
    earlier = [stage for _, stage in settings.include_stages if stage]
    return {
        **dict.fromkeys(earlier, "jobs of included files come after it"),
        **{publication.stage: "it publishes for the project" for publication in publications},
    }


def _reasons_of_part(job: Job) -> Iterator[str]:
    """Yield why *job* cannot be in a child of some stages of its pipeline."""
    environment = job.deployment.environment
    if job.deployment.approval is not None:
        yield "it waits for an approval, and the child would not end before"
    if environment is not None and (environment.stops or environment.on_stop):
        yield "GitLab stops an environment from the pipeline that created it"


def _reasons(job: Job, plan: Plan, layout: PipelineLayout, in_settings: Mapping[str, str]) -> Iterator[str]:
    """Yield why *job* cannot be in any child."""
    if job.raw_for("gitlab") is not None:
        yield 'its GitLab keys ("raw") may have another meaning there'
    names = (layout.stage_jobs[job.stage].job, *setting_names(plan, job)) if in_settings else ()
    yield from (in_settings[name] for name in names if name in in_settings)
