"""The scripts of stages in local runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipegen.plan.model import Credential, Job, Plan
from pipegen.plan.model.texts import setup_names
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.prelude import runs_in_bash
from pipegen.shell.script import script
from pipegen.shell.uses import uses
from pipegen.structs import Struct


class StageScript(Struct, kw_only=True):
    """The scripts of a stage.

    Attributes:
        main: the main script.
        after: the script that runs afterwards in a separate shell, or "".
        is_bash: whether bash runs them.
        setup: the setup names that scripts and image names read.
        inputs: the inputs that must be set, because they are read without a default.
        credentials: the secrets that must be in the environment.
        carries: the files in `.pipegen` that an isolated stage passes on.
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
    """Return the scripts of *job* of *plan* for *host*; *producers* holds the jobs of the plan by stage."""
    generated = script(job, plan, producers, host)
    after = generated.after
    return StageScript(
        main=as_text(generated.commands),
        after=as_text(after.commands) if after is not None else "",
        is_bash=runs_in_bash(job),
        setup=tuple(dict.fromkeys((*generated.setup, *setup_names(job.machine.image_names)))),
        inputs=tuple(name for name in generated.inputs if name not in uses(job, host).optional),
        credentials=generated.credentials,
        carries=generated.carries,
        uses_containers=generated.uses_containers or (after is not None and after.uses_containers),
    )


def as_text(commands: Iterable[Command]) -> str:
    """Return *commands* as the text of a script, with comments above them."""
    lines = []
    for command in commands:
        lines += [f"# {command.comment}"] if command.comment else []
        lines += command.lines
    return "".join(f"{line}\n" for line in lines)
