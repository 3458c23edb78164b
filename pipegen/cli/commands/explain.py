"""`pipegen explain`: the page of a code."""

from typing import Annotated

import typer

from pipegen.cli.exits import WrongUsage
from pipegen.cli.streams import show_text
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.explain import page
from pipegen.diagnostics.report import suggestion


def explain(
    code: Annotated[str, typer.Argument(metavar="CODE", help='A code or its name: "PG301", "unknown-stage".')],
) -> None:
    """Explain a diagnostic: its cause, its impact, and how to fix it."""
    found = page(code)
    if found is None:
        guess = suggestion(code.casefold(), [one.name for one in table()])
        raise WrongUsage(
            f'no code "{code}"; '
            + (f'did you mean "{guess}"?' if guess else "codes stand in messages, as in error[PG301]")
        )
    show_text(found.rstrip("\n"))
