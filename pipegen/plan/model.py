"""The plan: the neutral form that every target reads.

A plan names no engine. Values in it are folded expressions: what is known at
compile time is text, the rest are references with their scope settled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from pipegen.bindings.expression import Items, Map, Reference, Text
from pipegen.bindings.script import Script
from pipegen.graph.execution import ExecutionGraph
from pipegen.source.text import Located, Span


@dataclass(frozen=True, slots=True, order=True)
class Output:
    """A name that a stage binds."""

    stage: str
    name: str

    def __str__(self) -> str:
        return f"{self.stage}.{self.name}"


@dataclass(frozen=True, slots=True)
class Image:
    """An image by its ID; *producer* is the stage that builds it, None when that is not known."""

    id: Text
    producer: str | None


@dataclass(frozen=True, slots=True)
class Container:
    """A stopped container by its name; *producer* is the stage that ran it, None when that is not known."""

    name: Text
    producer: str | None


@dataclass(frozen=True, slots=True)
class BlubberPath:
    """A blubberfile in the repository: its path relative to the folder of the config."""

    path: Text


@dataclass(frozen=True, slots=True)
class BlubberInline:
    """A blubberfile written in the config itself."""

    document: Map


class Measure(Enum):
    """How an output of a script is measured once the script has ended."""

    # The script has written it to a file of its name below $PIPEGEN_OUTPUTS.
    WRITTEN = "written"
    # What a command prints, without line breaks at its end.
    COMMAND = "command"
    # What a file holds, byte for byte.
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of a script, and what its references come to: texts that are known, or are made of values.

    *values* has each reference of *script* once.
    """

    script: Script
    values: tuple[tuple[Reference, Text], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """An output that a script leaves; *command* for COMMAND, *file* for FILE, else None."""

    name: str
    measure: Measure
    command: Line | None = None
    file: Text | None = None
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Commands:
    """The user's own commands, in one shell; binds *outputs*."""

    lines: tuple[Line, ...]
    env: tuple[tuple[str, Text], ...]
    outputs: tuple[Measured, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Build:
    """Build an image variant with BuildKit's blubber frontend; binds imageID and imageLocalName.

    *has_local_context* is False for a context that is a URL; *excludes* None leaves the
    user's own .dockerignore alone; *pull* is "always" or anything else (never).
    """

    blubberfile: BlubberPath | BlubberInline
    variant: Text
    context: Text
    has_local_context: bool
    excludes: Items[Text] | None
    pull: Text
    span: Span = field(compare=False)


class CredentialKind(Enum):
    """What a credential consists of."""

    TEXT = "text"
    PASSWORD = "password"  # noqa: S105 - the name of a kind
    SSH_KEY = "ssh-key"


@dataclass(frozen=True, kw_only=True, slots=True)
class Credential:
    """A secret of the engine, bound to environment variables.

    *variables* holds one name for TEXT and SSH_KEY (the path of the key file),
    user name and password for PASSWORD.
    """

    id: str
    kind: CredentialKind
    variables: tuple[str, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Run an image; binds container and output (the last *tail* lines, 0 for none)."""

    image: Image
    arguments: Items[Text]
    env: tuple[tuple[Text, Text], ...]
    credentials: tuple[Credential, ...]
    tail: int
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyFile:
    """One entry of `copy`: files out of a container into the job's directory."""

    container: Container
    source: Text
    destination: Text
    archive: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Copy:
    """Copy files out of stopped containers; binds artifactURLs."""

    files: Items[CopyFile]
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Publish:
    """Push an image under all its tags, *tag* first; empty ones of *tags* are left out."""

    image: Image
    name: Text
    tag: Text
    tags: Items[Text]
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Promotion:
    """One chart whose version is raised; no environments means all of them."""

    chart: Text
    environments: Items[Text]
    version: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class Promote:
    """Propose new versions in the repository of deployment charts."""

    charts: Items[Promotion]
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Deploy:
    """Install a chart with helm; binds releaseName. *timeout* is in seconds, None for the default."""

    image: Text
    tag: Text
    chart: Text
    version: Text
    test: bool
    timeout: Text | None
    overrides: Map
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """Bind *name* to *value*."""

    name: str
    value: Text
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Trigger:
    """Start another job of the engine."""

    name: Located[str]
    parameters: tuple[tuple[str, Text], ...]
    propagate: bool
    wait: bool
    span: Span = field(compare=False)


Step: TypeAlias = Commands | Build | Run | Copy | Publish | Promote | Deploy | Export | Trigger


@dataclass(frozen=True, kw_only=True, slots=True)
class Mail:
    """A mail for the case that a stage fails; it reads no output of that stage."""

    to: Items[Text]
    subject: Text
    body: Text
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact:
    """Files that a job leaves for its descendants: a path relative to the checkout.

    *path* is None where the path is known only at run time. What *overwrites* files that
    an ancestor leaves must come after those, in whatever order an engine fetches the two.
    A path holds `*` and `**` only where the user means any name. What *is_kept* people may
    download too.
    """

    path: str | None
    span: Span = field(compare=False)
    overwrites: bool = False
    is_kept: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Shared:
    """What of a job outlives it because other jobs use it."""

    image: bool = False
    container: bool = False
    release: bool = False
    # Paths that other jobs copy out of the job's container, in order; for engines whose jobs share no daemon.
    container_paths: tuple[Text, ...] = ()

    @property
    def needs_daemon(self) -> bool:
        """Whether readers need the very daemon that the job used (or a registry)."""
        return self.image or self.container


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """What one stage does.

    Attributes:
        stage: the stage's name.
        pipeline: the name of its pipeline.
        slug: letters, digits, `-`, `_` and `.`; unique in the file; for paths and names.
        span: the value of the stage's `name` key.
        frame: which frame of the graph it stands in, from 0; None for finally stages.
        needs: the arcs' direct predecessors, in the order the arcs name them.
        reads: other stages' outputs as the user wrote them.
        binds: what it binds, in order, without `stage`.
        inputs: other stages' outputs whose values its steps and mail use, renaming exports looked through.
        outputs: its own outputs that are an input of another job, in the order it binds them.
        files: ancestors whose artifacts stand in its workspace, in an order that the arcs allow.
        artifacts: the files that it leaves.
        directory: where its steps run, relative to the root of the repository; "." is the root.
        containers: other stages whose containers it copies files from; `container` is then no input.
    """

    stage: str
    pipeline: str
    slug: str
    span: Span = field(compare=False)
    frame: int | None
    needs: tuple[str, ...]
    reads: tuple[Output, ...]
    binds: tuple[str, ...]
    inputs: tuple[Output, ...]
    outputs: tuple[str, ...]
    files: tuple[str, ...]
    artifacts: tuple[Artifact, ...]
    directory: str
    steps: tuple[Step, ...]
    mail: Mail | None
    shared: Shared
    containers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetch:
    """How the repository is fetched; `Plan.fetch` is None when the user says nothing about it.

    *depth* None is the whole history.
    """

    depth: int | None
    submodules: bool
    tags: bool


class Workspace(Enum):
    """What stages see of each other's files."""

    ISOLATED = "isolated"
    SHARED = "shared"


class Selection(Enum):
    """When a pipeline of a file runs."""

    ALWAYS = "always"
    # Only when PIPEGEN_PIPELINE names it.
    ON_DEMAND = "on-demand"


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """One pipeline: its jobs in the user's order, and the graph of its stages.

    *frames* are the graph's, without finally stages. *folder* is the folder of
    the config, relative to the root of the repository; "" is the root.
    """

    name: str
    span: Span = field(compare=False)
    graph: ExecutionGraph
    frames: tuple[tuple[str, ...], ...]
    jobs: tuple[Job, ...]
    fetch: Fetch | None
    workspace: Workspace
    workspace_span: Span | None = field(compare=False)
    selection: Selection
    folder: str

    def job(self, stage: str) -> Job:
        """Return the job of *stage*."""
        return next(job for job in self.jobs if job.stage == stage)
