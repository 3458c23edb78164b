"""Violations that are none until it is known what a stage inherits."""

from __future__ import annotations

from pipegen.config.schema.places import DEFAULTS, STAGE, TEMPLATE, TreePaths
from pipegen.config.schema.violation import Path, Violation

_INCOMPLETE = ("required", "dependentRequired", "minProperties")


def without_unsettled(violations: tuple[Violation, ...], places: TreePaths) -> tuple[Violation, ...]:
    """Return *violations* without those that a template, or the defaults of a pipeline, may settle.

    A part of a stage may lack what another part gives, and a key without a value takes an inherited one away.
    """
    return tuple(one for one in violations if not (_is_incomplete(one) and _is_part(one.path, places)))


def _is_incomplete(violation: Violation) -> bool:
    match violation.keyword, violation.limit:
        case (("anyOf" | "oneOf"), [*groups]):
            return all(isinstance(group, list) for group in groups)
        case "type", _:
            return violation.value is None and bool(violation.path) and isinstance(violation.path[-1], str)
        case keyword, _:
            return keyword in _INCOMPLETE


def _is_part(path: Path, places: TreePaths) -> bool:
    """Return whether *path* lies in a template, in defaults, or in a stage that inherits from those."""
    pattern = places.pattern(path)
    if any(pattern[: len(outer)] == outer for outer in (TEMPLATE, DEFAULTS)):
        return True
    if pattern[: len(STAGE)] != STAGE or len(pattern) == len(STAGE):
        return False
    pipeline, stage = path[:2], path[: len(STAGE)]
    return "defaults" in places.keys(pipeline) or "extends" in places.keys(stage)
