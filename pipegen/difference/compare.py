"""Two versions of a config, compared."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pipegen.difference.keys import Keys, changes, input_keys, pipeline_keys, secrets, stage_keys
from pipegen.difference.model import (
    ChangedStages,
    ChangeKind,
    ConfigDifference,
    KeyChange,
    LongestPath,
    NamedChange,
    Pairs,
    PipelineDifference,
    PlacedStage,
    Prompt,
    Renamed,
    Whole,
)
from pipegen.difference.renames import renamed
from pipegen.difference.values import node
from pipegen.difference.version import Version
from pipegen.graph.difference import difference
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.paths import longest_path
from pipegen.plan.model import Job, Plan

_NO_NAMES: Mapping[str, str] = MappingProxyType({})


def compare(old: Version, new: Version) -> ConfigDifference:
    """Return what *new* does differently from *old*."""
    pairs = _paired(old, new)
    matched = {one.name for one, _ in pairs}, {other.name for _, other in pairs}
    found = [_pipeline(one, other, old, new) for one, other in pairs]
    return ConfigDifference(
        old=old.name,
        new=new.name,
        inputs=_named(_inputs(old), _inputs(new)),
        targets=_named(_targets(old), _targets(new)),
        added=tuple(_whole(plan, new) for plan in new.plans if plan.name not in matched[1]),
        removed=tuple(_whole(plan, old) for plan in old.plans if plan.name not in matched[0]),
        pipelines=tuple(one for one in found if one.is_any),
        is_timed=new.times is not None,
    )


def _paired(old: Version, new: Version) -> list[tuple[Plan, Plan]]:
    """Return the pipelines that both have, in the order of *new*; one that is the same but for its name is one too."""
    known = {plan.name: plan for plan in old.plans}
    names = {plan.name for plan in new.plans}
    gone = [plan for plan in old.plans if plan.name not in names]
    pairs: list[tuple[Plan, Plan]] = []
    for plan in new.plans:
        before = known.get(plan.name) or next((one for one in gone if _is_same(one, plan, old, new)), None)
        if before is not None:
            gone = [one for one in gone if one is not before]
            pairs.append((before, plan))
    return pairs


def _is_same(one: Plan, other: Plan, old: Version, new: Version) -> bool:
    found = _pipeline(one, other, old, new)
    rest = (found.changes, found.added, found.removed, found.renamed, found.changed)
    return not any((*rest, found.gained.count, found.lost.count))


def _pipeline(one: Plan, other: Plan, old: Version, new: Version) -> PipelineDifference:
    names = renamed(one, other)
    before = {names.get(job.stage, job.stage): job for job in one.jobs}
    after = {job.stage: job for job in other.jobs}
    graph = _with_names(one.graph, names)
    gained, lost = difference(graph, other.graph), difference(other.graph, graph)
    asked = _asked(before), _asked(after)
    return PipelineDifference(
        name=other.name,
        old_name=one.name,
        changes=changes(pipeline_keys(one), pipeline_keys(other)),
        added=tuple(
            _placed(stage, other.graph, changes({}, stage_keys(job, {})))
            for stage, job in after.items()
            if stage not in before
        ),
        removed=tuple(
            _placed(stage, graph, changes(stage_keys(job, names), {}))
            for stage, job in before.items()
            if stage not in after
        ),
        renamed=_titles(one, other, names),
        changed=_changed(before, after, names),
        gained=Pairs(gained.pairs, tuple((wait.earlier, wait.later) for wait in gained.waits)),
        lost=Pairs(lost.pairs, tuple((wait.earlier, wait.later) for wait in lost.waits)),
        old_path=_path(one, old, names),
        new_path=_path(other, new),
        newly_asked=tuple(found for found in asked[1] if found not in asked[0]),
        asked_no_more=tuple(found for found in asked[0] if found not in asked[1]),
    )


def _with_names(graph: ExecutionGraph, names: Mapping[str, str]) -> ExecutionGraph:
    if not names:
        return graph
    arcs = ((names.get(earlier, earlier), names.get(later, later)) for earlier, later in graph.arcs)
    return ExecutionGraph([*((names.get(stage, stage),) for stage in graph.nodes), *arcs])


def _titles(one: Plan, other: Plan, names: Mapping[str, str]) -> tuple[Renamed, ...]:
    """Return what is renamed: of a matrix, the stage as the user wrote it."""
    before = {job.stage: job.title for job in one.jobs}
    after = {job.stage: job.title for job in other.jobs}
    pairs = dict.fromkeys((before[old], after[new]) for old, new in names.items())
    return tuple(Renamed(old, new) for old, new in pairs)


def _placed(stage: str, graph: ExecutionGraph, told: tuple[KeyChange, ...]) -> PlacedStage:
    if stage not in graph:
        return PlacedStage(stage, (), (), told)
    return PlacedStage(stage, graph.predecessors(stage), graph.successors(stage), told)


def _changed(
    before: Mapping[str, Job], after: Mapping[str, Job], names: Mapping[str, str]
) -> tuple[ChangedStages, ...]:
    """Return what is different about the stages of both; those that differ alike stand together."""
    leaving = {stage for stage, job in after.items() if job.artifacts and stage in before and before[stage].artifacts}
    found: dict[tuple[KeyChange, ...], list[str]] = {}
    for stage, job in after.items():
        if stage in before:
            told = changes(stage_keys(before[stage], names, leaving), stage_keys(job, {}, leaving))
            if told:
                found.setdefault(told, []).append(stage)
    return tuple(ChangedStages(tuple(stages), told) for told, stages in found.items())


def _path(plan: Plan, version: Version, names: Mapping[str, str] = _NO_NAMES) -> LongestPath:
    """Return the longest path of *plan*, its stages by their new *names*."""
    times = version.times[plan.name] if version.times is not None else None
    stages = longest_path(plan.graph, times)
    length = len(stages) if times is None else sum(times[stage] for stage in stages)
    return LongestPath(tuple(names.get(stage, stage) for stage in stages), length)


def _asked(jobs: Mapping[str, Job]) -> tuple[Prompt, ...]:
    """Return what *jobs*, by their new names, ask of people."""
    found: dict[Prompt, None] = {}
    for stage, job in jobs.items():
        if job.deployment.approval is not None:
            found[Prompt(stage, "")] = None
        found |= dict.fromkeys(Prompt(stage, secret) for secret in secrets(job))
    return tuple(found)


def _whole(plan: Plan, version: Version) -> Whole:
    jobs = {job.stage: job for job in plan.jobs}
    return Whole(plan.name, tuple(jobs), _path(plan, version), _asked(jobs))


def _inputs(version: Version) -> dict[str, Keys]:
    return {one.name: input_keys(one) for one in version.inputs}


def _targets(version: Version) -> dict[str, Keys]:
    found = {name: node(settings) for name, settings in version.settings.items()}
    return {name: tree if isinstance(tree, dict) else {} for name, tree in found.items()}


def _named(old: Mapping[str, Keys], new: Mapping[str, Keys]) -> tuple[NamedChange, ...]:
    found: list[NamedChange] = []
    for name in dict.fromkeys((*old, *new)):
        told = changes(old.get(name, {}), new.get(name, {}))
        if name not in old:
            found.append(NamedChange(name, ChangeKind.ADDED, told))
        elif name not in new:
            found.append(NamedChange(name, ChangeKind.REMOVED, told))
        elif told:
            found.append(NamedChange(name, ChangeKind.CHANGED, told))
    return tuple(found)
