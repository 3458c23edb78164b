"""`pipeline {}`: blocks of stages."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.stages import Selected, StageBlock, StepsFunction, Teardown, Tool
from pipegen.targets.jenkins.model.steps import Agent, PodAgent


class Chain(Struct, kw_only=True):
    """Consecutive stages; *name* is shown if there are several."""

    name: str
    selected: Selected
    stages: tuple[StageBlock, ...]


class Block(Struct):
    """Parallel chains; *name* is shown if there are several.

    These run if *selected* holds, with the lines *when* of the same test.
    """

    name: str
    chains: tuple[Chain, ...]
    selected: Selected = Selected()
    when: tuple[str, ...] = ()


class Declarative(Struct, kw_only=True):
    """`pipeline {}`: *agent* is the agent of all stages in a shared workspace, else None.

    *group* is the stage around all others that takes the agent, "" if the pipeline does. *tools* are those of all
    stages on agents. With *reads_branch*, a condition compares the branch, with *tests_condition*, the `when` of stages
    contains the condition of the only pipeline. *final* are the stages after all others, whatever happened; *functions*
    contain the steps that stages share.
    """

    agent: Agent | PodAgent | None
    group: str = ""
    tools: tuple[Tool, ...] = ()
    reads_branch: bool
    tests_condition: bool
    final: tuple[StageBlock, ...]
    blocks: tuple[Block, ...]
    functions: tuple[StepsFunction, ...]
    teardown: Teardown | None
