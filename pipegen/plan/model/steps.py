"""What a stage does: steps, and the values that stand in them.

Values are folded expressions: what is known at compile time is text, the rest
are references with their scope settled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from pipegen.bindings.expression import Items, Map, Reference, Text
from pipegen.bindings.script import Script
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
    FILE = "file"
    PASSWORD = "password"  # noqa: S105 - the name of a kind
    SSH_KEY = "ssh-key"


@dataclass(frozen=True, kw_only=True, slots=True)
class Credential:
    """A secret of the engine, bound to environment variables.

    *variables* holds one name for TEXT, FILE (the path of the file) and SSH_KEY (the path
    of the key file), user name and password for PASSWORD.
    """

    id: str
    kind: CredentialKind
    variables: tuple[str, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class IdToken:
    """A token by which the engine vouches for the run to *audiences*, in an environment variable."""

    variable: str
    audiences: tuple[str, ...]
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Leave:
    """Leave the files at *path* for descendants, relative to the job's directory: one that only the run knows.

    What *is_kept* people may download too. Nothing at that path is no failure.
    """

    path: Text
    is_kept: bool
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A text that the script leaves in *file*, a path from the root of the checkout, for the engine alone.

    No config says it: targets add it.
    """

    file: str
    value: Text
    span: Span = field(compare=False)


Step: TypeAlias = Commands | Build | Run | Copy | Publish | Promote | Deploy | Export | Leave | Trigger | Told
