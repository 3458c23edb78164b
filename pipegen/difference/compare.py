"""Comparison of two versions of a config."""

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
    PipelineSummary,
    Prompt,
    Rename,
    UnmatchedStage,
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
    """Return the differences in meaning of *new* from *old*."""
    pairs = _paired(old, new)
    matched_names = {old_plan.name for old_plan, _ in pairs}, {new_plan.name for _, new_plan in pairs}
    differences = [_pipeline(old_plan, new_plan, old, new) for old_plan, new_plan in pairs]
    return ConfigDifference(
        old=old.name,
        new=new.name,
        inputs=_named(_inputs(old), _inputs(new)),
        targets=_named(_targets(old), _targets(new)),
        added=tuple(_summary(plan, new) for plan in new.plans if plan.name not in matched_names[1]),
        removed=tuple(_summary(plan, old) for plan in old.plans if plan.name not in matched_names[0]),
        pipelines=tuple(pipeline for pipeline in differences if pipeline.has_changes),
        is_timed=new.times is not None,
    )


def _paired(old: Version, new: Version) -> list[tuple[Plan, Plan]]:
    """Return the pipelines of both, in the order of *new*; a pipeline that differs only in its name is renamed."""
    by_name = {plan.name: plan for plan in old.plans}
    names = {plan.name for plan in new.plans}
    removed = [plan for plan in old.plans if plan.name not in names]
    pairs: list[tuple[Plan, Plan]] = []
    for plan in new.plans:
        old_plan = by_name.get(plan.name) or next(
            (candidate for candidate in removed if _is_same(candidate, plan, old, new)), None
        )
        if old_plan is not None:
            removed = [candidate for candidate in removed if candidate is not old_plan]
            pairs.append((old_plan, plan))
    return pairs


def _is_same(old_plan: Plan, new_plan: Plan, old: Version, new: Version) -> bool:
    difference_ = _pipeline(old_plan, new_plan, old, new)
    rest = (difference_.changes, difference_.added, difference_.removed, difference_.renamed, difference_.changed)
    return not any((*rest, difference_.gained.count, difference_.lost.count))


def _pipeline(old_plan: Plan, new_plan: Plan, old: Version, new: Version) -> PipelineDifference:
    names = renamed(old_plan, new_plan)
    old_jobs = {names.get(job.stage, job.stage): job for job in old_plan.jobs}
    new_jobs = {job.stage: job for job in new_plan.jobs}
    graph = _with_names(old_plan.graph, names)
    gained, lost = difference(graph, new_plan.graph), difference(new_plan.graph, graph)
    prompts = _prompts(old_jobs), _prompts(new_jobs)
    return PipelineDifference(
        name=new_plan.name,
        old_name=old_plan.name,
        changes=changes(pipeline_keys(old_plan), pipeline_keys(new_plan)),
        added=tuple(
            _unmatched(stage, new_plan.graph, changes({}, stage_keys(job, {})))
            for stage, job in new_jobs.items()
            if stage not in old_jobs
        ),
        removed=tuple(
            _unmatched(stage, graph, changes(stage_keys(job, names), {}))
            for stage, job in old_jobs.items()
            if stage not in new_jobs
        ),
        renamed=_titles(old_plan, new_plan, names),
        changed=_changed(old_jobs, new_jobs, names),
        gained=Pairs(gained.pairs, tuple((wait.earlier, wait.later) for wait in gained.waits)),
        lost=Pairs(lost.pairs, tuple((wait.earlier, wait.later) for wait in lost.waits)),
        old_path=_path(old_plan, old, names),
        new_path=_path(new_plan, new),
        newly_asked=tuple(prompt for prompt in prompts[1] if prompt not in prompts[0]),
        no_longer_asked=tuple(prompt for prompt in prompts[0] if prompt not in prompts[1]),
    )


