"""The scripts of stages as they run here: the parts of the engines' own, in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pipegen.bindings.expression import Scope
from pipegen.plan.model import Credential, Job, Plan
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.prelude import runs_in_bash
from pipegen.shell.script import script
from pipegen.shell.uses import uses
from pipegen.structs import Struct


class StageScript(Struct, kw_only=True):
    """What a stage runs.

    Attributes:
        main: its script; after: what comes after that in a shell of its own, "" for nothing.
        is_bash: whether bash runs them.
        setup: the setup names that they read, and names of images.
        inputs: the inputs that must be given, since they read them and have no default for one that is empty.
        credentials: the secrets that must be in their environment.
        carries: what an isolated stage leaves in `.pipegen`.
        uses_containers: whether they call the container program.
    """

    main: str
    after: str
    is_bash: bool
    setup: tuple[str, ...]
    inputs: tuple[str, ...]
    credentials: tuple[Credential, ...]
    carries: tuple[str, ...]
    uses_containers: bool


def stage_script(job: Job, plan: Plan, producers: Mapping[str, Job], host: ShellEnvironment) -> StageScript:
    """Return what *job* of *plan* runs on *host*; *producers* holds the jobs of the plan by stage."""
    found = script(job, plan, producers, host)
    after = found.after
    return StageScript(
        main=as_text(found.commands),
        after=as_text(after.commands) if after is not None else "",
        is_bash=runs_in_bash(job),
        setup=tuple(dict.fromkeys((*found.setup, *_in_names(job)))),
        inputs=tuple(name for name in found.inputs if name not in uses(job, host).optional),
        credentials=found.credentials,
        carries=found.carries,
        uses_containers=found.uses_containers or (after is not None and after.uses_containers),
    )


def as_text(commands: Iterable[Command]) -> str:
    """Return *commands* as the text of a script; each that says what it does has that above it."""
    lines = []
    for command in commands:
        lines += [f"# {command.comment}"] if command.comment else []
        lines += command.lines
    return "".join(f"{line}\n" for line in lines)


def _in_names(job: Job) -> Iterator[str]:
    """Yield the setup names that the images of *job* are named by."""
    image = job.machine.image
    for text in (*((image.name,) if image is not None else ()), *(one.image for one in job.machine.services)):
        yield from (one.name for one in text.references() if one.scope is Scope.SETUP)
