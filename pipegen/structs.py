"""What data is made of: structs that never change, and those that the one module owning them may change.

This is the door to msgspec, whose structs are made in C: to define a class of them costs a fiftieth of a dataclass, to
make an instance an eighth (CPython 3.11). Defining classes was a third of pipegen's start, making instances a fifth of
compiling a large config. Fields are declared as those of dataclasses are, and mypy knows them alike.

The collector of garbage does not look at what never changes: it is made of what was there before it, so no cycle goes
through it, and each takes a quarter less memory. It does look at those that keep what they have worked out (`dict=True`
asks for `gc=True`).
"""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, TypeVar, dataclass_transform

import msgspec
from msgspec import field

__all__ = ["MutableStruct", "SpannedStruct", "Struct", "converted", "field", "from_json", "replace"]

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Struct(msgspec.Struct, frozen=True, gc=False):
    """A value: it never changes, and equals another of its class whose fields are equal."""


class SpannedStruct(Struct, eq=False):
    """A value that knows where it was written: equal ones may stand in different places."""

    UNCOMPARED: ClassVar[tuple[str, ...]] = ("span",)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        compared = _compared(type(self))
        return bool(compared(self) == compared(other))

    def __ne__(self, other: object) -> bool:  # the one of msgspec knows nothing of ours above
        return not self == other

    def __hash__(self) -> int:
        return hash(_compared(type(self))(self))


class MutableStruct(msgspec.Struct):
    """A record that its owner changes in place."""


def replace(value: S, /, **changes: Any) -> S:
    """Return *value* with other values in the fields that *changes* names."""
    return msgspec.structs.replace(value, **changes)


def converted(data: object, kind: type[T]) -> T:
    """Return *data*, as a parser of JSON makes it, as a *kind* of struct; raise `ValueError` where it is none."""
    return msgspec.convert(data, kind)


def from_json(text: bytes) -> Any:
    """Return the data that the JSON *text* says: `json` would have to be imported, and takes twice as long."""
    return msgspec.json.decode(text)


@cache
def _compared(kind: type[SpannedStruct]) -> Callable[[object], object]:
    """Return what reads the fields of *kind* that decide whether two of it are equal."""
    return attrgetter(*(name for name in kind.__struct_fields__ if name not in kind.UNCOMPARED))
