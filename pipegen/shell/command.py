"""The unit in which targets lay out a script."""

from __future__ import annotations

from pipegen.structs import Struct


class Command(Struct):
    """One or more lines that belong together.

    An element of *lines* that holds a line break is quoted text over several
    lines: it cannot be indented. *comment* says what the lines do, "" when the
    first line says it. *is_users* marks what a person wrote: it asks for no tool of ours.
    """

    lines: tuple[str, ...]
    comment: str = ""
    is_users: bool = False
