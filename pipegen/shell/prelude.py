"""The start of a script: names for the resources it creates, and a trap that removes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipegen.plan.model import BuildImage, Commands, Deploy, Job, ShellProgram, Step
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import Literal, assigned, quote, shell_text, single_quoted

# The user's .dockerignore, saved while a build has one of its own.
DOCKERIGNORE_BACKUP = '"$pipegen/dockerignore"'
RESTORE_DOCKERIGNORE = (
    f"if [ -e {DOCKERIGNORE_BACKUP} ]; then "
    f'cat {DOCKERIGNORE_BACKUP} >"$pipegen_ignore"; else rm -f "$pipegen_ignore"; fi'
)
# The variables that a prelude sets, as our commands expand them.
_SET = re.compile(r"\$\{?(DOCKER|HELM|pipegen)(?![A-Za-z0-9_])")
# Those of most jobs.
_NOTHING: frozenset[str] = frozenset()
_FOLDER = frozenset(("pipegen",))


def prelude(
    job: Job, steps: Sequence[Step], used: frozenset[str], host: ShellEnvironment, *, uses_containers: bool
) -> tuple[Command, ...]:
    """Return the commands that come before *steps*, which expand the variables *used*; none if nothing needs them.

    All jobs that call the container program have the same prelude, so that a target can write it once:
    removing a container that does not exist does no harm. Nothing is removed that goes with the job anyway.
    """
    kinds = {type(step) for step in steps}
    replaces_dockerignore = BuildImage in kinds and any(
        isinstance(step, BuildImage) and step.excludes for step in steps
    )
    uninstalls = Deploy in kinds and "HELM" in used and not job.shared.release
    bash_lines = host.bash if runs_in_bash(job) else ()
    namespace = host.namespace if uninstalls else None
    is_disposable = host.is_disposable and uses_containers
    return _prelude(
        used, bash_lines, host.job_id, namespace, replaces_dockerignore and not is_disposable, is_disposable
    )


@lru_cache
def _prelude(
    used: frozenset[str],
    bash_lines: tuple[str, ...],
    job_id: str,
    namespace: str | None,
    replaces_dockerignore: bool,  # noqa: FBT001 - the cache takes half as long without keywords
    is_disposable: bool,  # noqa: FBT001 - as above
) -> tuple[Command, ...]:
    """Return the prelude after *bash_lines*; *namespace* is that of the release that the script uninstalls."""
    lines = [*bash_lines]
    if "DOCKER" in used:
        lines += ["DOCKER=${DOCKER:-docker}"]
    if "HELM" in used:
        lines += ["HELM=${HELM:-helm}"]
    removals = _removals(used, namespace, replaces_dockerignore=replaces_dockerignore)
    if removals or "pipegen" in used:
        lines += ["pipegen=$(mktemp -d)"]
        removals += [] if is_disposable else ['rm -rf "$pipegen"']
    if "DOCKER" in used or "HELM" in used:
        lines += [f"pipegen_id={assigned((Literal('pipegen-'), *shell_text(job_id)))}"]
    if "DOCKER" in used:
        lines += ["pipegen_images=localhost/$pipegen_id"]
    if replaces_dockerignore:
        lines += ["pipegen_ignore="]
    commands = tuple([Command((line,)) for line in lines])
    if not removals:
        return commands
    # Jenkins signals the shell after its children, when the trap already runs: ignore a second signal.
    removal = "; ".join(('trap "" HUP INT TERM', *removals))
    trap = f"trap {single_quoted(f'{{ {removal}; }} >/dev/null 2>&1 || :')} EXIT"
    return (
        *commands,
        Command((trap, "trap 'exit 143' HUP INT TERM"), "clean up, however the script ends"),
    )


def runs_in_bash(job: Job) -> bool:
    """Return whether *job* has a script that bash must run."""
    return job.machine.shell is ShellProgram.BASH and any(isinstance(step, Commands) for step in job.steps)


def expanded_variables(commands: Iterable[Command]) -> frozenset[str]:
    """Return which variables of a prelude *commands* of ours expand."""
    text = own_text(commands)
    if "DOCKER" in text or "HELM" in text:
        return frozenset(_SET.findall(text))
    return _FOLDER if _SET.search(text) else _NOTHING


def own_text(commands: Iterable[Command]) -> str:
    """Return the lines of *commands* of ours."""
    return "\n".join([line for command in commands if not command.is_users for line in command.lines])


def is_expanded(variable: str, text: str) -> bool:
    """Return whether commands with this *text* expand *variable*."""
    return variable in text and re.search(rf"\$\{{?{variable}(?![A-Za-z0-9_])", text) is not None


def _removals(used: frozenset[str], namespace: str | None, *, replaces_dockerignore: bool) -> list[str]:
    """Return the commands that remove the job's resources that no other job needs."""
    removals = []
    if replaces_dockerignore:
        removals.append(f'[ -z "$pipegen_ignore" ] || {RESTORE_DOCKERIGNORE}')
    if "DOCKER" in used:
        removals += ['$DOCKER rm --force --volumes "$pipegen_id"', "$DOCKER rmi --no-prune $pipegen_images"]
    if namespace is not None:
        removals.append(f'$HELM uninstall "$pipegen_id" --namespace {quote(shell_text(namespace))}')
    return removals
