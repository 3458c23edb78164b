"""A stage as a job: what it does, when and where, what it reads and leaves."""

from __future__ import annotations

from pipegen.bindings.expression import Items, Text
from pipegen.plan.model.conditions import Condition
from pipegen.plan.model.deployments import Deployment
from pipegen.plan.model.limits import Limits
from pipegen.plan.model.machine import Machine
from pipegen.plan.model.retention import DEFAULT_RETENTION, NO_REPORTS, Cache, Reports, Retention, Reuse
from pipegen.plan.model.steps import Credential, IdToken, Line, Output, Step
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import SpannedStruct, Struct

# What holds where the user says nothing.
_MACHINE = Machine()
_LIMITS = Limits()
_DEPLOYMENT = Deployment()


class Mail(SpannedStruct, kw_only=True):
    """A mail for the case that a stage fails; it reads no output of that stage."""

    to: Items[Text]
    subject: Text
    body: Text
    span: Span


class Artifact(SpannedStruct, kw_only=True):
    """Files that a job leaves for its descendants: a path relative to the checkout.

    *path* is None where the path is known only at run time. What *overwrites* files that
    an ancestor leaves must come after those, in whatever order an engine fetches the two.
    A path holds `*` and `**` only where the user means any name. What *is_declared* the user says
    in `artifacts`; no step puts it there. What *is_kept* people may download too; what does not
    travel only they get.
    """

    path: str | None
    span: Span
    overwrites: bool = False
    is_declared: bool = False
    is_kept: bool = False
    travels: bool = True


class SharedResources(Struct, kw_only=True):
    """What of a job outlives it because other jobs use it."""

    image: bool = False
    container: bool = False
    release: bool = False
    # Paths that other jobs copy out of the job's container, in order; for engines whose jobs share no daemon.
    container_paths: tuple[Text, ...] = ()

    @property
    def needs_daemon(self) -> bool:
        """Whether readers need the very daemon that the job used (or a registry)."""
        return self.image or self.container


class Combination(Struct):
    """A combination of a matrix: the stage as it is written, and each axis with its value."""

    stage: str
    values: tuple[tuple[str, str], ...]


class Job(SpannedStruct, kw_only=True):
    """What one stage does.

    Attributes:
        stage: the stage's name.
        pipeline: the name of its pipeline.
        slug: letters, digits, `-`, `_` and `.`; unique in the file; for paths and names.
        span: the value of the stage's `name` key.
        frame: which frame of the graph it stands in, from 0; None for finally stages.
        needs: the arcs' direct predecessors, in the order the arcs name them.
        reads: other stages' outputs as the user wrote them.
        binds: what it binds, in order, without `stage`.
        inputs: other stages' outputs whose values its steps and mail use, renaming exports looked through.
        expanded: those of its outputs that an engine itself puts into a name, that of an image.
        outputs: its own outputs that are an input of another job, in the order it binds them.
        files: ancestors whose artifacts stand in its workspace, in an order that the arcs allow.
        artifacts: the files that it leaves.
        directory: where its steps run, relative to the root of the repository; "." is the root.
        containers: other stages whose containers it copies files from; `container` is then no input.
        condition: what must hold for it to run; None always holds. A job whose condition does not hold is skipped,
            and those after it run as if it had succeeded, in the same order.
        machine: where it runs.
        secrets: the credentials around its script, beside those of its steps.
        id_tokens: tokens by which the engine vouches for the run.
        after: commands that run once its steps have ended, whatever happened, in a shell of their own.
        limits: how often, how long, and what a failure means.
        gate: what it waits for beside its needs.
        keeping: how its artifacts are kept.
        reports: what the engine shows of it.
        caches: files that later runs find again.
        is_final: whether it is a finally stage: it runs once after all others, whatever happened.
        statuses: the stages whose status it reads, "" for that of the pipeline; only finally stages do.
        combination: which combination of a matrix it is; None for a stage without one.
        raw: keys that only one target knows, by its name.
        reuse: what a result of an earlier run that is taken in its place depends on; None where none may be.
    """

    stage: str
    pipeline: str
    slug: str
    span: Span
    frame: int | None
    needs: tuple[str, ...]
    reads: tuple[Output, ...]
    binds: tuple[str, ...]
    inputs: tuple[Output, ...]
    outputs: tuple[str, ...]
    files: tuple[str, ...]
    artifacts: tuple[Artifact, ...]
    directory: str
    steps: tuple[Step, ...]
    mail: Mail | None
    shared: SharedResources
    containers: tuple[str, ...] = ()
    expanded: tuple[str, ...] = ()
    condition: Condition | None = None
    machine: Machine = _MACHINE
    secrets: tuple[Credential, ...] = ()
    id_tokens: tuple[IdToken, ...] = ()
    after: tuple[Line, ...] = ()
    limits: Limits = _LIMITS
    deployment: Deployment = _DEPLOYMENT
    retention: Retention = DEFAULT_RETENTION
    reports: Reports = NO_REPORTS
    caches: tuple[Cache, ...] = ()
    is_final: bool = False
    statuses: tuple[str, ...] = ()
    combination: Combination | None = None
    raw: tuple[tuple[str, TreeMapping], ...] = ()
    reuse: Reuse | None = None

    @property
    def title(self) -> str:
        """The stage as the user names it: a combination's is that of its matrix."""
        return self.combination.stage if self.combination is not None else self.stage
