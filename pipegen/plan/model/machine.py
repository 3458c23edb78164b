"""Where a job runs."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from pipegen.bindings.expression import Text
from pipegen.plan.model.steps import Line
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct


class Pull(Enum):
    """When an image is pulled."""

    ALWAYS = "always"
    IF_NOT_PRESENT = "if-not-present"
    NEVER = "never"


class ShellProgram(Enum):
    """What runs a script; BASH has pipefail."""

    SH = "sh"
    BASH = "bash"


class JobImage(SpannedStruct, kw_only=True):
    """The image a job runs in; *entrypoint* None leaves the image's own, *pull* None the engine's way."""

    name: Text
    entrypoint: tuple[str, ...] | None = None
    pull: Pull | None = None
    span: Span


class Service(SpannedStruct, kw_only=True):
    """A container beside the job, reached by *alias*; *ready* is tried in the job's shell until it succeeds."""

    image: Text
    alias: str
    env: tuple[tuple[str, str], ...] = ()
    command: tuple[str, ...] = ()
    ready: Line | None = None
    span: Span


class Resources(SpannedStruct, kw_only=True):
    """What the job needs of a machine: *cpu* in thousandths of a processor, *memory* in bytes; None for no matter."""

    cpu: int | None = None
    memory: int | None = None
    span: Span


class Machine(SpannedStruct, kw_only=True):
    """Where a job runs; *labels* must all fit, none is any machine."""

    UNCOMPARED: ClassVar = ("labels_span", "shell_span")

    image: JobImage | None = None
    services: tuple[Service, ...] = ()
    labels: tuple[str, ...] = ()
    labels_span: Span | None = None
    resources: Resources | None = None
    shell: ShellProgram = ShellProgram.SH
    shell_span: Span | None = None
