"""Values one on a line, as the combinations of a matrix stage leave them."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.shell.command import Command
from pipegen.shell.lowering import Lowering
from pipegen.shell.text import argument


def lines_of(text: Text) -> tuple[Text, ...]:
    """Return the values of *text*, where it is two or more of them with a line break between; else nothing."""
    values, breaks = text.parts[::2], text.parts[1::2]
    if not breaks or len(values) == len(breaks):
        return ()
    if any(isinstance(value, str) for value in values) or any(one != "\n" for one in breaks):
        return ()
    return tuple(Text((value,), text.span) for value in values)


def joined(variable: str, values: tuple[Text, ...], lowering: Lowering) -> Command:
    """Return the command that sets *variable* to *values*; it can be indented, as text in quotes cannot."""
    first, *inner, last = (argument(value, lowering) for value in values)
    return Command(
        (
            f"{variable}=$(printf '%s\\n' \\",
            *(f"  {value} \\" for value in (first, *inner)),
            f"  {last} && echo .)",
            f"{variable}=${{{variable}%?.}}",
        )
    )
