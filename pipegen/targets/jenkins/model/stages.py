"""Stages, and the parts around all of them."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.expressions import EnvironmentVariable
from pipegen.targets.jenkins.model.steps import Agent, ContainerAgent, InputStep, PodAgent, Sh, Step


class Tool(Struct, kw_only=True):
    """A tool that Jenkins installs, and the variable that holds its folder."""

    type: str
    name: str
    home: str


class StageOption(Struct):
    """A block step around a whole stage, complete except for the block, and the *plugin* that provides it."""

    text: str
    plugin: str


class StageBlock(Struct, kw_only=True):
    """A stage.

    Attributes:
        name: the display name, unique in the file.
        pipeline: its pipeline.
        after: the stages directly before it.
        agent: None if it needs no agent of its own.
        container: the container of its steps, on its agent; None if the steps contain it.
        pod: the pod of its steps; None if the steps take it.
        tools: the tools on its PATH in a declarative file; none if the steps put them there.
        approval: the question before it, None if the steps contain it; *approval_name* is the stage that asks.
        options: the block steps around its agent, the outermost first.
        environment: the variables of its steps.
        always: the steps that follow in any case; *unsuccessful* those that follow a failure or the end of a stopped
            run, *failure* those that only follow a failure.
        steps: its steps.
        steps_function: the function that contains the steps, "" if they are in place.
        on_failure: the steps after a failure.
        failure_function: the function that contains these, "" if they are in place.
        fail_fast: the pipeline that starts no more stages once this stage has failed, "" for none.
        may_be_unstable: whether its failure is allowed.
        tells_success: whether its last step records its success, for `post` to read.
        condition: the Groovy expression for whether it runs, "" if it always does.
        when: the same as the lines of `when`, for Declarative.
    """

    name: str
    pipeline: str
    after: tuple[str, ...]
    agent: Agent | None
    container: ContainerAgent | None = None
    pod: PodAgent | None = None
    tools: tuple[Tool, ...] = ()
    steps: tuple[Step, ...]
    steps_function: str = ""
    on_failure: tuple[Step, ...] = ()
    failure_function: str = ""
    fail_fast: str = ""
    may_be_unstable: bool = False
    tells_success: bool = False
    condition: str = ""
    when: tuple[str, ...] = ()
    approval: InputStep | None = None
    approval_name: str = ""
    options: tuple[StageOption, ...] = ()
    environment: tuple[EnvironmentVariable, ...] = ()
    always: tuple[Step, ...] = ()
    unsuccessful: tuple[Step, ...] = ()
    failure: tuple[Step, ...] = ()


class StepsFunction(Struct):
    """A function with the *steps* of several stages; *comment* says what they do."""

    name: str
    comment: str
    steps: tuple[Step, ...]


class Selected(Struct):
    """The condition that one of some pipelines runs in this build; empty if it is always true.

    The pipeline *is_alone* if the file has no others. Declarative may have *lines* of `when` in place of a call.
    """

    pipelines: tuple[str, ...] = ()
    is_alone: bool = False
    lines: tuple[str, ...] = ()


class Teardown(Struct, kw_only=True):
    """The removal of everything that stages share, whatever happened."""

    agent: Agent | None
    selected: Selected
    sh: Sh


class Look(Struct, kw_only=True):
    """The search, before all stages, for files of the repository and changes that conditions need.

    With *lists_files*, conditions ask which files there are. *bases* are the branches to compare with, in addition to
    the default base if *has_usual*.
    """

    agent: Agent
    lists_files: bool
    bases: tuple[str, ...]
    has_usual: bool


class Pin(Struct):
    """The agent, chosen at the start, of stages that share images or containers."""

    agent: Agent
    selected: Selected
