"""Commands as entries of a GitLab script."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.shell.command import Command
from pipegen.targets.gitlab.model import ScriptEntry


def entries(commands: Iterable[Command]) -> tuple[ScriptEntry, ...]:
    """Return an entry for each command."""
    return tuple(
        [
            ScriptEntry(command.lines[0], command.comment)
            if len(command.lines) == 1 and "\n" not in command.lines[0]
            else _block(command)
            for command in commands
        ]
    )


def _block(command: Command) -> ScriptEntry:
    """Return *command* as one entry; GitLab logs only its first line, so that is the comment."""
    lines = (f"# {command.comment}", *command.lines) if command.comment else command.lines
    return ScriptEntry("".join([f"{line}\n" for line in lines]))
