"""Stages in child pipelines, where `--split` names them.

A child hands nothing back: no artifact of it is seen outside. So all that reads a stage of a child is in that child;
what children read of the parent they fetch. A child starts when all that comes before any of its stages has ended, and
what comes after one of its stages comes after all of them. So children must not wait for each other in a circle, and
they may add waits: those are reported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Job, Output, Plan
from pipegen.source.text import Span
from pipegen.structs import Struct
from pipegen.targets.gitlab.files.layout import PipelineLayout
from pipegen.targets.gitlab.needs.awaited import read_stages
from pipegen.targets.gitlab.settings import GitLabSettings

_PARENT = -1
# A wide graph has waits without end; these are enough to see what is meant.
_TOLD_WAITS, _TOLD_NAMES = 3, 3
_SHORTEST_TITLE = 3


class Split(Struct, kw_only=True):
    """The child that each stage in one is in, what the children are called, and notes on the waits that they add."""

    parts: Mapping[str, int]
    titles: Mapping[int, str]
    notes: tuple[str, ...] = ()


_WHOLE = Split(parts={}, titles={})


def split(
    plans: Sequence[Plan],
    laid: Sequence[PipelineLayout],
    settings: GitLabSettings,
    groups: Sequence[Sequence[str]],
    report: Report,
) -> tuple[Split, ...]:
    """Return the children that *groups* of stages make of *plans*, as they are *laid* out.

    What cannot be cut off is reported, and waits that this adds.
    """
    _check_names(plans, groups, report)
    return tuple(_split(plan, one, settings, groups, report) for plan, one in zip(plans, laid, strict=True))


def _split(
    plan: Plan, laid: PipelineLayout, settings: GitLabSettings, groups: Sequence[Sequence[str]], report: Report
) -> Split:
    named: dict[str, int] = {}
    for part, group in enumerate(groups):
        named = dict.fromkeys(_meant(plan, group), part) | named
    pinned = dict(_pinned(plan, laid, settings))
    parts = _parts(plan, named, pinned)
    mistakes = [
        (stage, f'stage "{stage}" cannot be in a child pipeline: {why}')
        for stage, why in pinned.items()
        if stage in named
    ]
    mistakes += _crossings(plan, laid, parts)
    made = _order(plan, parts)
    if made.cycles():
        mistakes.append((next(iter(named)), "a child pipeline of --split would wait for what waits for it"))
    for stage, message in mistakes:
        report.add(
            codes.CUT_CROSSED,
            message,
            at=plan.job(stage).span,
            hint="let what reads a stage be in its child, name other stages to --split, or leave it out: a file that "
            "is too big is split all the same, and stays one pipeline",
        )
    if mistakes or not parts:
        return _WHOLE
    members = {part: [stage for stage in parts if parts[stage] == part] for part in dict.fromkeys(parts.values())}
    titles = {part: _title(plan, names) for part, names in members.items()}
    return Split(parts=parts, titles=titles, notes=_waits(plan, made, report))


def _parts(plan: Plan, named: Mapping[str, int], pinned: Collection[str]) -> dict[str, int]:
    """Return the children of the stages *named*, and of what comes after them and after no other child."""
    parts: dict[str, int] = {}
    behind: dict[str, set[int]] = {}
    for stage in plan.graph.topological():
        before = plan.job(stage).needs
        direct = {parts[one] for one in before if one in parts}
        behind[stage] = set().union(*(behind[one] for one in before))
        if stage in named and stage not in pinned:
            parts[stage] = named[stage]
        elif len(direct) == 1 and behind[stage] == direct and stage not in pinned:
            parts[stage] = direct.pop()
        # What comes after a stage of the parent that comes after a child is after that one, too.
        if stage in parts or behind[stage]:
            behind[stage].add(parts.get(stage, _PARENT))
    return parts


def _order(plan: Plan, parts: Mapping[str, int]) -> ExecutionGraph:
    """Return the order of the stages of *plan* when *parts* are children, which have a start and an end there."""
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


def _crossings(plan: Plan, laid: PipelineLayout, parts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the stages that read what does not get to them across the cuts of *parts*, and messages on it."""
    owners = {one.job.name: one.stage for one in laid.made}
    for one in laid.made:
        for producer in dict.fromkeys(owners[need.job] for need in one.job.needs if need.artifacts):
            if producer in parts and parts[producer] != parts.get(one.stage):
                yield one.stage, _crossing(plan, producer, one.stage)
    told = {Output(job.stage, name) for job in plan.jobs for name in job.expanded}
    for job in plan.jobs if told else ():
        for output in job.inputs:
            # Variables of a dotenv report are not handed on to another pipeline.
            if output in told and job.stage in parts and parts.get(output.stage) != parts[job.stage]:
                what = f"${{{output.stage}.{output.name}}}"
                yield job.stage, f'stage "{job.title}" has {what} in the name of an image, which no child is told'


