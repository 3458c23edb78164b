"""The jobs of a pipeline: what each stage does, and which of its resources other stages use."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress

from pipegen.bindings.namespaces import Namespaces
from pipegen.config.model import StageConfig
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.consumers import containers_of, expanded_outputs, own_outputs, shared
from pipegen.plan.files.artifacts import AvailableFiles, child_generators, chosen_sources, leaves_raw_files
from pipegen.plan.files.conflicts import Conflicts, check_conflicts, find_conflicts
from pipegen.plan.files.readers import reads_files
from pipegen.plan.model import (
    Artifact,
    Combination,
    Job,
    Output,
    SharedResources,
)
from pipegen.plan.model.steps import declares
from pipegen.plan.stage.deployments import with_stop_environments
from pipegen.plan.stage_plan import StagePlan
from pipegen.structs import Struct

_SHARES_NOTHING = SharedResources()
# The digits of a binary number as numbers.
_DIGITS = bytes.maketrans(b"01", b"\0\1")


class StageOrder(Struct):
    """The order of a pipeline's stages: the graph, its closure, and its frames."""

    graph: ExecutionGraph
    closure: Closure
    frames: Sequence[Sequence[str]]


class Ancestors(Struct):
    """The stages that run before *stage*, as a container."""

    closure: Closure
    stage: str

    def __contains__(self, other: object) -> bool:
        # A stage in no arc has no order.
        return isinstance(other, str) and other in self.closure.positions and self.closure.is_before(other, self.stage)


class _Used(Struct, kw_only=True):
    """Outputs and resources that the stages of a pipeline use of each other.

    *outputs* are the inputs of all stages, and the same outputs of scripts of the other combinations of a matrix, which
    thus have the same work; *expanded* are the inputs in image names; *shared* are the resources that other stages use.
    """

    outputs: Collection[Output]
    expanded: frozenset[Output]
    shared: Mapping[str, SharedResources]

    @classmethod
    def of(cls, work: Mapping[str, StagePlan]) -> _Used:
        """Return the outputs and files that the stages in *work* use of each other."""
        inputs = [stage.inputs for stage in work.values()]
        own = (own_outputs(name, stage.settings.plugin_steps) for name, stage in work.items())
        outputs = set(chain.from_iterable((*inputs, *own)))
        return cls(
            outputs=outputs.union(_of_other_combinations(outputs, work)),
            expanded=expanded_outputs([stage.machine for stage in work.values()]),
            shared=shared(inputs, {name: stage.steps for name, stage in work.items()}),
        )


def _of_other_combinations(outputs: Collection[Output], work: Mapping[str, StagePlan]) -> Iterator[Output]:
    """Yield the *outputs* of scripts that a combination of a matrix has, for all its combinations."""
    titles = {name: combination.stage for name, plan in work.items() if (combination := _combination(plan.stage))}
    read: dict[str, set[str]] = {}
    for output in outputs:
        if output.stage in titles and declares(work[output.stage].steps, output.name):
            read.setdefault(titles[output.stage], set()).add(output.name)
    for stage, title in titles.items():
        yield from (Output(stage, name) for name in read.get(title, ()))


