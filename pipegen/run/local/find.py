"""Search in the data of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from pipegen.structs import Struct

T = TypeVar("T")


def instances(kind: type[T], value: object) -> Iterator[T]:
    """Yield the outermost instances of *kind* in *value*, including *value* itself."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from instances(kind, item)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from instances(kind, getattr(value, name))
