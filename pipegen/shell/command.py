"""The unit in which targets lay out a script."""

from __future__ import annotations

from pipegen.structs import Struct


class Command(Struct):
    """One or more lines that belong together.

    An element of *lines* that holds a line break is quoted text over several
    lines: it cannot be indented. *comment* describes the lines, "" when the first
    line is clear. *is_users* marks the user's own commands, which need no tool of ours.
    """

    lines: tuple[str, ...]
    comment: str = ""
    is_users: bool = False


def with_heading(outputs: tuple[Command, ...]) -> tuple[Command, ...]:
    """Return the commands that write *outputs* with a comment on the first."""
    if not outputs:
        return ()
    first, *others = outputs
    return (Command(first.lines, first.comment or "outputs", first.is_users), *others)
