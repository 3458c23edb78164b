"""The jobs of a pipeline: what each stage does, with what the others want of it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import chain
from posixpath import normpath

from pipegen.bindings.namespaces import Namespaces
from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.consumers import containers_of, expanded_outputs, shared
from pipegen.plan.files.artifacts import AvailableFiles, wanted_files
from pipegen.plan.files.conflicts import Conflicts, check_conflicts, meetings
from pipegen.plan.files.readers import artifacts, reads_files
from pipegen.plan.model import (
    Artifact,
    Combination,
    Condition,
    Job,
    Limits,
    Line,
    Machine,
    Mail,
    Output,
    SharedResources,
    Step,
)
from pipegen.plan.stage.deployments import stopping
from pipegen.plan.stage.secrets import StageSecrets
from pipegen.plan.stage.settings import StageSettings
from pipegen.structs import Struct

_SHARES_NOTHING = SharedResources()


class StagePlan(Struct, kw_only=True):
    """What one stage does in *directory*, before it is known what others want of it.

    *inputs* are the outputs of other stages that it uses, *reads* those that the user's values name.
    """

    stage: StageConfig
    directory: str
    steps: tuple[Step, ...]
    mail: Mail | None
    beside: StageSettings
    machine: Machine
    secrets: StageSecrets
    after: tuple[Line, ...]
    inputs: tuple[Output, ...]
    reads: tuple[Output, ...]
    limits: Limits
    statuses: tuple[str, ...]
    condition: Condition | None

    def left(self) -> tuple[Artifact, ...]:
        """Return the files that the stage leaves for others: those that it says, and what its steps copy."""
        found = {one.path: one for one in artifacts(self.steps, self.directory)}
        for one in self.beside.kept.artifacts:
            if one.travels:
                found[one.path] = one
        return tuple(found.values())

    def only_for_people(self) -> tuple[Artifact, ...]:
        """Return the files that the stage leaves for nobody but people."""
        return tuple([one for one in self.beside.kept.artifacts if not one.travels])


class StageOrder(Struct):
    """The order of a pipeline's stages: the graph, all of its relation at once, and its frames."""

    graph: ExecutionGraph
    closure: Closure
    frames: Sequence[Sequence[str]]


class Ancestors(Struct):
    """The stages that run before *stage*, asked one by one."""

    closure: Closure
    stage: str

    def __contains__(self, other: object) -> bool:
        # A stage that stands in no arc runs before nothing.
        return isinstance(other, str) and other in self.closure.places and self.closure.is_before(other, self.stage)


class _Wanted(Struct, kw_only=True):
    """What the stages of a pipeline want of each other.

    *outputs* are the inputs of all, *expanded* those in the names of images; *shared* is what outlives a stage that
    others use.
    """

    outputs: Container[Output]
    expanded: frozenset[Output]
    shared: Mapping[str, SharedResources]

    @classmethod
    def of(cls, work: Mapping[str, StagePlan]) -> _Wanted:
        """Return what stages that do *work* want."""
        inputs = [one.inputs for one in work.values()]
        return cls(
            outputs=set(chain.from_iterable(inputs)),
            expanded=expanded_outputs([one.machine for one in work.values()]),
            shared=shared(inputs, {name: one.steps for name, one in work.items()}),
        )


class _Files(Struct, kw_only=True):
    """What files the stages leave: *before* the finally stages, all, and what of them *met*."""

    before: Mapping[str, tuple[Artifact, ...]]
    left: Mapping[str, tuple[Artifact, ...]]
    met: Conflicts

    @classmethod
    def of(cls, work: Mapping[str, StagePlan], closure: Closure, final: Container[str]) -> _Files:
        """Return the files of stages that do *work*."""
        left = {name: found for name, one in work.items() if (found := one.left())}
        before = {name: found for name, found in left.items() if name not in final}
        return cls(before=before, left=left, met=meetings(before, closure))


def directory_of(stage: StageConfig, pipeline: PipelineConfig) -> str:
    """Return where *stage* runs, relative to the root of the repository."""
    directory = stage.directory or pipeline.directory
    return normpath(directory.value) if directory else "."


