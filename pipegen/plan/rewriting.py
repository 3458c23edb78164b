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
_LEAF_STRUCTS = (Span, Mapping, Scalar, Sequence)
_LEAVES = (str, int, float, type(None), Enum, *_LEAF_STRUCTS)
_NESTED = (tuple, Struct)


def parts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the parts of *value* with their names, "" for the items of a tuple; a leaf has none."""
    if isinstance(value, _LEAVES):
        return
    if isinstance(value, tuple):
        yield from (("", item) for item in value)
    elif isinstance(value, Struct):
        yield from ((name, getattr(value, name)) for name in value.__struct_fields__)


def instances(kind: type[T], value: object) -> Iterator[T]:
    """Yield the outermost instances of *kind* in *value*, including *value* itself."""
    if isinstance(value, kind):
        yield value
        return
    for _, part in parts(value):
        yield from instances(kind, part)


def rewritten(value: T, change: Callable[[object], object]) -> T:
    """Return *value* with each struct in it replaced that *change* replaces, outermost first.

    *change* returns other structs unchanged; replacements are not traversed.
    """
    if isinstance(value, tuple):
        items = tuple([rewritten(item, change) for item in value])
        return value if all(map(is_, items, value)) else cast("T", items)
    if not isinstance(value, Struct) or type(value) in _LEAF_STRUCTS:
        return value
    changed = change(value)
    if changed is not value:
        return cast("T", changed)
    changes = {}
    for name in value.__struct_fields__:
        old = getattr(value, name)
        if old and isinstance(old, _NESTED) and (new := rewritten(old, change)) is not old:
            changes[name] = new
    return replace(value, **changes) if changes else value