def _crossing(plan: Plan, producer: str, reader: str) -> str:
    """Return what crosses a cut the wrong way."""
    output = next((output for output in plan.job(reader).inputs if output.stage == producer), None)
    what = f"${{{output.stage}.{output.name}}}" if output is not None else f'files of "{producer}"'
    return f'stage "{reader}" reads {what}, which a child pipeline of --split does not hand back'


def _title(plan: Plan, names: Sequence[str]) -> str:
    """Return what the child of the stages *names* is called: by what their names have in common, else by the first."""
    if len(names) == sum(not job.is_final for job in plan.jobs):
        return plan.name
    common = re.sub(r"[^A-Za-z0-9]+$", "", _beginning(min(names), max(names)))
    return common if len(common) >= _SHORTEST_TITLE else names[0]


def _beginning(one: str, other: str) -> str:
    """Return what both begin with: of the first and the last of sorted names, what all do."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in pairs)


def _waits(plan: Plan, made: ExecutionGraph, report: Report) -> tuple[str, ...]:
    """Report what stages wait for in the order *made* and not in that of the arcs; return notes on it."""
    graph = plan.graph
    asked, waited = graph.closure(), made.closure()
    own = (1 << len(graph.nodes)) - 1
    groups: dict[int, list[str]] = {}
    for stage in graph.nodes:
        added = waited.mask(stage) & own & ~asked.mask(stage)
        if added:
            groups.setdefault(added, []).append(stage)
    if not groups:
        return ()
    shown = list(groups.items())[:_TOLD_WAITS]
    told = [f"{_quoted(names)} for {_quoted(asked.names(mask))}" for mask, names in shown]
    more = len(groups) - len(told)
    pairs = sum(mask.bit_count() * len(names) for mask, names in groups.items())
    report.add(
        codes.CHILD_WAITS,
        "child pipelines add waits that the graph does not ask for: "
        f"{'; '.join([*told, *([f'and {more} more'] if more else [])])} "
        f"({pairs} {'pair' if pairs == 1 else 'pairs'} of stages in all)",
        at=plan.job(shown[0][1][0]).span,
        label="waits longer than it has to",
        hint="a stage that waits for another does not run either when that one fails; name other stages to --split",
    )
    notes = [f"Added wait: {line}." for line in told]
    if more:
        notes.append(f"And {more} added waits more.")
    return (*notes, "When a stage fails, those that wait for it do not run, added waits included.")


def _quoted(names: Sequence[str]) -> str:
    return listed(names, limit=_TOLD_NAMES)


def known_groups(plans: Sequence[Plan], groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return *groups* without the names that no stage of *plans* has."""
    found = (tuple(name for name in group if any(_meant(plan, (name,)) for plan in plans)) for group in groups)
    return tuple(group for group in found if group)


def _check_names(plans: Sequence[Plan], groups: Sequence[Sequence[str]], report: Report) -> None:
    known = list(dict.fromkeys(job.title for plan in plans for job in plan.jobs if not job.is_final))
    for name in dict.fromkeys(name for group in groups for name in group):
        if not any(_meant(plan, (name,)) for plan in plans):
            near = suggestion(name, known)
            report.add(
                codes.UNKNOWN_SPLIT_STAGE,
                f'--split names stage "{name}", which is not there to be cut off',
                at=Span(plans[0].span.file, 0, 0),
                hint=f'write "--split {near}"' if near else f"there are {listed(known, limit=10)}",
            )


def _meant(plan: Plan, group: Sequence[str]) -> list[str]:
    """Return the stages of *plan* that *group* names: a matrix by its name, or `pipeline: stage`."""
    return [
        job.stage
        for job in plan.jobs
        if not job.is_final
        and any(name in group for one in (job.stage, job.title) for name in (one, f"{plan.name}: {one}"))
    ]


def _pinned(plan: Plan, laid: PipelineLayout, settings: GitLabSettings) -> Iterator[tuple[str, str]]:
    """Yield each stage that must be in the parent, and why."""
    published = [one.stage for one in (settings.pages, settings.release) if one is not None]
    for job in plan.jobs:
        if job.is_final:
            for stage in (*read_stages(job), *(stage for stage in job.statuses if stage)):
                yield stage, f'the finally stage "{job.title}" asks for it'
        deployment = job.deployment
        if deployment.approval is not None or deployment.environment is not None or job.raw or published:
            for why in _reasons(job, laid, published):
                yield job.stage, why


def _reasons(job: Job, laid: PipelineLayout, published: Collection[str]) -> Iterator[str]:
    title, environment = laid.places[job.stage].job, job.deployment.environment
    if job.deployment.approval is not None:
        yield "it waits for a person, and a child would never end meanwhile"
    if environment is not None and (environment.stops or environment.on_stop):
        yield "GitLab stops an environment from the pipeline that made it"
    if any(name == "gitlab" for name, _ in job.raw):
        yield 'its keys for GitLab ("raw") may mean more than this file'
    if published and not {job.stage, title, f"{job.pipeline}: {job.stage}"}.isdisjoint(published):
        yield "it publishes for the project"
