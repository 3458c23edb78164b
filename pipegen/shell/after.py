"""What comes after the steps of a job, in a shell of its own: their shell leaves it the values that it reads."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.plan.model import Commands, Job, Output, SharedResources
from pipegen.shell.absence import may_be_absent
from pipegen.shell.carried import read
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import quote, shell_text
from pipegen.shell.uses import uses
from pipegen.structs import replace


def job_after(job: Job) -> Job:
    """Return what comes after *job* as a job that does nothing else: the same variables and secrets, no files."""
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


def host_after(host: ShellEnvironment) -> ShellEnvironment:
    """Return what that job finds on *host*: the values are where the steps' shell has left them."""
    return replace(host, values=host.kept if host.values is None else host.values, marked=frozenset())


def values_after(job: Job, host: ShellEnvironment) -> tuple[Output, ...]:
    """Return the outputs of other stages that the steps' shell must leave."""
    return uses(job_after(job), host).outputs if job.after and host.values is None else ()


def removed_after(job: Job, host: ShellEnvironment) -> Iterator[Command]:
    """Yield the command that removes what was left, once it has been read."""
    if values_after(job, host):
        yield Command((f"rm -rf {quote(shell_text(host.kept))}",))


def left_for_after(lowering: Lowering) -> Iterator[Command]:
    """Yield the command that leaves those, if there are any, once they are out of the checkout."""
    job, host = lowering.job, lowering.host
    outputs = values_after(job, host)
    if not outputs:
        return
    kept, source = quote(shell_text(host.kept)), read("outputs", host)
    copied = f"cp -R {source} {kept}"
    if all(may_be_absent(lowering.producers[output.stage], job) for output in outputs):
        copied = f"if [ -e {source} ]; then {copied}; fi"
    yield Command((f"rm -rf {kept}", f"mkdir -p {kept}", copied), 'what "after" reads')
