"""What came of stages, as finally stages read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Job
from pipegen.shell.carried import written
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import assigned, shell_text


def statuses(stages: Sequence[str], lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set the variables for the status of each of *stages* ("" is the pipeline)."""
    for stage in stages:
        slug = lowering.producers[stage].slug if stage else ""
        value = assigned(shell_text(lowering.host.status(slug)))
        yield Command((f"{lowering.variables.statuses[stage]}={value}",))


def marked(job: Job, host: ShellEnvironment) -> Command:
    """Return the command that says in a file that *job* has succeeded."""
    folder, path = written("status", host), written(f"status/{job.slug}", host)
    return Command((f"mkdir -p {folder} && echo success >{path}",))
