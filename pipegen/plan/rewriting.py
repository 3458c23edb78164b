"""Values of a plan taken apart, and put together with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, TypeVar, cast

from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Scalar, Sequence
from pipegen.structs import Struct, replace

T = TypeVar("T")

# Places, and what is handed on as the user wrote it.
_LEAVES = (str, int, float, type(None), Enum, Span, Mapping, Scalar, Sequence)


def parts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the parts of *value* with their names, "" for the items of a tuple; what cannot be taken apart has none."""
    if isinstance(value, _LEAVES):
        return
    if isinstance(value, tuple):
        yield from (("", item) for item in value)
    elif isinstance(value, Struct):
        yield from ((name, getattr(value, name)) for name in value.__struct_fields__)


def rewritten(value: T, change: Callable[[object], object]) -> T:
    """Return *value* with each part that *change* knows another one for replaced, outermost first.

    *change* returns what it does not know as it is; what it has put in place is not looked into.
    """
    changed = change(value)
    if changed is not value:
        return cast("T", changed)
    found = [(name, old, rewritten(old, change)) for name, old in parts(value)]
    if all(new is old for _, old, new in found):
        return value
    if isinstance(value, tuple):
        return cast("T", tuple(new for _, _, new in found))
    return cast("T", replace(cast("Any", value), **{name: new for name, old, new in found if new is not old}))
