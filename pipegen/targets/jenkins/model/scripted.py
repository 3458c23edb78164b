"""A script: stages that are declared, and how they start."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.stages import Selected, StageBlock, Teardown
from pipegen.targets.jenkins.model.steps import Agent, Step
from pipegen.targets.jenkins.model.tables import Tables


class Chunk(Struct, kw_only=True):
    """Stages declared together: in *function*, or in place where it is ""."""

    function: str
    selected: Selected
    stages: tuple[StageBlock, ...]


class RootList(Struct):
    """A *function* that returns some of the first stages of a pipeline that has very many."""

    function: str
    names: tuple[str, ...]


class PipelineRoots(Struct):
    """A pipeline whose stages have their own workspaces, from *roots* on; *end* is what finally stages come after.

    *lists* hold the roots in their place where there are too many.
    """

    pipeline: str
    selected: Selected
    roots: tuple[str, ...]
    end: str = ""
    lists: tuple[RootList, ...] = ()


class SharedRun(Struct, kw_only=True):
    """A pipeline whose stages all run in one workspace, from *roots* on, else as `Run`."""

    pipeline: str
    selected: Selected
    agent: Agent
    prepare: tuple[Step, ...]
    roots: tuple[str, ...]
    teardown: Teardown | None
    end: str = ""
    lists: tuple[RootList, ...] = ()


class ScriptedPipelines(Struct, kw_only=True):
    """`addStage` calls and how they start: pipeline by pipeline where some have one workspace, else all at once.

    Attributes:
        calls: the chunks by the function that calls theirs; () where that is done in place.
        tables: what is in place of the calls where there would be too many.
        branches: the pipelines by the function that starts them; () where that is done in place.
        deepest: how many `parallel` the driver puts into each other at most, until half of them have ended; 0 for the
            plain driver, which does not count them.
    """

    chunks: tuple[Chunk, ...]
    calls: tuple[tuple[Chunk, ...], ...] = ()
    tables: Tables | None = None
    branches: tuple[tuple[PipelineRoots | SharedRun, ...], ...] = ()
    runs: tuple[PipelineRoots, ...]
    shared: tuple[SharedRun, ...]
    teardown: Teardown | None
    deepest: int = 0
