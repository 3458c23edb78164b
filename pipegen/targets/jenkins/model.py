"""The nouns of a Jenkinsfile, and only those that are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

# Expressions


@dataclass(frozen=True, slots=True)
class Code:
    """A Groovy expression of our own: no text of a user stands in it."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function with texts as arguments."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """What the loop of *level* (1 is the outermost) is at: its *place*-th word, or all of it where *place* is None."""

    level: int
    place: int | None


@dataclass(frozen=True, slots=True)
class OrElse:
    """*value*, or *default* where it is empty or not there."""

    value: Value
    default: str


@dataclass(frozen=True, slots=True)
class Joined:
    """Texts one after the other."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class OneLine:
    """*value* with its line breaks made blanks when the pipeline runs."""

    value: Value


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file: in the workspace, or, when it *is_shared*, in the folder beside it that stages share."""

    path: str
    is_shared: bool


Value: TypeAlias = "str | Code | Call | Item | OrElse | Joined | OneLine | FileText"

# Steps


@dataclass(frozen=True, slots=True)
class Checkout:
    """A fresh checkout, by the function that does it."""

    kind: ClassVar[str] = "checkout"
    function: str


@dataclass(frozen=True, slots=True)
class Echo:
    """A line in the log."""

    kind: ClassVar[str] = "echo"
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Sh:
    """A shell script: *prelude* is the function that returns how it starts, "" when nothing comes before *lines*."""

    kind: ClassVar[str] = "sh"
    prelude: str = ""
    lines: tuple[str, ...]
    is_indentable: bool = True


@dataclass(frozen=True, slots=True)
class Unstash:
    """The files of an earlier stage."""

    kind: ClassVar[str] = "unstash"
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stash:
    """Files for later stages."""

    kind: ClassVar[str] = "stash"
    name: str
    includes: str
    holds_user_files: bool
    may_be_empty: bool


@dataclass(frozen=True, slots=True)
class Archive:
    """Files for people, by Ant patterns; a *folder* of their own may then be removed, for stages after in its place."""

    kind: ClassVar[str] = "archive"
    includes: str
    folder: str = ""
    is_removed: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """A credential as `withCredentials` binds it: the symbol, and each argument with its text."""

    symbol: str
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WithCredentials:
    """Steps that may read secrets."""

    kind: ClassVar[str] = "credentials"
    bindings: tuple[Binding, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StartJob:
    """Another job of the same Jenkins."""

    kind: ClassVar[str] = "job"
    job: str
    parameters: tuple[tuple[str, Value], ...]
    propagate: bool
    wait: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SendMail:
    """A mail; *to* is a comma-separated list."""

    kind: ClassVar[str] = "mail"
    to: Value
    subject: Value
    body: Value


@dataclass(frozen=True, slots=True)
class Agent:
    """Where steps run: on an agent with *label* ("" is any), or on the one that was chosen at the start."""

    label: str = ""
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class OnAgent:
    """Steps that take an agent for themselves."""

    kind: ClassVar[str] = "agent"
    agent: Agent
    steps: tuple[Step, ...]


Step: TypeAlias = "Checkout | Echo | Sh | Unstash | Stash | Archive | WithCredentials | StartJob | SendMail | OnAgent"

# Stages


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """A stage.

    Attributes:
        name: as it is shown; unique in the file.
        pipeline: the pipeline it belongs to.
        after: the stages directly before it.
        agent: None where it needs no agent of its own.
        steps: what it does.
        steps_function: the function that holds the steps, "" where they stand in place.
        on_failure: what happens once the stage has failed.
        failure_function: the function that holds that, "" where it stands in place.
        tells_success: whether its last step says that it has succeeded, for `post` to ask.
    """

    name: str
    pipeline: str
    after: tuple[str, ...]
    agent: Agent | None
    steps: tuple[Step, ...]
    steps_function: str = ""
    on_failure: tuple[Step, ...] = ()
    failure_function: str = ""
    tells_success: bool = False


@dataclass(frozen=True, slots=True)
class Selected:
    """Whether one of some pipelines runs in this build; empty where that is not asked."""

    pipelines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Teardown:
    """What removes all that stages share, whatever happened."""

    agent: Agent | None
    selected: Selected
    sh: Sh


@dataclass(frozen=True, slots=True)
class Pin:
    """The agent that is chosen at the start for stages that share images or containers."""

    agent: Agent
    selected: Selected


# Declarative


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
    """`pipeline {}`: *agent* is that of all stages in a shared workspace, else None."""

    agent: Agent | None
    blocks: tuple[Block, ...]
    teardown: Teardown | None


# Scripted


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """Stages declared together: in *function*, or in place where it is ""."""

    function: str
    selected: Selected
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A pipeline whose stages have workspaces of their own, from *roots* on."""

    pipeline: str
    selected: Selected
    roots: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedRun:
    """A pipeline whose stages all run in one workspace, from *roots* on."""

    pipeline: str
    selected: Selected
    agent: Agent
    prepare: tuple[Step, ...]
    roots: tuple[str, ...]
    teardown: Teardown | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Scripted:
    """`addStage` calls and how they start: pipeline by pipeline where some have one workspace, else all at once."""

    chunks: tuple[Chunk, ...]
    runs: tuple[Run, ...]
    shared: tuple[SharedRun, ...]
    teardown: Teardown | None


# The file


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable of ours, and the expression it is set to."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Parameter:
    """A text parameter of the build."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The pipelines of the file, and those of them that run only when they are named."""

    pipelines: tuple[str, ...]
    on_demand: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Prelude:
    """A function that returns how several scripts start."""

    function: str
    comment: str
    sh: Sh


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckoutFunction:
    """A function that checks out.

    Attributes:
        function: its name.
        extensions: what git is told beside the job's own configuration, as `$class` and arguments in Groovy; () for
            the job's own configuration alone.
        variables: our variable and the name that `checkout` gives the value, beside the commit.
        has_submodules: whether submodules are fetched.
    """

    function: str
    extensions: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    has_submodules: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipients:
    """A function that returns recipients that are known only when the pipeline runs."""

    function: str
    items: tuple[Value | Loop, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Loop:
    """*body* for each piece of *source* between *delimiters* ("" is none: the whole is one piece).

    *level* is 1 for a loop in no other one; *words* is how many blank-separated words a piece must have, 0 where it
    is taken whole.
    """

    level: int
    source: Value
    delimiters: str
    words: int
    body: Value | Loop


@dataclass(frozen=True, kw_only=True, slots=True)
class Jenkinsfile:
    """A whole file; *helpers* are the names of the constant functions that it calls, in the order they are written."""

    notes: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    selection: Selection | None
    variables: tuple[Variable, ...]
    pin: Pin | None
    body: Declarative | Scripted
    stages: tuple[Stage, ...]
    preludes: tuple[Prelude, ...]
    recipients: tuple[Recipients, ...]
    checkouts: tuple[CheckoutFunction, ...]
    helpers: tuple[str, ...]
