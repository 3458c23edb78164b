"""What a value does against its schema, free of the library that found it."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import ClassVar, TypeAlias

from pipegen.structs import SpannedStruct

Path: TypeAlias = tuple[str | int, ...]


class Violation(SpannedStruct, kw_only=True):
    """One rule of a schema that one value breaks.

    Attributes:
        keyword: the rule's keyword in JSON Schema.
        path: where the value stands in the tree.
        key: the unknown or missing key, for rules about keys.
        value: the value, as plain data.
        limit: what the keyword says; for "type" a tuple of the names of all types that would do.
        schema: the schema that holds the keyword.
    """

    UNCOMPARED: ClassVar = ("value", "limit", "schema")

    keyword: str
    path: Path
    key: str = ""
    value: object
    limit: object
    schema: Mapping[str, object]


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
