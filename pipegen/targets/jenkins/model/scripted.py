"""A script: stages that are declared, and how they start."""

from __future__ import annotations

from dataclasses import dataclass

from pipegen.targets.jenkins.model.stages import Selected, Stage, Teardown
from pipegen.targets.jenkins.model.steps import Agent, Step


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """Stages declared together: in *function*, or in place where it is ""."""

    function: str
    selected: Selected
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A pipeline whose stages have their own workspaces, from *roots* on; *end* is what finally stages come after."""

    pipeline: str
    selected: Selected
    roots: tuple[str, ...]
    end: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedRun:
    """A pipeline whose stages all run in one workspace, from *roots* on; *end* is what finally stages come after."""

    pipeline: str
    selected: Selected
    agent: Agent
    prepare: tuple[Step, ...]
    roots: tuple[str, ...]
    teardown: Teardown | None
    end: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scripted:
    """`addStage` calls and how they start: pipeline by pipeline where some have one workspace, else all at once.

    Attributes:
        deepest: how many `parallel` the driver puts into each other at most, until half of them have ended; 0 for the
            plain driver, which does not count them.
    """

    chunks: tuple[Chunk, ...]
    runs: tuple[Run, ...]
    shared: tuple[SharedRun, ...]
    teardown: Teardown | None
    deepest: int = 0