class _Files(Struct, kw_only=True):
    """The files that stages leave: those of stages *before* the finally stages, all, and their *conflicts*.

    *raw* are the stages before these that leave files by keys for one target.
    """

    before: Mapping[str, tuple[Artifact, ...]]
    raw: Collection[str]
    # The positions of both in an order that the arcs allow, raw ones last.
    leaving: Mapping[str, int]
    all: Mapping[str, tuple[Artifact, ...]]
    conflicts: Conflicts
    # The ancestors of each stage that are in *before*, as bits: the highest is the first of these.
    ancestors: Mapping[str, int]

    @classmethod
    def of(cls, work: Mapping[str, StagePlan], order: StageOrder, final: Container[str]) -> _Files:
        """Return the files of stages that do *work*, in *order*."""
        files = {name: artifacts for name, stage in work.items() if (artifacts := stage.files())}
        before = {name: artifacts for name, artifacts in files.items() if name not in final}
        raw = {name: None for name, stage in work.items() if name not in final and leaves_raw_files(stage.settings.raw)}
        return cls(
            before=before,
            raw=raw,
            leaving={name: position for position, name in enumerate({**before, **raw})},
            all=files,
            conflicts=find_conflicts(before, order.closure),
            ancestors=_ancestors([*before], order.graph) if before else {},
        )

    def artifact_paths(self, name: str) -> tuple[str | None, ...]:
        """Return the paths of the artifacts of stage *name*, None for a run-time value; none if some are raw."""
        return () if name in self.raw else tuple(artifact.path for artifact in self.all.get(name, ()))

    def of_ancestors(self, name: str, closure: Closure) -> tuple[str, ...]:
        """Return the ancestors of stage *name* that leave files; one in no arc has no ancestors."""
        # One digit for each of these stages; a tuple of their names is the quadratic part of a plan.
        digits = f"{self.ancestors.get(name, 0):0{len(self.before)}b}".encode().translate(_DIGITS)
        raw = [stage for stage in self.raw if stage in Ancestors(closure, name) and stage not in self.before]
        return (*compress(self.before, digits), *raw)

    def ordered(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of *names* that leave files, also raw ones, in an order that the arcs allow."""
        return tuple(sorted(filter(self.leaving.__contains__, names), key=self.leaving.__getitem__))


def jobs(
    work: Mapping[str, StagePlan],
    pipeline: str,
    order: StageOrder,
    namespaces: Namespaces,
    slugs: Mapping[str, str],
    report: Report,
) -> tuple[Job, ...]:
    """Return the jobs of *pipeline* in the order of the file; *work* is in an order that the arcs allow."""
    frame_of = {stage: number for number, frame in enumerate(order.frames) for stage in frame}
    used, files = _Used.of(work), _Files.of(work, order, namespaces.final)
    stops = frozenset(
        environment.on_stop
        for stage_plan in work.values()
        if (environment := stage_plan.settings.deployment.environment) is not None
    )
    sources = {
        name: _sources(work[name], order.closure, files, namespaces, report, is_stop=name in stops)
        for name in namespaces.stages
        if name in work
    }
    stage_sources = {
        name: tuple([source for source in own if source in files.before]) if files.raw else own
        for name, own in sources.items()
    }
    conflicts = files.conflicts.replaced(stage_sources.values(), order.closure)
    pipeline_jobs = [
        _job(
            work[name],
            pipeline,
            slugs[name],
            _GraphFacts(
                frame=frame_of.get(name),
                needs=() if name in namespaces.final else order.graph.predecessors(name),
                binds=tuple(namespaces.bound[name])[1:],
                files=stage_sources[name],
                raw_files=tuple([source for source in own if source in files.raw]) if files.raw else (),
                artifacts=conflicts.marked(name, files.all.get(name, ())),
            ),
            used,
        )
        for name, own in sources.items()
    ]
    check_conflicts(stage_sources.values(), conflicts, order.closure, namespaces.stages, report)
    return with_stop_environments(pipeline_jobs, report)


def _sources(
    work: StagePlan, closure: Closure, files: _Files, namespaces: Namespaces, report: Report, *, is_stop: bool
) -> tuple[str, ...]:
    """Return the stages whose files the stage of *work* gets, in an order that the arcs allow.

    These are all ancestors if it reads files, else the ones whose outputs it reads, and those that generate the child
    pipeline that it starts. A finally stage has no ancestors: it gets the files of the stages that it names. The same
    applies to a stage that stops an environment (*is_stop*): the files of others may have expired when a person starts
    it.
    """
    stage, name = work.stage, work.stage.name.value
    if not files.leaving and stage.files_from is None and stage.trigger is None:
        return ()
    is_final = name in namespaces.final
    ancestors = closure.positions if is_final else Ancestors(closure, name)
    available = AvailableFiles(namespaces.groups, files.leaving, ancestors, namespaces.final)
    generating = {*child_generators(stage, available, files.artifact_paths, report)}
    chosen = chosen_sources(stage, available, work.inputs, report)
    if chosen is not None:
        return files.ordered({*chosen, *generating}) if generating else chosen
    has_readers = reads_files(work.steps) or work.after or work.settings.plugin_steps is not None
    if has_readers and not (is_final or is_stop):
        return files.of_ancestors(name, closure)
    producers = (output.stage for output in work.inputs if output.stage in files.before)
    return files.ordered({*producers, *generating})


def _ancestors(stages: Sequence[str], graph: ExecutionGraph) -> dict[str, int]:
    """Return the ancestors of each node of *graph* that are in *stages*, as bits: the highest is the first of these."""
    own = {name: 1 << number for number, name in enumerate(reversed(stages))}
    ancestors: dict[str, int] = {}
    for name in graph.topological():
        mask = 0
        for earlier in graph.predecessors(name):
            mask |= ancestors[earlier] | own.get(earlier, 0)
        ancestors[name] = mask
    return ancestors


class _GraphFacts(Struct, kw_only=True):
    """The facts about a stage that follow from its place in the graph."""

    frame: int | None
    needs: tuple[str, ...]
    binds: tuple[str, ...]
    files: tuple[str, ...]
    raw_files: tuple[str, ...]
    artifacts: tuple[Artifact, ...]


def _job(work: StagePlan, pipeline: str, slug: str, facts: _GraphFacts, used: _Used) -> Job:
    stage, name, settings = work.stage, work.stage.name.value, work.settings
    outputs = _among(used.outputs, name, facts.binds)
    return Job(
        stage=name,
        pipeline=pipeline,
        slug=slug,
        span=stage.name.span,
        frame=facts.frame,
        needs=facts.needs,
        reads=work.reads,
        binds=facts.binds,
        forwarded=tuple(work.forwarded.items()),
        inputs=work.inputs,
        outputs=outputs,
        files=facts.files,
        artifacts=(*facts.artifacts, *work.only_for_people()),
        directory=work.directory,
        fetch=work.fetch,
        steps=work.steps,
        mail=work.mail,
        shared=used.shared.get(name, _SHARES_NOTHING),
        containers=containers_of(name, work.steps),
        expanded=_among(used.expanded, name, outputs),
        cases=work.cases,
        condition=work.condition,
        machine=work.machine,
        secrets=work.secrets.credentials,
        id_tokens=work.secrets.id_tokens,
        after=work.after,
        limits=work.limits,
        deployment=settings.deployment,
        retention=settings.files.retention,
        reports=settings.files.reports,
        caches=settings.caches,
        posts=stage.posts,
        statuses=work.statuses,
        on_status=stage.on_status,
        combination=_combination(stage),
        plugin_steps=settings.plugin_steps,
        raw=settings.raw,
        raw_files=facts.raw_files,
        reuse=settings.reuse,
        templates=stage.templates,
    )


def _among(outputs: Collection[Output], stage: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of *names* that are among *outputs* of *stage*."""
    return tuple([name for name in names if Output(stage, name) in outputs]) if outputs else ()


def _combination(stage: StageConfig) -> Combination | None:
    of = stage.combination
    return Combination(f"{stage.within}{of.stage}", of.values) if of is not None else None
