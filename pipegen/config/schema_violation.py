"""What a value does against its schema, free of the library that found it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Violation:
    """One rule of a schema that one value breaks.

    Attributes:
        keyword: the rule's keyword in JSON Schema.
        path: where the value stands in the tree.
        key: the unknown or missing key, for rules about keys.
        value: the value, as plain data.
        limit: what the keyword says; for "type" a tuple of the names of all types that would do.
        schema: the schema that holds the keyword.
    """

    keyword: str
    path: Path
    key: str = ""
    value: object = field(compare=False)
    limit: object = field(compare=False)
    schema: Mapping[str, object] = field(compare=False)


def type_name(value: object) -> str:
    """Return the name that JSON Schema has for the type of *value*."""
    return next(name for kind, name in _TYPES if isinstance(value, kind))


# A boolean is an int to Python, so it comes first.
_TYPES: tuple[tuple[type, str], ...] = (
    (NoneType, "null"),
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (object, "object"),
)
