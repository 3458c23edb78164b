"""Traversal and replacement of the parts of a plan's values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from operator import is_
from typing import TypeVar, cast

from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Scalar, Sequence
from pipegen.structs import Struct, replace

T = TypeVar("T")

# Spans, and values that are passed on as the user wrote them.
_LEAVES = (str, int, float, type(None), Enum, Span, Mapping, Scalar, Sequence)


def parts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the parts of *value* with their names, "" for the items of a tuple; a leaf has none."""
    if isinstance(value, _LEAVES):
        return
    if isinstance(value, tuple):
        yield from (("", item) for item in value)
    elif isinstance(value, Struct):
        yield from ((name, getattr(value, name)) for name in value.__struct_fields__)


def rewritten(value: T, change: Callable[[object], object]) -> T:
    """Return *value* with each part replaced that *change* replaces, outermost first.

    *change* returns other parts unchanged; replacements are not traversed.
    """
    changed = change(value)
    if changed is not value:
        return cast("T", changed)
    if isinstance(value, tuple):
        items = tuple([rewritten(item, change) for item in value])
        return value if all(map(is_, items, value)) else cast("T", items)
    if isinstance(value, _LEAVES) or not isinstance(value, Struct):
        return value
    fields = [(name, old, rewritten(old, change)) for name, old in parts(value)]
    changes = {name: new for name, old, new in fields if new is not old}
    return replace(value, **changes) if changes else value
