"""A difference for programs: see docs/changes.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pipegen.difference.model import (
    ChangedStages,
    ConfigDifference,
    KeyChange,
    LongestPath,
    NamedChange,
    Pairs,
    PipelineDifference,
    PlacedStage,
    Prompt,
    Whole,
)

# Of this format: raised where a key changes its meaning or goes.
_VERSION = 1


def render(found: ConfigDifference) -> str:
    """Return *found* as a JSON document."""
    return json.dumps(_data(found), indent=2) + "\n"


def _data(found: ConfigDifference) -> dict[str, object]:
    return {
        "version": _VERSION,
        "old": found.old,
        "new": found.new,
        "changed": found.is_any,
        "unit": "seconds" if found.is_timed else "stages",
        "inputs": _named(found.inputs),
        "targets": _named(found.targets),
        "pipelines": {
            "added": [_whole(one) for one in found.added],
            "removed": [_whole(one) for one in found.removed],
            "changed": [_pipeline(one) for one in found.pipelines],
        },
    }


def _named(found: Sequence[NamedChange]) -> list[object]:
    return [{"name": one.name, "change": one.kind.value, "keys": _keys(one.changes)} for one in found]


def _whole(one: Whole) -> dict[str, object]:
    return {
        "name": one.name,
        "stages": list(one.stages),
        "longest_path": _path(one.path),
        "asks": _asked(one.asked),
    }


def _pipeline(one: PipelineDifference) -> dict[str, object]:
    return {
        "name": one.name,
        "old_name": one.old_name,
        "keys": _keys(one.changes),
        "stages": {
            "added": [_placed(placed) for placed in one.added],
            "removed": [_placed(placed) for placed in one.removed],
            "renamed": [{"old": renamed.old, "new": renamed.new} for renamed in one.renamed],
            "changed": [_changed(changed) for changed in one.changed],
        },
        "order": {"gained": _pairs(one.gained), "lost": _pairs(one.lost)},
        "longest_path": {"old": _path(one.old_path), "new": _path(one.new_path)},
        "asks": {"newly": _asked(one.newly_asked), "no_more": _asked(one.asked_no_more)},
    }


def _keys(changes: Iterable[KeyChange]) -> list[object]:
    return [{"key": change.key, "old": change.old, "new": change.new} for change in changes]


def _placed(one: PlacedStage) -> dict[str, object]:
    return {
        "stage": one.stage,
        "after": list(one.after),
        "before": list(one.before),
        "keys": _keys(one.changes),
    }


def _changed(one: ChangedStages) -> dict[str, object]:
    return {"stages": list(one.stages), "keys": _keys(one.changes)}


def _pairs(found: Pairs) -> dict[str, object]:
    arcs = [{"stages": list(earlier), "before": list(later)} for earlier, later in found.arcs]
    return {"pairs": found.count, "arcs": arcs}


def _path(path: LongestPath) -> dict[str, object]:
    return {"stages": list(path.stages), "length": path.length}


def _asked(found: Iterable[Prompt]) -> list[object]:
    return [{"stage": one.stage, "secret": one.secret or None} for one in found]
