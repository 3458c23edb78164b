"""`pipegen explain`: shows the page of a diagnostic."""

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
    text = page(code)
    if text is None:
        similar = suggestion(code.casefold(), [entry.name for entry in table()])
        raise WrongUsage(
            f'no code "{code}"; '
            + (f'did you mean "{similar}"?' if similar else "messages contain codes, for example error[PG301]")
        )
    show_text(text.rstrip("\n"))
