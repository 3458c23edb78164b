"""Commands to the entries of a GitLab script."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.shell.command import Command
from pipegen.structs import replace
from pipegen.targets.gitlab.model import Entry


def entries(commands: Iterable[Command], *, comment: str = "") -> tuple[Entry, ...]:
    """Return an entry for each command; *comment* stands above the first."""
    found = tuple(_entry(command) for command in commands)
    if not found or not comment:
        return found
    both = f"{comment}: {found[0].comment}" if found[0].comment else comment
    return (replace(found[0], comment=both), *found[1:])


def _entry(command: Command) -> Entry:
    """Return the entry of *command*; GitLab logs only the first line of several, so that one says what they do."""
    first, *others = command.lines
    if not others and "\n" not in first:
        return Entry(first, command.comment)
    comment = (f"# {command.comment}",) if command.comment else ()
    return Entry("".join(f"{line}\n" for line in (*comment, *command.lines)))
