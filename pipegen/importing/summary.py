"""The outcome of an import by construct, as text, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pipegen.diagnostics.model import Diagnostic
from pipegen.importing.accounting import Count, KeyOutcome
from pipegen.pictures.chart import Table, render_chart
from pipegen.visible import visible

_HEADER = ("construct", *(outcome.value for outcome in KeyOutcome))


def as_text(count: Count) -> str:
    """Return *count* as a table: the constructs that are not all translated first."""
    table = [_HEADER, *_rows(count)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        f"{row[0]:{widths[0]}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in table
    )


def as_page(path: str, count: Count, words: Sequence[str], diagnostics: Sequence[Diagnostic]) -> str:
    """Return a page about the import of the pipeline at *path*: *words*, *count*, and the *diagnostics* by line."""
    lines = tuple(
        (
            visible(
                f"{diagnostic.primary.span.file.path}:{diagnostic.primary.span.first.line}"
                if diagnostic.primary
                else path
            ),
            f"{diagnostic.code.number} {diagnostic.code.name}",
            visible(diagnostic.message),
            visible(diagnostic.hint or ""),
        )
        for diagnostic in diagnostics
    )
    return render_chart(
        title=visible(f"Import of {path}"),
        heading=visible(f"Import of {path}"),
        words=[visible(line) for line in words],
        chart="",
        tables=[
            Table("Constructs", _HEADER, tuple(tuple(map(visible, row)) for row in _rows(count))),
            Table("Diagnostics", ("line", "code", "message", "hint"), lines),
        ],
    )


def _rows(count: Count) -> list[tuple[str, ...]]:
    """Return the numbers of each construct, and of all."""
    rows = sorted(_by_construct(count).items(), key=lambda row: (-_left(row[1]), row[0]))
    numbers = [(name, *(str(outcomes[outcome]) for outcome in KeyOutcome)) for name, outcomes in rows]
    return [*numbers, ("all", *(str(count.number(outcome)) for outcome in KeyOutcome))]


def as_data(count: Count) -> str:
    """Return *count* as a JSON document."""
    return json.dumps(data(count), indent=2)


def data(count: Count) -> Mapping[str, object]:
    """Return *count* as plain data."""
    return {
        "keys": count.keys,
        **{outcome.value: count.number(outcome) for outcome in KeyOutcome},
        "constructs": {
            name: {outcome.value: numbers[outcome] for outcome in KeyOutcome}
            for name, numbers in sorted(_by_construct(count).items())
        },
    }


def _by_construct(count: Count) -> dict[str, dict[KeyOutcome, int]]:
    """Return the number of keys of each construct by outcome."""
    constructs: dict[str, dict[KeyOutcome, int]] = {}
    for name, outcome, number in count.constructs:
        constructs.setdefault(name, dict.fromkeys(KeyOutcome, 0))[outcome] += number
    return constructs


def _left(numbers: Mapping[KeyOutcome, int]) -> int:
    return numbers[KeyOutcome.ELSEWHERE] + numbers[KeyOutcome.RAW] + numbers[KeyOutcome.REPORTED]
