"""A limit on the expanded size of a config: a few lines can double without end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from pipegen.bindings.expression import Part
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import Span
from pipegen.structs import MutableStruct

_MAX_ITEMS = 200_000
# More than the largest config file has.
_MAX_CHARACTERS = 16_000_000


class Budget(MutableStruct):
    """The *items* of lists, parts of texts and *characters* that a config may still expand to."""

    items: int = _MAX_ITEMS
    characters: int = _MAX_CHARACTERS

    def spend(self, items: int, characters: int, span: Span, report: Report) -> None:
        """Subtract the size of the value at *span*; report the first value that exceeds the budget, and stop."""
        self.items -= items
        self.characters -= characters
        if self.items < 0:
            _exceed(f"{_MAX_ITEMS:,} items and parts of texts", span, report)
        if self.characters < 0:
            _exceed(f"{_MAX_CHARACTERS:,} characters", span, report)

    def spend_parts(self, parts: Sequence[Part], span: Span, report: Report) -> None:
        """Subtract *parts*, which are inserted into the text at *span*."""
        self.spend(len(parts), sum(len(part) for part in parts if isinstance(part, str)), span, report)


def _exceed(limit: str, span: Span, report: Report) -> NoReturn:
    report.add(
        codes.TOO_LARGE_VALUES,
        f"this value makes the expanded config larger than {limit}",
        at=span,
        hint="repeat values in fewer places, or combine them in a script in the repository",
    )
    raise Stopped
