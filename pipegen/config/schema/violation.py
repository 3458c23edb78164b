"""The model of a schema violation, independent of jsonschema."""

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
        path: the path of the value in the tree.
        key: the unknown or missing key, for rules about keys.
        value: the value, as plain data.
        limit: the value of the keyword in the schema; for "type" a tuple of the names of all allowed types.
        schema: the schema with the keyword.
    """

    UNCOMPARED: ClassVar = ("value", "limit", "schema")

    keyword: str
    path: Path
    key: str
    value: object
    limit: object
    schema: Mapping[str, object]


def type_name(value: object) -> str:
    """Return JSON Schema's name for the type of *value*."""
    return next(name for kind, name in _TYPES if isinstance(value, kind))


# In Python, bool is a subclass of int, so it comes first.
_TYPES: tuple[tuple[type, str], ...] = (
    (NoneType, "null"),
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (object, "object"),
)
