"""Commands to the entries of a GitLab script."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.shell.command import Command
from pipegen.targets.gitlab.model import ScriptEntry


def entries(commands: Iterable[Command], *, comment: str = "") -> tuple[ScriptEntry, ...]:
    """Return an entry for each command; *comment* stands above the first."""
    found = [
        ScriptEntry(command.lines[0], command.comment)
        if len(command.lines) == 1 and "\n" not in command.lines[0]
        else _block(command)
        for command in commands
    ]
    if found and comment:
        first = found[0]
        found[0] = ScriptEntry(first.text, f"{comment}: {first.comment}" if first.comment else comment)
    return tuple(found)


def _block(command: Command) -> ScriptEntry:
    """Return *command* in lines; GitLab logs only the first, so that one says what they do."""
    lines = (f"# {command.comment}", *command.lines) if command.comment else command.lines
    return ScriptEntry("".join([f"{line}\n" for line in lines]))
