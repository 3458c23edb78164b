"""Keys of a job in GitLab's own syntax."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.diagnostics.codes import RAW_REPLACES
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.plan.model import Job
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, Sequence

_TARGET = "gitlab"
# Keys that define the order, the values and the files of a run.
_GENERATED = ("stage", "needs", "dependencies", "extends", "before_script", "script", "rules", "when", "trigger")


def lower_raw(job: Job, report: Report) -> Mapping[str, Data]:
    """Return the GitLab keys of *job*; keys that replace generated ones are reported."""
    raw: dict[str, Data] = {}
    for target, keys in job.raw:
        if target != _TARGET:
            continue
        for entry in keys.entries:
            if entry.key.text in _GENERATED:
                report.add(
                    RAW_REPLACES,
                    f'"{entry.key.text}" of stage "{job.title}" replaces the key that pipegen generates',
                    at=entry.key.span,
                    hint="use pipegen's own key if there is one: order, values and files depend on the generated key",
                )
            raw[entry.key.text] = _data(entry.value)
    return raw


def _data(node: Node) -> Data:
    match node:
        case TreeMapping():
            return {entry.key.text: _data(entry.value) for entry in node.entries}
        case Sequence():
            return [_data(item) for item in node.items]
        case Scalar():
            return node.value
