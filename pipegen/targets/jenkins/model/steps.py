"""The steps of a stage."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.expressions import GroovyCode, Value


class Checkout(Struct):
    """A fresh checkout by the *call* of a function."""

    kind: ClassVar[str] = "checkout"
    call: str


class Echo(Struct):
    """A line in the log."""

    kind: ClassVar[str] = "echo"
    text: str


class Sh(Struct, kw_only=True):
    """A shell script.

    *prelude* is the function that returns its start, "" if nothing precedes *lines*.
    """

    kind: ClassVar[str] = "sh"
    prelude: str = ""
    lines: tuple[str, ...]

    @property
    def is_indentable(self) -> bool:
        """Whether the shell may get each line indented; not within texts, nor in a script of an interpreter."""
        return not any("\n" in line for line in self.lines) and not (self.lines and self.lines[0].startswith("#!"))


class Unstash(Struct):
    """The files of an earlier stage; with *is_optional*, it may have stashed none."""

    kind: ClassVar[str] = "unstash"
    name: Value
    is_optional: bool = False


class Stash(Struct, kw_only=True):
    """Files for later stages; with *is_tested*, some of these check whether the stash exists."""

    kind: ClassVar[str] = "stash"
    name: Value
    includes: Value
    excludes: Value = ""
    has_folders: bool
    may_be_empty: bool
    is_tested: bool = False


class Archive(Struct):
    """Archived files, by Ant patterns; a separate *folder* of them may then be removed for later stages.

    With *has_folders*, Ant's default exclusions do not apply.
    """

    kind: ClassVar[str] = "archive"
    includes: Value
    folder: str = ""
    is_removed: bool = False
    excludes: Value = ""
    has_folders: bool = True


class Binding(Struct):
    """A credential of `withCredentials`: the symbol, its ID, and the variables by the names of their parameters."""

    symbol: str
    credential: str | GroovyCode
    variables: tuple[tuple[str, str], ...]


class WithCredentials(Struct):
    """Steps with access to secrets."""

    kind: ClassVar[str] = "credentials"
    bindings: tuple[Binding, ...]
    steps: tuple[Step, ...]


class InputStep(Struct, kw_only=True):
    """A question that a person answers, one of the comma-separated *submitter* if there are any."""

    kind: ClassVar[str] = "approval"
    message: Value
    submitter: str


class NoFork(Struct):
    """A guard that ends a stage for changes from forks."""

    kind: ClassVar[str] = "no-fork"


class StartJob(Struct, kw_only=True):
    """A start of another job on the same Jenkins; with *is_checked*, its failure may be allowed."""

    kind: ClassVar[str] = "job"
    job: str
    parameters: tuple[tuple[str, Value], ...]
    propagate: bool
    wait: bool
    is_checked: bool = False


class Keep(Struct):
    """A step that reads the texts of files before the agent is released; *paths* are within `.pipegen`."""

    kind: ClassVar[str] = "keep"
    paths: tuple[str, ...]


class SendMail(Struct, kw_only=True):
    """A mail; *to* is a comma-separated list."""

    kind: ClassVar[str] = "mail"
    to: Value
    subject: Value
    body: Value


class Agent(Struct):
    """The agent of steps: one with *label* ("" is any), or with *is_pinned* the one of all stages that share images.

    With *may_be_unset*, the stage that takes that one may not have run; then it is one with *label*. A function of
    several stages has a Groovy *expression* in place of the label.
    """

    label: str = ""
    is_pinned: bool = False
    may_be_unset: bool = False
    expression: str = ""


class PinAgent(Struct):
    """The choice of the current agent for all stages that share images or containers."""

    kind: ClassVar[str] = "pin-agent"


class Registry(Struct):
    """A registry of images, and the ID of the credentials for it."""

    url: str
    credentials: str


class ContainerAgent(Struct, kw_only=True):
    """An agent that is a container of *image*, with *args* for the container engine.

    With *reuses_node*, it runs on the node of the pipeline.
    """

    image: str
    args: str
    is_pulled: bool
    reuses_node: bool
    registry: Registry | None


class PodAgent(Struct):
    """A pod as an agent, with its options in the order of the file."""

    options: tuple[tuple[str, str], ...]


class OnAgent(Struct):
    """Steps that take their own agent."""

    kind: ClassVar[str] = "agent"
    agent: Agent
    steps: tuple[Step, ...]


class InPod(Struct):
    """Steps that run in their own *pod*."""

    kind: ClassVar[str] = "pod"
    pod: PodAgent
    steps: tuple[Step, ...]


class Wrapped(Struct):
    """Steps inside a block step; *head* is complete Groovy except for the block, such as `retry(2)`.

    *plugin* provides the step, "" for one that every Jenkins with pipelines has. With *is_copied*, the user wrote the
    head.
    """

    kind: ClassVar[str] = "wrapped"
    head: str
    steps: tuple[Step, ...]
    plugin: str = ""
    is_copied: bool = False


class GroovyStatement(Struct):
    """A step as complete Groovy, and the *plugin* that provides it, "" for one that always exists.

    *values* are those in the text that Groovy computes.
    """

    kind: ClassVar[str] = "statement"
    text: str
    plugin: str = ""
    values: tuple[Value, ...] = ()


# The head of a block in which steps after a failure are, unless the run was stopped.
NOT_STOPPED = "if (!(error instanceof org.jenkinsci.plugins.workflow.steps.FlowInterruptedException))"


class Ensured(Struct, kw_only=True):
    """Steps, and those that run *on_failure* of them, or *always*; the failure is kept."""

    kind: ClassVar[str] = "ensured"
    steps: tuple[Step, ...]
    on_failure: tuple[Step, ...] = ()
    always: tuple[Step, ...] = ()


class Succeeded(Struct):
    """The end of *stage*, recorded for stages that read its status."""

    kind: ClassVar[str] = "succeeded"
    stage: Value


class ServiceContainer(Struct, kw_only=True):
    """A service container of a stage; *args* and *command* are shell text."""

    image: Value
    args: str
    command: str


class InImage(Struct, kw_only=True):
    """Steps in a container of *image*, with *args* for the container engine."""

    kind: ClassVar[str] = "image"
    image: Value
    args: str
    is_pulled: bool
    services: tuple[ServiceContainer, ...]
    registry: Registry | None
    steps: tuple[Step, ...]


class WithAfter(Struct):
    """Steps, and a script that runs when they have ended, whatever happened; its failure has no effect."""

    kind: ClassVar[str] = "after"
    sh: Sh
    steps: tuple[Step, ...]


# A block around other steps.
Around: TypeAlias = WithCredentials | OnAgent | InPod | Wrapped | Ensured | WithAfter | InImage
Step: TypeAlias = (
    "Checkout | Echo | Sh | Unstash | Stash | Archive | WithCredentials | StartJob | SendMail | OnAgent | InPod "
    "| Wrapped | GroovyStatement | Ensured | WithAfter | InImage | Succeeded | Keep | NoFork | InputStep | PinAgent"
)
