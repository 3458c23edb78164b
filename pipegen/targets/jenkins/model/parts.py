"""All that a part of the model holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

_PLAIN = frozenset({str, bool, int, type(None)})


def parts_of(*values: object) -> Iterator[object]:
    """Yield the nouns of the model in *values* and in what these hold, in no order; texts and numbers are none."""
    waiting = [*values]
    while waiting:
        value = waiting.pop()
        kind: type = type(value)
        held: Iterable[object] = ()
        if isinstance(value, tuple):
            held = value
        elif names := _fields(kind):
            yield value
            held = [getattr(value, name) for name in names]
        waiting += [one for one in held if type(one) not in _PLAIN]


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """Return the fields of a noun; anything else has none."""
    return tuple(getattr(kind, "__annotations__", ()))
