"""A scripted file: declared stages, and the start of the pipelines."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.stages import Selected, StageBlock, StepsFunction, Teardown
from pipegen.targets.jenkins.model.steps import Agent, PodAgent, Step
from pipegen.targets.jenkins.model.tables import Tables


class StageLoop(Struct):
    """The declarations of a *stage* for each combination of values of *axes*; *name* is an expression with these."""

    axes: tuple[tuple[str, tuple[str, ...]], ...]
    name: str
    stage: StageBlock


class Chunk(Struct, kw_only=True):
    """Stages declared together in *function*, or in place if it is "", by *declarations*."""

    function: str
    selected: Selected
    stages: tuple[StageBlock, ...]
    declarations: tuple[StageBlock | StageLoop, ...] = ()


class RootList(Struct):
    """A *function* that returns some of the first stages of a pipeline with very many."""

    function: str
    names: tuple[str, ...]


class PipelineRoots(Struct):
    """A pipeline with isolated workspaces, starting with *roots*; finally stages come after *end*.

    *lists* replace the roots if there are too many.
    """

    pipeline: str
    selected: Selected
    roots: tuple[str, ...]
    end: str
    lists: tuple[RootList, ...] = ()


class SharedRun(Struct, kw_only=True):
    """A pipeline whose stages run in one workspace; otherwise like `PipelineRoots`."""

    pipeline: str
    selected: Selected
    agent: Agent | PodAgent
    prepare: tuple[Step, ...]
    roots: tuple[str, ...]
    teardown: Teardown | None
    end: str
    lists: tuple[RootList, ...] = ()


class ScriptedPipelines(Struct, kw_only=True):
    """`addStage` calls and the start of pipelines: one by one if some have a shared workspace, else all at once.

    Attributes:
        functions: the steps that stages share.
        calls: the chunks by the function that calls theirs; () if they are called in place.
        tables: the tables that replace the calls if there would be too many.
        branches: the pipelines by the function that starts them; () if they are started in place.
        deepest: the maximum nesting of `parallel` blocks in the driver, until half of them have ended; 0 for the
            plain driver, which does not count them.
        fails_fast: whether stages stop others from starting.
        mails: whether steps follow failures of stages.
        reads_statuses: whether stages read the statuses of others.
        shares_agent: whether stages run on one agent because they share images or containers.
    """

    chunks: tuple[Chunk, ...]
    functions: tuple[StepsFunction, ...] = ()
    calls: tuple[tuple[Chunk, ...], ...] = ()
    tables: Tables | None = None
    branches: tuple[tuple[PipelineRoots | SharedRun, ...], ...] = ()
    runs: tuple[PipelineRoots, ...]
    shared: tuple[SharedRun, ...]
    teardown: Teardown | None
    deepest: int = 0
    fails_fast: bool = False
    mails: bool = False
    reads_statuses: bool = False
    shares_agent: bool = False
