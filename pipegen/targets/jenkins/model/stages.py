"""Stages, and what stands around all of them."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.steps import Agent, ContainerAgent, Sh, Step


class StageBlock(Struct, kw_only=True):
    """A stage.

    Attributes:
        name: as it is shown; unique in the file.
        pipeline: the pipeline it belongs to.
        after: the stages directly before it.
        agent: None where it needs no agent of its own.
        container: what its steps run in, on the agent around it; None where they say it themselves.
        steps: what it does.
        steps_function: the function that holds the steps, "" where they stand in place.
        on_failure: what happens once the stage has failed.
        failure_function: the function that holds that, "" where it stands in place.
        fail_fast: the pipeline of which nothing new starts once this stage has failed, "" for none.
        may_be_unstable: whether it may fail without being a failure.
        tells_success: whether its last step says that it has succeeded, for `post` to ask.
        condition: the Groovy expression that says whether it runs, "" where it always does.
    """

    name: str
    pipeline: str
    after: tuple[str, ...]
    agent: Agent | None
    container: ContainerAgent | None = None
    steps: tuple[Step, ...]
    steps_function: str = ""
    on_failure: tuple[Step, ...] = ()
    failure_function: str = ""
    fail_fast: str = ""
    may_be_unstable: bool = False
    tells_success: bool = False
    condition: str = ""


class Selected(Struct):
    """Whether one of some pipelines runs in this build; empty where that is not asked."""

    pipelines: tuple[str, ...] = ()


class Teardown(Struct, kw_only=True):
    """What removes all that stages share, whatever happened."""

    agent: Agent | None
    selected: Selected
    sh: Sh


class Look(Struct, kw_only=True):
    """What is looked at before all stages, since conditions ask for it: the files of the repository, and what changed.

    *bases* are the branches that it is compared with, beside the usual base where it *has_usual*.
    """

    agent: Agent
    bases: tuple[str, ...]
    has_usual: bool


class Pin(Struct):
    """The agent that is chosen at the start for stages that share images or containers."""

    agent: Agent
    selected: Selected
