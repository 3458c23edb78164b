"""How a script starts: names for what it makes, and their removal however it ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipegen.plan.model import BuildImage, Commands, Deploy, Job, ShellProgram, Step
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.ignore import PUT_BACK
from pipegen.shell.quote import Literal, assigned, quote, shell_text, single_quoted

# The variables that a prelude sets, where commands of ours expand them.
_SET = re.compile(r"\$\{?(DOCKER|HELM|pipegen)(?![A-Za-z0-9_])")
# Those of most jobs.
_NOTHING: frozenset[str] = frozenset()
_FOLDER = frozenset(("pipegen",))


def prelude(job: Job, steps: Sequence[Step], used: frozenset[str], host: ShellEnvironment) -> tuple[Command, ...]:
    """Return the commands before those that do *steps* and expand the variables *used*; none where nothing needs them.

    All jobs that call the container program start alike, whatever they do with it,
    so that a target can write it once: to remove what was never made does no harm.
    """
    kinds = {type(step) for step in steps}
    ignores = BuildImage in kinds and any(isinstance(step, BuildImage) and step.excludes for step in steps)
    uninstalls = Deploy in kinds and "HELM" in used and not job.shared.release
    started = host.bash if runs_in_bash(job) else ()
    return _prelude(used, started, host.job_id, host.namespace if uninstalls else None, ignores)


@lru_cache
def _prelude(
    used: frozenset[str],
    started: tuple[str, ...],
    job_id: str,
    namespace: str | None,
    ignores: bool,  # noqa: FBT001 - the cache takes half as long without keywords
) -> tuple[Command, ...]:
    """Return the same for a job that is *started* so; *namespace* is that of a release which the script uninstalls."""
    lines = [*started]
    if "DOCKER" in used:
        lines += ["DOCKER=${DOCKER:-docker}"]
    if "HELM" in used:
        lines += ["HELM=${HELM:-helm}"]
    removals = _removals(used, namespace, ignores=ignores)
    if removals:
        lines += ["pipegen=$(mktemp -d)"]
    if "DOCKER" in used or "HELM" in used:
        lines += [f"pipegen_id={assigned((Literal('pipegen-'), *shell_text(job_id)))}"]
    if "DOCKER" in used:
        lines += ["pipegen_images=localhost/$pipegen_id"]
    if ignores:
        lines += ["pipegen_ignore="]
    made = tuple([Command((line,)) for line in lines])
    if not removals:
        return made
    # Jenkins tells the shell to stop after its children, when it is removing already: a second signal must not cut in.
    removal = "; ".join(('trap "" HUP INT TERM', *removals))
    trap = f"trap {single_quoted(f'{{ {removal}; }} >/dev/null 2>&1 || :')} EXIT"
    return (*made, Command((trap, "trap 'exit 143' HUP INT TERM"), "nothing is left behind, however the script ends"))


def runs_in_bash(job: Job) -> bool:
    """Return whether *job* has a script that bash must run."""
    return job.machine.shell is ShellProgram.BASH and any(isinstance(step, Commands) for step in job.steps)


def expanded(commands: Iterable[Command]) -> frozenset[str]:
    """Return which of the variables that a prelude sets *commands* of ours expand."""
    text = own_text(commands)
    if "DOCKER" in text or "HELM" in text:
        return frozenset(_SET.findall(text))
    return _FOLDER if _SET.search(text) else _NOTHING


def own_text(commands: Iterable[Command]) -> str:
    """Return the lines of *commands* of ours."""
    return "\n".join([line for one in commands if not one.is_users for line in one.lines])


def is_expanded(variable: str, text: str) -> bool:
    """Return whether commands with this *text* expand *variable*."""
    return variable in text and re.search(rf"\$\{{?{variable}(?![A-Za-z0-9_])", text) is not None


def _removals(used: frozenset[str], namespace: str | None, *, ignores: bool) -> list[str]:
    """Return the commands that remove what a job makes and nobody else needs."""
    found = []
    if ignores:
        found.append(f'[ -z "$pipegen_ignore" ] || {PUT_BACK}')
    if "DOCKER" in used:
        found += ['$DOCKER rm --force --volumes "$pipegen_id"', "$DOCKER rmi --no-prune $pipegen_images"]
    if namespace is not None:
        found.append(f'$HELM uninstall "$pipegen_id" --namespace {quote(shell_text(namespace))}')
    if found or "pipegen" in used:
        found.append('rm -rf "$pipegen"')
    return found
