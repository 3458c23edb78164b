"""Arcs that no binding and no file needs, and that make the longest path longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pipegen.config.model import PipelineConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.execution import ExecutionGraph
from pipegen.lint.base import CheckedConfig
from pipegen.lint.effects import may_have_effects
from pipegen.lint.owners import owners
from pipegen.plan.model import CachePolicy, Job, Plan, Workspace
from pipegen.source.text import Span
from pipegen.structs import Struct


def check(config: CheckedConfig, report: Report) -> None:
    """Report stages that could start earlier, except those with effects or a condition."""
    for pipeline, plan in zip(config.pipelines, config.plans, strict=True):
        # In a shared workspace, each stage may read files of any other. Depths are those of whole stages.
        is_checked = pipeline.arcs is not None and not any(arc.has_selections for arc in pipeline.arcs)
        if is_checked and plan.workspace is Workspace.ISOLATED:
            _check(pipeline, plan, report)


class _Stages(Struct):
    """The stages in arcs: their order, and the properties of each."""

    graph: ExecutionGraph
    jobs: Mapping[str, Sequence[Job]]
    owners: Mapping[str, str]
    plain: frozenset[str]
    makers: frozenset[str]
    depths: Mapping[str, int]

    @classmethod
    def of(cls, pipeline: PipelineConfig, plan: Plan) -> _Stages:
        """Return the stages of *pipeline*, each with its jobs in *plan*."""
        owner_names = owners(pipeline, plan)
        graph = ExecutionGraph(
            (earlier, later)
            for arc in pipeline.arcs or ()
            for earlier, later in ((earlier.value, later.value) for earlier, later in arc.pairs())
        )
        jobs: dict[str, list[Job]] = {}
        special: set[str] = set()
        makers: set[str] = set()
        for job in plan.jobs:
            owner = owner_names[job.stage]
            jobs.setdefault(owner, []).append(job)
            if may_have_effects(job) or job.condition is not None or job.limits.allow_failure is not None:
                special.add(owner)
            if job.artifacts or job.outputs or job.shared.needs_daemon or (owner in graph and graph.out_degree(owner)):
                makers.add(owner)
        return cls(
            graph,
            jobs,
            owner_names,
            frozenset(name for name in graph.nodes if name in jobs and name not in special),
            frozenset(makers),
            _depths(graph.topological(), graph.predecessors),
        )

    def producers(self, name: str) -> Iterator[str]:
        """Yield the stages whose values or files *name* reads, direct predecessors early."""
        for job in self.jobs[name]:
            outputs = (output.stage for output in (*job.reads, *job.inputs))
            yield from (self.owners[producer] for producer in (*outputs, *job.containers, *reversed(job.files)))

    def only_loads_cache_of(self, name: str, producer: str) -> bool:
        """Return whether *name* only loads a cache that *producer* saves."""
        saved_keys = {
            cache.key for job in self.jobs[producer] for cache in job.caches if cache.policy is not CachePolicy.PULL
        }
        return any(
            cache.policy is CachePolicy.PULL and cache.key in saved_keys
            for job in self.jobs[name]
            for cache in job.caches
        )


def _check(pipeline: PipelineConfig, plan: Plan, report: Report) -> None:
    stages = _Stages.of(pipeline, plan)
    graph, depths = stages.graph, stages.depths
    heights = _depths(reversed(graph.topological()), graph.successors)
    longest = max((depths[name] + heights[name] for name in graph.nodes), default=0)
    critical = [name for name in graph.nodes if depths[name] + heights[name] == longest]
    side_by_side = Counter(depths[name] for name in critical)
    for name in critical:
        # A stage without successors and readers has an effect, which may have to wait.
        # If several critical stages start together, an earlier start of one does not shorten the longest path.
        if (
            side_by_side[depths[name]] == 1
            and name in stages.plain & stages.makers
            and (idle := _unneeded_predecessors(name, stages))
        ):
            _report(name, idle, pipeline, report)


def _unneeded_predecessors(name: str, stages: _Stages) -> tuple[str, ...]:
    """Return the last predecessors of *name* if it needs none of them; else nothing."""
    last = [
        predecessor
        for predecessor in stages.graph.predecessors(name)
        if stages.depths[predecessor] + 1 == stages.depths[name]
    ]
    if not all(predecessor in stages.plain for predecessor in last):
        return ()
    if any(stages.only_loads_cache_of(name, predecessor) for predecessor in last):
        return ()
    is_needed = any(
        stages.depths.get(predecessor, -1) + 1 >= stages.depths[name] for predecessor in stages.producers(name)
    )
    return () if is_needed else tuple(last)


def _depths(order: Iterable[str], predecessors: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """Return the number of stages before each stage on the longest path to it."""
    depths: dict[str, int] = {}
    for name in order:
        depths[name] = max((depths[predecessor] + 1 for predecessor in predecessors(name)), default=0)
    return depths


def _report(name: str, predecessors: tuple[str, ...], pipeline: PipelineConfig, report: Report) -> None:
    arc_spans = {
        (earlier.value, later.value): (earlier.span, later.span)
        for arc in pipeline.arcs or ()
        for earlier, later in arc.pairs()
    }
    spans = [arc_spans[earlier, name] for earlier in predecessors]
    is_one = len(predecessors) == 1
    labels: dict[Span, Label] = {span: Label(span, "uses nothing from this") for span, _ in spans}
    report.add(
        codes.LOST_PARALLELISM,
        f'"{name}" waits for {listed(predecessors)} but uses nothing from {"it" if is_one else "them"}: '
        "in parallel, the longest path is one stage shorter",
        at=spans[0][1],
        related=labels.values(),
        hint=f'let the stages after "{name}" wait for {"both" if is_one else "all of them"}; '
        "or keep the arc if they must not start after a failure",
    )
