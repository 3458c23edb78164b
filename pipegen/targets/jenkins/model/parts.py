"""All that a part of the model holds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

# What is declared so is a text, a number or several of these, and no noun.
_PLAIN = frozenset(
    {"str", "bool", "int", "int | None", "tuple[str, ...]", "tuple[tuple[str, str], ...]", "ClassVar[str]"}
)


def parts_of(*values: object) -> Iterator[object]:
    """Yield the nouns of the model in *values* and in what these hold, in no order; texts and numbers are none."""
    found = [*values]
    for value in found:
        kind: type = type(value)
        if isinstance(value, tuple):
            found += value
        elif (fields := _fields(kind)) is not None:
            yield value
            if fields:
                found += [held for name in fields if (held := getattr(value, name))]


@cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a noun that may hold others; None for what is no noun."""
    declared = getattr(kind, "__annotations__", None)
    return tuple(name for name, told in declared.items() if told not in _PLAIN) if declared else None
