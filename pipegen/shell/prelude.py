"""How a script starts: names for what it makes, and their removal however it ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipegen.plan.model import Build, Commands, Deploy, Job, Shell, Step
from pipegen.shell.command import Command
from pipegen.shell.host import Host
from pipegen.shell.ignore import PUT_BACK
from pipegen.shell.quote import Literal, assigned, quote, shell_text, single_quoted

# The variables that a prelude sets, where commands of ours expand them.
_SET = re.compile(r"\$\{?(DOCKER|HELM|pipegen)(?![A-Za-z0-9_])")


def prelude(job: Job, steps: Sequence[Step], used: frozenset[str], host: Host) -> tuple[Command, ...]:
    """Return the commands before those that do *steps* and expand the variables *used*; none where nothing needs them.

    All jobs that call the container program start alike, whatever they do with it,
    so that a target can write it once: to remove what was never made does no harm.
    """
    lines = []
    if "DOCKER" in used:
        lines += ["DOCKER=${DOCKER:-docker}"]
    if "HELM" in used:
        lines += ["HELM=${HELM:-helm}"]
    ignores = any(isinstance(step, Build) and step.excludes for step in steps)
    removals = _removals(job, steps, used, host, ignores=ignores)
    if removals:
        lines += ["pipegen=$(mktemp -d)"]
    if "DOCKER" in used or "HELM" in used:
        lines += [f"pipegen_id={assigned((Literal('pipegen-'), *shell_text(host.job_id)))}"]
    if "DOCKER" in used:
        lines += ["pipegen_images=localhost/$pipegen_id"]
    if ignores:
        lines += ["pipegen_ignore="]
    made = (*_started(job, host), *(Command((line,)) for line in lines))
    if not removals:
        return made
    # Jenkins tells the shell to stop after its children, when it is removing already: a second signal must not cut in.
    removal = "; ".join(('trap "" HUP INT TERM', *removals))
    trap = f"trap {single_quoted(f'{{ {removal}; }} >/dev/null 2>&1 || :')} EXIT"
    return (*made, Command((trap, "trap 'exit 143' HUP INT TERM"), "nothing is left behind, however the script ends"))


def runs_in_bash(job: Job) -> bool:
    """Return whether *job* has a script that bash must run."""
    return job.machine.shell is Shell.BASH and any(isinstance(step, Commands) for step in job.steps)


def expanded(commands: Iterable[Command]) -> frozenset[str]:
    """Return which of the variables that a prelude sets *commands* of ours expand."""
    return frozenset(_SET.findall("\n".join([line for one in commands if not one.is_users for line in one.lines])))


def is_used(variable: str, commands: Sequence[Command]) -> bool:
    """Return whether *commands* of ours expand *variable*."""
    expansion = re.compile(rf"\$\{{?{variable}(?![A-Za-z0-9_])")
    return any(expansion.search(line) for command in commands if not command.is_users for line in command.lines)


def _removals(job: Job, steps: Sequence[Step], used: frozenset[str], host: Host, *, ignores: bool) -> list[str]:
    """Return the commands that remove what the job makes and nobody else needs."""
    found = []
    if ignores:
        found.append(f'[ -z "$pipegen_ignore" ] || {PUT_BACK}')
    if "DOCKER" in used:
        found += ['$DOCKER rm --force --volumes "$pipegen_id"', "$DOCKER rmi --no-prune $pipegen_images"]
    if "HELM" in used and not job.shared.release and any(isinstance(step, Deploy) for step in steps):
        found.append(f'$HELM uninstall "$pipegen_id" --namespace {quote(shell_text(host.namespace))}')
    if found or "pipegen" in used:
        found.append('rm -rf "$pipegen"')
    return found


def _started(job: Job, host: Host) -> tuple[Command, ...]:
    return tuple(Command((line,)) for line in host.bash) if runs_in_bash(job) else ()
