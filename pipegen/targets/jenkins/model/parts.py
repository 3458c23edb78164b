"""Traversal of the model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

# Types of fields that contain only texts and numbers.
_PLAIN = frozenset(
    {"str", "bool", "int", "int | None", "tuple[str, ...]", "tuple[tuple[str, str], ...]", "ClassVar[str]"}
)


def parts_of(*values: object) -> Iterator[object]:
    """Yield the nouns of the model in *values*, with those they contain, in no order, without texts and numbers."""
    pending = [*values]
    for value in pending:
        kind: type = type(value)
        if isinstance(value, tuple):
            pending += value
        elif (fields := _fields(kind)) is not None:
            yield value
            if fields:
                pending += [part for name in fields if (part := getattr(value, name))]


@cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a noun that may contain others; None for any other value."""
    declared = getattr(kind, "__annotations__", None)
    return tuple(name for name, type_ in declared.items() if type_ not in _PLAIN) if declared else None
