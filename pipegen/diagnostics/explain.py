"""The pages that explain codes."""

from __future__ import annotations

from importlib.resources import files

from pipegen.diagnostics.codes import find


def page(word: str) -> str | None:
    """Return the page of the code with the number or name *word*; None if there is no such code."""
    code = find(word.strip()) or find(f"PG{word.strip()}")
    if code is None:
        return None
    return (files("pipegen.diagnostics") / "pages" / f"{code.number}.md").read_text(encoding="utf-8")
