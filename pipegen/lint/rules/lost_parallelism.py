"""Waits that no binding and no file needs, and that make the longest path longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pipegen.config.model import PipelineConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.execution import ExecutionGraph
from pipegen.lint.base import Checked
from pipegen.lint.effects import may_have_effects
from pipegen.lint.owners import owners
from pipegen.plan.model import CachePolicy, Job, Plan, Workspace
from pipegen.source.text import Span
from pipegen.structs import Struct


def check(checked: Checked, report: Report) -> None:
    """Report stages that could start earlier; one that has effects, or a condition, may wait for good reason."""
    for pipeline, plan in zip(checked.pipelines, checked.plans, strict=True):
        # In one workspace, each stage may find what others leave.
        if pipeline.arcs is not None and plan.workspace is Workspace.ISOLATED:
            _check(pipeline, plan, report)


class _Stages(Struct):
    """The stages that arcs name: their order, and what is known of each."""

    graph: ExecutionGraph
    jobs: Mapping[str, Sequence[Job]]
    owners: Mapping[str, str]
    plain: frozenset[str]
    makers: frozenset[str]
    depths: Mapping[str, int]

    @classmethod
    def of(cls, pipeline: PipelineConfig, plan: Plan) -> _Stages:
        """Return the stages of *pipeline*, the jobs of *plan* taken together that one name stands for."""
        known = owners(pipeline, plan)
        graph = ExecutionGraph(
            (one, other)
            for arc in pipeline.arcs or ()
            for one, other in ((one.value, other.value) for one, other in arc.pairs())
        )
        jobs: dict[str, list[Job]] = {}
        special: set[str] = set()
        makers: set[str] = set()
        for job in plan.jobs:
            owner = known[job.stage]
            jobs.setdefault(owner, []).append(job)
            if may_have_effects(job) or job.condition is not None or job.limits.allow_failure is not None:
                special.add(owner)
            if job.artifacts or job.outputs or job.shared.needs_daemon or (owner in graph and graph.out_degree(owner)):
                makers.add(owner)
        return cls(
            graph,
            jobs,
            known,
            frozenset(name for name in graph.nodes if name in jobs and name not in special),
            frozenset(makers),
            _depths(graph.topological(), graph.predecessors),
        )

    def read(self, name: str) -> Iterator[str]:
        """Yield the stages that *name* has something of, those just before it soon."""
        for job in self.jobs[name]:
            outputs = (output.stage for output in (*job.reads, *job.inputs))
            yield from (self.owners[one] for one in (*outputs, *job.containers, *reversed(job.files)))

    def is_filled(self, name: str, before: str) -> bool:
        """Return whether *name* only takes a cache that *before* leaves."""
        left = {cache.key for job in self.jobs[before] for cache in job.caches if cache.policy is not CachePolicy.PULL}
        return any(
            cache.policy is CachePolicy.PULL and cache.key in left for job in self.jobs[name] for cache in job.caches
        )


def _check(pipeline: PipelineConfig, plan: Plan, report: Report) -> None:
    stages = _Stages.of(pipeline, plan)
    graph, depths = stages.graph, stages.depths
    heights = _depths(reversed(graph.topological()), graph.successors)
    longest = max((depths[name] + heights[name] for name in graph.nodes), default=0)
    critical = [name for name in graph.nodes if depths[name] + heights[name] == longest]
    side_by_side = Counter(depths[name] for name in critical)
    for name in critical:
        # What nothing comes after, and nobody reads, is there for an effect that it may well have to wait with.
        # Of several that start at once on paths of the same length, one that starts earlier makes none of them shorter.
        if side_by_side[depths[name]] == 1 and name in stages.plain & stages.makers and (idle := _idle(name, stages)):
            _report(name, idle, pipeline, report)


def _idle(name: str, stages: _Stages) -> tuple[str, ...]:
    """Return the stages for which *name* waits longer than it needs to; none where it needs one of those."""
    last = [one for one in stages.graph.predecessors(name) if stages.depths[one] + 1 == stages.depths[name]]
    if not all(one in stages.plain for one in last):
        return ()
    if any(stages.is_filled(name, one) for one in last):
        return ()
    is_needed = any(stages.depths.get(one, -1) + 1 >= stages.depths[name] for one in stages.read(name))
    return () if is_needed else tuple(last)


def _depths(order: Iterable[str], before: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """Return how many stages stand on the longest path up to each one, without itself."""
    found: dict[str, int] = {}
    for name in order:
        found[name] = max((found[one] + 1 for one in before(name)), default=0)
    return found


def _report(name: str, idle: tuple[str, ...], pipeline: PipelineConfig, report: Report) -> None:
    waits = {
        (one.value, other.value): (one.span, other.span) for arc in pipeline.arcs or () for one, other in arc.pairs()
    }
    spans = [waits[one, name] for one in idle]
    labels: dict[Span, Label] = {span: Label(span, "needs nothing of this") for span, _ in spans}
    report.add(
        codes.LOST_PARALLELISM,
        f'"{name}" waits for {listed(idle)}, and needs nothing of {"it" if len(idle) == 1 else "them"}: '
        "side by side, the longest path is a stage shorter",
        at=spans[0][1],
        also=labels.values(),
        hint=f'let what comes after "{name}" wait for {"both" if len(idle) == 1 else "all of them"}; '
        "or keep the arc, if nothing is to start once those have failed",
    )