def _with_names(graph: ExecutionGraph, names: Mapping[str, str]) -> ExecutionGraph:
    if not names:
        return graph
    arcs = ((names.get(earlier, earlier), names.get(later, later)) for earlier, later in graph.arcs)
    return ExecutionGraph([*((names.get(stage, stage),) for stage in graph.nodes), *arcs])


def _titles(old_plan: Plan, new_plan: Plan, names: Mapping[str, str]) -> tuple[Rename, ...]:
    """Return the renamed stages; for a matrix, the stage as the user wrote it."""
    old_titles = {job.stage: job.title for job in old_plan.jobs}
    new_titles = {job.stage: job.title for job in new_plan.jobs}
    pairs = dict.fromkeys((old_titles[old], new_titles[new]) for old, new in names.items())
    return tuple(Rename(old, new) for old, new in pairs)


def _unmatched(stage: str, graph: ExecutionGraph, changes_: tuple[KeyChange, ...]) -> UnmatchedStage:
    if stage not in graph:
        return UnmatchedStage(stage, (), (), changes_)
    return UnmatchedStage(stage, graph.predecessors(stage), graph.successors(stage), changes_)


def _changed(
    old_jobs: Mapping[str, Job], new_jobs: Mapping[str, Job], names: Mapping[str, str]
) -> tuple[ChangedStages, ...]:
    """Return the changes of stages in both versions, grouped by equal changes."""
    file_stages = {
        stage for stage, job in new_jobs.items() if job.artifacts and stage in old_jobs and old_jobs[stage].artifacts
    }
    by_changes: dict[tuple[KeyChange, ...], list[str]] = {}
    for stage, job in new_jobs.items():
        if stage in old_jobs:
            key_changes = changes(stage_keys(old_jobs[stage], names, file_stages), stage_keys(job, {}, file_stages))
            if key_changes:
                by_changes.setdefault(key_changes, []).append(stage)
    return tuple(ChangedStages(tuple(stages), key_changes) for key_changes, stages in by_changes.items())


def _path(plan: Plan, version: Version, names: Mapping[str, str] = _NO_NAMES) -> LongestPath:
    """Return the longest path of *plan*, with its stages by their new *names*."""
    times = version.times[plan.name] if version.times is not None else None
    stages = longest_path(plan.graph, times)
    length = len(stages) if times is None else sum(times[stage] for stage in stages)
    return LongestPath(tuple(names.get(stage, stage) for stage in stages), length)


def _prompts(jobs: Mapping[str, Job]) -> tuple[Prompt, ...]:
    """Return the prompts of *jobs*, which are by their new names."""
    prompts: dict[Prompt, None] = {}
    for stage, job in jobs.items():
        if job.deployment.approval is not None:
            prompts[Prompt(stage, "")] = None
        prompts |= dict.fromkeys(Prompt(stage, secret) for secret in secrets(job))
    return tuple(prompts)


def _summary(plan: Plan, version: Version) -> PipelineSummary:
    jobs = {job.stage: job for job in plan.jobs}
    return PipelineSummary(plan.name, tuple(jobs), _path(plan, version), _prompts(jobs))


def _inputs(version: Version) -> dict[str, Keys]:
    return {parameter.name: input_keys(parameter) for parameter in version.inputs}


def _targets(version: Version) -> dict[str, Keys]:
    trees = {name: node(settings) for name, settings in version.settings.items()}
    return {name: tree if isinstance(tree, dict) else {} for name, tree in trees.items()}


def _named(old: Mapping[str, Keys], new: Mapping[str, Keys]) -> tuple[NamedChange, ...]:
    named_changes: list[NamedChange] = []
    for name in dict.fromkeys((*old, *new)):
        key_changes = changes(old.get(name, {}), new.get(name, {}))
        if name not in old:
            named_changes.append(NamedChange(name, ChangeKind.ADDED, key_changes))
        elif name not in new:
            named_changes.append(NamedChange(name, ChangeKind.REMOVED, key_changes))
        elif key_changes:
            named_changes.append(NamedChange(name, ChangeKind.CHANGED, key_changes))
    return tuple(named_changes)
