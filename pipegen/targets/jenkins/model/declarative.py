"""`pipeline {}`: blocks of stages."""

from __future__ import annotations

from dataclasses import dataclass

from pipegen.targets.jenkins.model.stages import Selected, Stage, Teardown
from pipegen.targets.jenkins.model.steps import Agent


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """Stages one after the other; *name* is shown when there are several."""

    name: str
    selected: Selected
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Chains side by side; *name* is shown when there are several."""

    name: str
    chains: tuple[Chain, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Declarative:
    """`pipeline {}`: *agent* is that of all stages in a shared workspace, else None.

    *group* is the stage around all others that takes it, "" where the pipeline does.
    """

    agent: Agent | None
    group: str = ""
    blocks: tuple[Block, ...]
    teardown: Teardown | None
