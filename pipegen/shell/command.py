"""The unit in which targets lay out a script."""

from __future__ import annotations

from pipegen.structs import Struct

OUTPUTS = "outputs"


class Command(Struct):
    """One or more lines that belong together.

    An element of *lines* that holds a line break is quoted text over several
    lines: it cannot be indented. *comment* describes the lines, "" when the first
    line is clear. *is_users* marks the user's own commands, which need no tool of ours.
    """

    lines: tuple[str, ...]
    comment: str = ""
    is_users: bool = False


def with_heading(heading: str, commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """Return *commands* with *heading* as the comment of the first, before its own."""
    if not commands:
        return ()
    first, *others = commands
    comment = f"{heading}: {first.comment}" if first.comment else heading
    return (Command(first.lines, comment, first.is_users), *others)
