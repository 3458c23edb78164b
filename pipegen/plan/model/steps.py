"""The steps of a stage, and their values.

Values are folded expressions: text if they are known at compile time, else references with a resolved scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from posixpath import basename, join, normpath
from typing import ClassVar, TypeAlias

from pipegen.bindings.expression import Items, Loop, Map, Reference, Text
from pipegen.bindings.script.model import ParsedScript
from pipegen.plan.model.conditions import Condition
from pipegen.source.text import Located, Span
from pipegen.structs import SpannedStruct, Struct

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Characters without a meaning in the path patterns of engines (Ant's, GitLab's).
_PLAIN_PATH = r"[^*?\[\]{}\\,!$'\"\x00-\x1f\x7f]+"


class Output(Struct, order=True):
    """A name that a stage binds."""

    stage: str
    name: str

    def __str__(self) -> str:
        return f"{self.stage}.{self.name}"


class Image(Struct):
    """An image by its ID; *producer* is the stage that builds it, or None."""

    id: Text
    producer: str | None


class Container(Struct):
    """A stopped container by its name; *producer* is the stage that ran it, or None."""

    name: Text
    producer: str | None


class BlubberPath(Struct):
    """A blubberfile in the repository; its path is relative to the folder of the config."""

    path: Text


class BlubberInline(Struct):
    """A blubberfile written in the config itself."""

    document: Map


class ImageFile(Struct, kw_only=True):
    """A Dockerfile of the checkout: its *path*, the folder of its *context* and its build *arguments*."""

    path: str
    context: str
    arguments: tuple[tuple[str, str], ...]


class Measure(Enum):
    """How an output of a script is read after the script."""

    # The script writes it to a file of its name in $PIPEGEN_OUTPUTS.
    WRITTEN = "written"
    # The output of a command, without trailing line breaks.
    COMMAND = "command"
    # The content of a file, byte for byte.
    FILE = "file"


class Line(Struct):
    """An entry of a script, and the values of its references.

    *values* has each reference of *script* once.
    """

    script: ParsedScript
    values: tuple[tuple[Reference, Text], ...]


class Measured(SpannedStruct, kw_only=True):
    """An output of a script; *command* is set for COMMAND, *file* for FILE."""

    name: str
    measure: Measure
    command: Line | None = None
    file: Text | None = None
    span: Span


class Commands(SpannedStruct, kw_only=True):
    """The user's own commands, in one shell; binds *outputs*."""

    lines: tuple[Line, ...]
    env: tuple[tuple[str, Text], ...]
    outputs: tuple[Measured, ...]
    span: Span


class Case(SpannedStruct, kw_only=True):
    """Variables of a script that replace those of its `env` if *condition* holds; None always holds."""

    # The variable with the number of the case that applies, if the script sets variables of cases.
    NUMBER: ClassVar = "PIPEGEN_CASE"

    condition: Condition | None
    variables: tuple[tuple[str, Text], ...]
    span: Span

    @staticmethod
    def names(cases: Iterable[Case]) -> tuple[str, ...]:
        """Return the names of the variables that *cases* set, in the order in which they first occur."""
        return tuple(dict.fromkeys([name for case in cases for name, _ in case.variables]))

    @staticmethod
    def can_set(value: str | None) -> bool:
        """Return whether an engine can set a variable to *value*: known, on one line and without `$`."""
        return value is not None and value.isprintable() and "$" not in value


class BuildImage(SpannedStruct, kw_only=True):
    """Build an image variant with BuildKit's blubber frontend; binds imageID and imageLocalName.

    For an engine that runs stages only in images of a registry, it builds an *ImageFile*, without frontend and variant.
    *has_local_context* is False for a context that is a URL; *excludes* None leaves the
    user's own .dockerignore alone; *pull* is "always" or anything else (never).
    """

    blubberfile: BlubberPath | BlubberInline | ImageFile
    variant: Text
    context: Text
    has_local_context: bool
    excludes: Items[Text] | None
    pull: Text
    span: Span


class CredentialKind(Enum):
    """The kind of a credential."""

    TEXT = "text"
    FILE = "file"
    PASSWORD = "password"  # noqa: S105 - the name of a kind
    SSH_KEY = "ssh-key"


class Credential(SpannedStruct, kw_only=True):
    """A secret of the engine, bound to environment variables.

    *variables* holds one name for TEXT, FILE (the path of the file) and SSH_KEY (the path
    of the key file), user name and password for PASSWORD.
    """

    id: str
    kind: CredentialKind
    variables: tuple[str, ...]
    span: Span


class IdToken(SpannedStruct):
    """An identity token that the engine issues for *audiences*, in an environment variable."""

    variable: str
    audiences: tuple[str, ...]
    span: Span


