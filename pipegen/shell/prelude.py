"""How a script starts: names for what it makes, and their removal however it ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.plan.model import Build, Deploy, Job, Publish, Run, Step
from pipegen.shell.command import Command
from pipegen.shell.host import Host
from pipegen.shell.ignore import PUT_BACK
from pipegen.shell.images import is_pushed, keeps_image, local_tag
from pipegen.shell.kept import keeps_container
from pipegen.shell.quote import Literal, assigned, quote, shell_text, single_quoted


def prelude(job: Job, steps: Sequence[Step], commands: Sequence[Command], host: Host) -> tuple[Command, ...]:
    """Return the commands before *commands*, which do *steps*; none where nothing needs them."""
    removals = _removals(job, steps, commands, host)
    lines = []
    if is_used("DOCKER", commands):
        lines.append("DOCKER=${DOCKER:-docker}")
    if is_used("HELM", commands):
        lines.append("HELM=${HELM:-helm}")
    if is_used("pipegen", commands):
        lines.append("pipegen=$(mktemp -d)")
    if is_used("pipegen_id", commands):
        lines.append(f"pipegen_id={assigned((Literal('pipegen-'), *shell_text(host.job_id)))}")
    if _removes_images(job, steps, host):
        lines.append(f"pipegen_images={assigned(local_tag(job, host)) if _removes_own_tag(job, steps, host) else ''}")
    if _ignores(steps):
        lines.append("pipegen_ignore=")
    made = tuple(Command((line,)) for line in lines)
    if not removals:
        return made
    trap = "trap " + single_quoted(f"{{ {'; '.join(removals)}; }} >/dev/null 2>&1 || :") + " EXIT"
    return (*made, Command((trap, "trap 'exit 143' HUP INT TERM"), "nothing is left behind, however the script ends"))


def is_used(variable: str, commands: Sequence[Command]) -> bool:
    """Return whether *commands* expand *variable*."""
    expansion = re.compile(rf"\$\{{?{variable}(?![A-Za-z0-9_])")
    return any(expansion.search(line) for command in commands for line in command.lines)


def _removals(job: Job, steps: Sequence[Step], commands: Sequence[Command], host: Host) -> list[str]:
    """Return the commands that remove what the job made and nobody else needs."""
    found = []
    if _ignores(steps):
        found.append(f'[ -z "$pipegen_ignore" ] || {PUT_BACK}')
    if any(isinstance(step, Run) for step in steps) and not keeps_container(job, host):
        found.append('$DOCKER rm --force --volumes "$pipegen_id"')
    if _removes_images(job, steps, host):
        found.append("$DOCKER rmi --no-prune $pipegen_images")
    if any(isinstance(step, Deploy) for step in steps) and not job.shared.release:
        found.append(f'$HELM uninstall "$pipegen_id" --namespace {quote(shell_text(host.namespace))}')
    if is_used("pipegen", commands):
        found.append('rm -rf "$pipegen"')
    return found


def _removes_images(job: Job, steps: Sequence[Step], host: Host) -> bool:
    is_published = any(isinstance(step, Publish) for step in steps)
    return is_published or is_pushed(job, host) or _removes_own_tag(job, steps, host)


def _removes_own_tag(job: Job, steps: Sequence[Step], host: Host) -> bool:
    return any(isinstance(step, Build) for step in steps) and not keeps_image(job, host)


def _ignores(steps: Sequence[Step]) -> bool:
    return any(isinstance(step, Build) and step.excludes for step in steps)
