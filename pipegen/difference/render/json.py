"""A difference as JSON: see docs/changes.md."""

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
    PipelineSummary,
    Prompt,
    UnmatchedStage,
)

# The version of this format, increased if a key changes its meaning or is removed.
_VERSION = 1


def render(difference: ConfigDifference) -> str:
    """Return *difference* as a JSON document."""
    return json.dumps(_data(difference), indent=2) + "\n"


def _data(difference: ConfigDifference) -> dict[str, object]:
    return {
        "version": _VERSION,
        "old": difference.old,
        "new": difference.new,
        "changed": difference.has_changes,
        "unit": "seconds" if difference.is_timed else "stages",
        "inputs": _named(difference.inputs),
        "targets": _named(difference.targets),
        "pipelines": {
            "added": [_summary(item) for item in difference.added],
            "removed": [_summary(item) for item in difference.removed],
            "changed": [_pipeline(item) for item in difference.pipelines],
        },
    }


def _named(named_changes: Sequence[NamedChange]) -> list[object]:
    return [
        {"name": named_change.name, "change": named_change.kind.value, "keys": _keys(named_change.changes)}
        for named_change in named_changes
    ]


def _summary(summary: PipelineSummary) -> dict[str, object]:
    return {
        "name": summary.name,
        "stages": list(summary.stages),
        "longest_path": _path(summary.path),
        "asks": _prompts(summary.prompts),
    }


def _pipeline(pipeline: PipelineDifference) -> dict[str, object]:
    return {
        "name": pipeline.name,
        "old_name": pipeline.old_name,
        "keys": _keys(pipeline.changes),
        "stages": {
            "added": [_unmatched(stage) for stage in pipeline.added],
            "removed": [_unmatched(stage) for stage in pipeline.removed],
            "renamed": [{"old": rename.old, "new": rename.new} for rename in pipeline.renamed],
            "changed": [_changed(changed) for changed in pipeline.changed],
        },
        "order": {"gained": _pairs(pipeline.gained), "lost": _pairs(pipeline.lost)},
        "longest_path": {"old": _path(pipeline.old_path), "new": _path(pipeline.new_path)},
        "asks": {"newly": _prompts(pipeline.newly_asked), "no_more": _prompts(pipeline.no_longer_asked)},
    }


def _keys(changes: Iterable[KeyChange]) -> list[object]:
    return [{"key": change.key, "old": change.old, "new": change.new} for change in changes]


def _unmatched(stage: UnmatchedStage) -> dict[str, object]:
    return {
        "stage": stage.stage,
        "after": list(stage.after),
        "before": list(stage.before),
        "keys": _keys(stage.changes),
    }


def _changed(changed: ChangedStages) -> dict[str, object]:
    return {"stages": list(changed.stages), "keys": _keys(changed.changes)}


def _pairs(pairs: Pairs) -> dict[str, object]:
    arcs = [{"stages": list(earlier), "before": list(later)} for earlier, later in pairs.arcs]
    return {"pairs": pairs.count, "arcs": arcs}


def _path(path: LongestPath) -> dict[str, object]:
    return {"stages": list(path.stages), "length": path.length}


def _prompts(prompts: Iterable[Prompt]) -> list[object]:
    return [{"stage": prompt.stage, "secret": prompt.secret or None} for prompt in prompts]