class RunContainer(SpannedStruct, kw_only=True):
    """Run an image; binds container and output (the last *tail* lines, 0 for none)."""

    image: Image
    arguments: Items[Text]
    env: tuple[tuple[Text, Text], ...]
    credentials: tuple[Credential, ...]
    tail: int
    span: Span


class CopyFile(Struct, kw_only=True):
    """One entry of `copy`: files from a container to the job's directory."""

    container: Container
    source: Text
    destination: Text
    archive: bool

    def artifact_path(self, directory: str) -> str | None:
        """Return the path that later stages get from a stage in *directory*; None if no pattern of engines matches it.

        Into the directory itself, only the copied file is an artifact, not the whole directory.
        """
        destination, source = self.destination.constant, self.source.constant
        if destination is None:
            return None
        if normpath(destination) == ".":
            if source is None or source.endswith(("/", "/.")) or not basename(source):
                return None
            destination = basename(source)
        path = normpath(join(directory, destination))
        is_plain = re.fullmatch(_PLAIN_PATH, path) and not path.startswith(("-", " ")) and not path.endswith(" ")
        return path if is_plain else None


class Copy(SpannedStruct, kw_only=True):
    """Copy files out of stopped containers; binds artifactURLs."""

    files: Items[CopyFile]
    span: Span

    @property
    def entries(self) -> Iterator[CopyFile]:
        """The entries, including those in loops."""
        for file in self.files:
            while isinstance(file, Loop):
                file = file.body  # noqa: PLW2901 - to the innermost entry
            yield file


class PublishImage(SpannedStruct, kw_only=True):
    """Push an image with all its tags, *tag* first; empty *tags* are skipped."""

    image: Image
    name: Text
    tag: Text
    tags: Items[Text]
    span: Span


class Promotion(Struct, kw_only=True):
    """A chart and its new version; no environments means all of them."""

    chart: Text
    environments: Items[Text]
    version: Text


class Promote(SpannedStruct, kw_only=True):
    """Propose new versions in the repository of deployment charts."""

    charts: Items[Promotion]
    span: Span


class Deploy(SpannedStruct, kw_only=True):
    """Install a chart with helm; binds releaseName. *timeout* is in seconds, None for the default."""

    image: Text
    tag: Text
    chart: Text
    version: Text
    test: bool
    timeout: Text | None
    overrides: Map
    span: Span


class Export(SpannedStruct, kw_only=True):
    """Bind *name* to *value*."""

    name: str
    value: Text
    span: Span


def declares(steps: Iterable[Step], name: str) -> bool:
    """Return whether an output of the script or an export in *steps* is *name*: it is any text then.

    A stage that builds no image, for example, can have an output `imageID`.
    """
    return any(
        step.name == name if isinstance(step, Export) else any(output.name == name for output in step.outputs)
        for step in steps
        if isinstance(step, Export | Commands)
    )


def is_variable_name(name: str) -> bool:
    """Return whether a shell variable can have *name*."""
    return _VARIABLE_NAME.fullmatch(name) is not None


class PipelineFile(Struct):
    """A file of a child pipeline: the *path* in the repository, or in the artifacts of *stage*, "" for neither."""

    path: str
    stage: str = ""


class TriggerJob(SpannedStruct, kw_only=True):
    """Start another job of the engine, or a child pipeline of the files *include*, the first of which is its *name*.

    With *forward*, the variables of the run reach it, too.
    """

    # https://docs.gitlab.com/ci/yaml/#triggerinclude
    FILE: ClassVar = r"(?!/|[^/]*://)[^\\$%*\[\]{}\x00-\x1f\x7f]+\.ya?ml"
    MOST_FILES: ClassVar = 3

    name: Located[str]
    include: tuple[PipelineFile, ...] = ()
    forward: bool = False
    parameters: tuple[tuple[str, Text], ...]
    propagate: bool
    wait: bool
    span: Span


class Leave(SpannedStruct, kw_only=True):
    """Pass the files at *path*, relative to the job's directory, on to descendants; the path is a run-time value.

    *is_kept* is whether people can download them. A missing path is not a failure.
    """

    path: Text
    is_kept: bool
    span: Span


class EngineText(SpannedStruct, kw_only=True):
    """A text that the script writes for the engine to *file*, a path from the root of the checkout.

    Targets add it; no config contains it.
    """

    file: str
    value: Text
    span: Span


Step: TypeAlias = (
    Commands
    | BuildImage
    | RunContainer
    | Copy
    | PublishImage
    | Promote
    | Deploy
    | Export
    | Leave
    | TriggerJob
    | EngineText
)

# The config keys of steps.
_KEYS: dict[type[Step], str] = {
    Commands: "script",
    BuildImage: "build",
    RunContainer: "run",
    PublishImage: "publish",
    TriggerJob: "trigger",
}


def step_key(step: Step) -> str:
    """Return the config key of *step*."""
    return _KEYS.get(type(step)) or type(step).__name__.lower()
