"""`pipegen explain`: shows the page of a diagnostic."""

import click

from pipegen.cli.exits import WrongUsage
from pipegen.cli.parameters import beginning_with
from pipegen.cli.terminal.streams import show_text
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.explain import page
from pipegen.diagnostics.report import suggestion


@click.command("explain")
@click.argument(
    "code",
    help='A code or its name: "PG301", "unknown-stage".',
    shell_complete=beginning_with(lambda: (text for code in table() for text in (code.number, code.name))),
)
def explain(code: str) -> None:
    """Explain a diagnostic: its cause, its impact, and how to fix it."""
    text = page(code)
    if text is None:
        similar = suggestion(code.casefold(), [entry.name for entry in table()])
        raise WrongUsage(
            f'no code "{code}"; '
            + (f'did you mean "{similar}"?' if similar else "messages contain codes, for example error[PG301]")
        )
    show_text(text.rstrip("\n"))
