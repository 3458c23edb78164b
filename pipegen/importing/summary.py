"""The outcome of an import by construct, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pipegen.importing.accounting import Count, KeyOutcome


def as_text(count: Count) -> str:
    """Return *count* as a table: the constructs that are not all translated first."""
    rows = sorted(by_construct(count).items(), key=lambda row: (-_left(row[1]), row[0]))
    header = ("construct", *(outcome.value for outcome in KeyOutcome))
    table = [header, *((name, *(str(numbers[outcome]) for outcome in KeyOutcome)) for name, numbers in rows)]
    table.append(("all", *(str(count.number(outcome)) for outcome in KeyOutcome)))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        f"{row[0]:{widths[0]}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in table
    )


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
            for name, numbers in sorted(by_construct(count).items())
        },
    }


def by_construct(count: Count) -> dict[str, dict[KeyOutcome, int]]:
    """Return the number of keys of each construct by outcome."""
    constructs: dict[str, dict[KeyOutcome, int]] = {}
    for name, outcome, number in count.constructs:
        constructs.setdefault(name, dict.fromkeys(KeyOutcome, 0))[outcome] += number
    return constructs


def _left(numbers: Mapping[KeyOutcome, int]) -> int:
    return numbers[KeyOutcome.RAW] + numbers[KeyOutcome.REPORTED]
