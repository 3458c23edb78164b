"""Steps of a stage."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.expressions import Value


class Checkout(Struct):
    """A fresh checkout, by the function that does it."""

    kind: ClassVar[str] = "checkout"
    function: str


class Echo(Struct):
    """A line in the log."""

    kind: ClassVar[str] = "echo"
    text: str


class Sh(Struct, kw_only=True):
    """A shell script.

    *prelude* is the function that returns how it starts, "" when nothing comes before *lines*. One that *tells_status*
    fails with its exit code.
    """

    kind: ClassVar[str] = "sh"
    prelude: str = ""
    lines: tuple[str, ...]
    tells_status: bool = False

    @property
    def is_indentable(self) -> bool:
        """Whether each line may be indented without changing what it means; that of an interpreter may not."""
        return not any("\n" in line for line in self.lines) and not (self.lines and self.lines[0].startswith("#!"))


class Unstash(Struct):
    """The files of an earlier stage; one that *is_optional* may have left none."""

    kind: ClassVar[str] = "unstash"
    name: str
    is_optional: bool = False


class Stash(Struct, kw_only=True):
    """Files for later stages; where it *is_told*, some of these ask whether it is there."""

    kind: ClassVar[str] = "stash"
    name: str
    includes: str
    excludes: str = ""
    holds_user_files: bool
    may_be_empty: bool
    is_told: bool = False


class Archive(Struct):
    """Files for people, by Ant patterns; a *folder* of their own may then be removed, for stages after in its place."""

    kind: ClassVar[str] = "archive"
    includes: str
    folder: str = ""
    is_removed: bool = False
    excludes: str = ""


class Binding(Struct):
    """A credential as `withCredentials` binds it: the symbol, and each argument with its text."""

    symbol: str
    arguments: tuple[tuple[str, str], ...]


class WithCredentials(Struct):
    """Steps that may read secrets."""

    kind: ClassVar[str] = "credentials"
    bindings: tuple[Binding, ...]
    steps: tuple[Step, ...]


class NoFork(Struct):
    """The end of a stage that a change from a fork has no right to."""

    kind: ClassVar[str] = "no-fork"


class StartJob(Struct, kw_only=True):
    """Another job of the same Jenkins."""

    kind: ClassVar[str] = "job"
    job: str
    parameters: tuple[tuple[str, Value], ...]
    propagate: bool
    wait: bool


class Keep(Struct):
    """The texts of some files, read while their agent is there; *paths* are within `.pipegen`."""

    kind: ClassVar[str] = "keep"
    paths: tuple[str, ...]


class SendMail(Struct, kw_only=True):
    """A mail; *to* is a comma-separated list."""

    kind: ClassVar[str] = "mail"
    to: Value
    subject: Value
    body: Value


class Agent(Struct):
    """Where steps run: on an agent with *label* ("" is any), or on the one that was chosen at the start."""

    label: str = ""
    is_pinned: bool = False


class ContainerAgent(Struct, kw_only=True):
    """An agent that is a container of *image* on the node of the pipeline, with *args* for the container engine."""

    image: str
    args: str
    is_pulled: bool


class OnAgent(Struct):
    """Steps that take an agent for themselves."""

    kind: ClassVar[str] = "agent"
    agent: Agent
    steps: tuple[Step, ...]


class Wrapped(Struct):
    """Steps inside a block step; *head* is Groovy that is complete but for the block, such as `retry(2)`.

    *plugin* offers the step, "" for one that any Jenkins with pipelines has.
    """

    kind: ClassVar[str] = "wrapped"
    head: str
    steps: tuple[Step, ...]
    plugin: str = ""


class GroovyStatement(Struct):
    """A step as Groovy that is complete, and the *plugin* that offers it, "" for one that is always there."""

    kind: ClassVar[str] = "statement"
    text: str
    plugin: str = ""


class Ensured(Struct, kw_only=True):
    """Steps, what follows *on_failure* of them, and what follows *always*; the failure stays one."""

    kind: ClassVar[str] = "ensured"
    steps: tuple[Step, ...]
    on_failure: tuple[Step, ...] = ()
    always: tuple[Step, ...] = ()


class Succeeded(Struct):
    """The end of the steps of *stage*, noted for those that ask what came of it."""

    kind: ClassVar[str] = "succeeded"
    stage: str


class ServiceContainer(Struct, kw_only=True):
    """A container beside that of a stage; *args* and *command* are shell text."""

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
    steps: tuple[Step, ...]


class WithAfter(Struct):
    """Steps, and a script that runs once they have ended, whatever happened; its failure does not count."""

    kind: ClassVar[str] = "after"
    sh: Sh
    steps: tuple[Step, ...]


# A block around other steps.
Around: TypeAlias = WithCredentials | OnAgent | Wrapped | Ensured | WithAfter | InImage
Step: TypeAlias = (
    "Checkout | Echo | Sh | Unstash | Stash | Archive | WithCredentials | StartJob | SendMail | OnAgent | Wrapped "
    "| GroovyStatement | Ensured | WithAfter | InImage | Succeeded | Keep | NoFork"
)