def jobs(
    work: Mapping[str, StagePlan],
    pipeline: str,
    order: StageOrder,
    namespaces: Namespaces,
    slugs: Mapping[str, str],
    report: Report,
) -> tuple[Job, ...]:
    """Return the jobs of *pipeline* in the order in which its stages are written; *work* is in one of the arcs."""
    frame_of = {stage: number for number, frame in enumerate(order.frames) for stage in frame}
    wanted, files = _Wanted.of(work), _Files.of(work, order.closure, namespaces.final)
    stops = frozenset(one.on_stop for each in work.values() if (one := each.beside.deployment.environment) is not None)
    found, takings = [], []
    for name in namespaces.stages:
        if name not in work:
            continue
        is_final = name in namespaces.final
        taken: tuple[str, ...] = ()
        if files.before or work[name].stage.files_from is not None:
            ancestors = order.closure.places if is_final else Ancestors(order.closure, name)
            offered = AvailableFiles(namespaces.groups, files.before, ancestors, namespaces.final)
            taken = _taken(work[name], offered, report, is_stop=name in stops)
            takings.append(taken)
        found.append(
            _job(
                work[name],
                pipeline,
                slugs[name],
                frame=frame_of.get(name),
                needs=() if is_final else order.graph.predecessors(name),
                binds=tuple(namespaces.bound[name])[1:],
                files=taken,
                artifacts=files.met.marked(name, files.left.get(name, ())),
                wanted=wanted,
            )
        )
    check_conflicts(takings, files.met, order.closure, namespaces.stages, report)
    return stopping(found, report)


def _job(
    work: StagePlan,
    pipeline: str,
    slug: str,
    *,
    frame: int | None,
    needs: tuple[str, ...],
    binds: tuple[str, ...],
    files: tuple[str, ...],
    artifacts: tuple[Artifact, ...],
    wanted: _Wanted,
) -> Job:
    stage, name, beside, of = work.stage, work.stage.name.value, work.beside, work.stage.combination
    outputs = tuple([bound for bound in binds if Output(name, bound) in wanted.outputs])
    expanded = [bound for bound in outputs if Output(name, bound) in wanted.expanded] if wanted.expanded else ()
    return Job(
        stage=name,
        pipeline=pipeline,
        slug=slug,
        span=stage.name.span,
        frame=frame,
        needs=needs,
        reads=work.reads,
        binds=binds,
        inputs=work.inputs,
        outputs=outputs,
        files=files,
        artifacts=(*artifacts, *work.only_for_people()),
        directory=work.directory,
        steps=work.steps,
        mail=work.mail,
        shared=wanted.shared.get(name, _SHARES_NOTHING),
        containers=containers_of(name, work.steps),
        expanded=tuple(expanded),
        condition=work.condition,
        machine=work.machine,
        secrets=work.secrets.credentials,
        id_tokens=work.secrets.id_tokens,
        after=work.after,
        limits=work.limits,
        deployment=beside.deployment,
        retention=beside.kept.retention,
        reports=beside.kept.reports,
        caches=beside.caches,
        is_final=frame is None,
        statuses=work.statuses,
        combination=Combination(f"{stage.within}{of.stage}", of.values) if of is not None else None,
        raw=beside.raw,
        reuse=beside.reuse,
    )


def _taken(work: StagePlan, offered: AvailableFiles, report: Report, *, is_stop: bool) -> tuple[str, ...]:
    """Return the stages whose files a job gets: all ancestors' when it reads files, else of those it reads from.

    A finally stage has no ancestors: it gets the files of those that it names. So does a stage that *is_stop*: what
    others left may be gone when a person starts it.
    """
    wanted = wanted_files(work.stage, offered, work.inputs, report)
    if wanted is not None:
        return wanted
    is_final = work.stage.name.value in offered.final
    takes_all = (reads_files(work.steps) or work.after) and not is_final and not is_stop
    sources = offered.ancestors if takes_all else {output.stage for output in work.inputs}
    return tuple([stage for stage in offered.left if stage in sources])
