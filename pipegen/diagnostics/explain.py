"""The pages that explain codes."""

from __future__ import annotations

from importlib.resources import files

from pipegen.diagnostics.codes import table


def page(word: str) -> str | None:
    """Return the page of the code that *word* is the number or the name of, in any case; None for no code."""
    wanted = word.strip().casefold()
    for code in table():
        if wanted in {code.number.casefold(), code.name.casefold()}:
            return (files("pipegen.diagnostics") / "pages" / f"{code.number}.md").read_text(encoding="utf-8")
    return None
