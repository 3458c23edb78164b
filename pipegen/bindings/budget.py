"""How much a config may come to when what it repeats is written out: a few lines can double without end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from pipegen.bindings.expression import Part
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import Span
from pipegen.structs import MutableStruct

MOST_ITEMS = 200_000
# More than a config may hold itself.
MOST_CHARACTERS = 16_000_000


class Budget(MutableStruct):
    """What is left for all values of a config: *items* of lists and parts of texts, and *characters* of texts."""

    items: int = MOST_ITEMS
    characters: int = MOST_CHARACTERS

    def spend(self, items: int, characters: int, span: Span, report: Report) -> None:
        """Count what the value at *span* comes to; report the first that comes to too much, and stop."""
        self.items -= items
        self.characters -= characters
        if self.items < 0:
            _exceed(f"{MOST_ITEMS:,} items and parts of texts", span, report)
        if self.characters < 0:
            _exceed(f"{MOST_CHARACTERS:,} characters", span, report)

    def spend_parts(self, parts: Sequence[Part], span: Span, report: Report) -> None:
        """Count *parts* that are put into the text at *span*."""
        self.spend(len(parts), sum(len(part) for part in parts if isinstance(part, str)), span, report)


def _exceed(bound: str, span: Span, report: Report) -> NoReturn:
    report.add(
        codes.TOO_LARGE_VALUES,
        f"with this value, what references, operators and templates stand for comes to more than {bound}",
        at=span,
        hint="repeat values in fewer places, or let a script in the repository put them together",
    )
    raise Stopped
