"""What stands anywhere in a plan's data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from pipegen.structs import Struct

T = TypeVar("T")


def found(kind: type[T], value: object) -> Iterator[T]:
    """Yield what of *kind* is *value*, or stands in it; what stands in such a thing is not looked for."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from found(kind, item)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from found(kind, getattr(value, name))
