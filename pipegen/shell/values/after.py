"""The `after` commands of a job, which run in their own shell; the shell of the steps saves the values they read."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.plan.model import Commands, Job, Output, SharedResources
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import quote, shell_text
from pipegen.shell.uses import uses
from pipegen.shell.values.absence import may_be_absent
from pipegen.shell.values.transfers import FOLDER, is_cleared, transfer_path
from pipegen.structs import replace


def after_job(job: Job) -> Job:
    """Return the `after` commands of *job* as a job of their own: the same variables and secrets, no files."""
    env = next((step.env for step in job.steps if isinstance(step, Commands)), ())
    commands = Commands(lines=job.after, env=env, outputs=(), span=job.span)
    machine = replace(job.machine, image=None, services=())
    return replace(
        job,
        machine=machine,
        expanded=(),
        steps=(commands,),
        after=(),
        outputs=(),
        files=(),
        artifacts=(),
        containers=(),
        shared=SharedResources(),
        mail=None,
    )


def after_environment(job: Job, host: ShellEnvironment) -> ShellEnvironment:
    """Return the environment of the `after` commands of *job* on *host*: the values are where they came or were saved.

    Inputs have been checked by the script of the steps. The status of the commands is ignored, so none is marked.
    """
    values = host.values or (host.after_values if is_cleared(job) else FOLDER)
    return replace(host, values=values, marked=frozenset(), checks_inputs=False, marks_commands=False)


def after_outputs(job: Job, host: ShellEnvironment) -> tuple[Output, ...]:
    """Return the outputs of other stages that the `after` commands read."""
    return uses(after_job(job), host).all_outputs if job.after and host.values is None else ()


def remove_after_values(job: Job, host: ShellEnvironment) -> Iterator[Command]:
    """Yield the command that removes the saved values once they are read."""
    if after_outputs(job, host) and is_cleared(job):
        yield Command((f"rm -rf {quote(shell_text(host.after_values))}",))


def save_after_values(lowering: Lowering) -> Iterator[Command]:
    """Yield the command that saves those values, if any, before they leave the checkout."""
    job, host = lowering.job, lowering.host
    outputs = after_outputs(job, host)
    if not outputs:
        return
    folder, source = quote(shell_text(host.after_values)), transfer_path("outputs", host)
    copy_command = f"cp -R {source} {folder}"
    if all(may_be_absent(lowering.producers[output.stage], job) for output in outputs):
        copy_command = f"if [ -e {source} ]; then {copy_command}; fi"
    yield Command((f"rm -rf {folder}", f"mkdir -p {folder}", copy_command), 'values that "after" reads')
