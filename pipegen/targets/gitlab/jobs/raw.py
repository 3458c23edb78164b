"""Keys of a job that the user writes as GitLab reads them."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.diagnostics.codes import RAW_REPLACES
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.plan.model import Job
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, Sequence

_TARGET = "gitlab"
# What makes the order, the values and the files of a run.
_OURS = ("stage", "needs", "dependencies", "extends", "before_script", "script", "rules", "when", "trigger")


def lower_raw(job: Job, report: Report) -> Mapping[str, Data]:
    """Return what *job* says to GitLab alone; what takes the place of something of ours is reported."""
    found: dict[str, Data] = {}
    for target, keys in job.raw:
        if target != _TARGET:
            continue
        for entry in keys.entries:
            if entry.key.text in _OURS:
                report.add(
                    RAW_REPLACES,
                    f'"{entry.key.text}" of stage "{job.title}" takes the place of what pipegen writes there',
                    at=entry.key.span,
                    hint="leave it out where a key of pipegen's own says the same: order, values and files hang on it",
                )
            found[entry.key.text] = _data(entry.value)
    return found


def _data(node: Node) -> Data:
    match node:
        case TreeMapping():
            return {entry.key.text: _data(entry.value) for entry in node.entries}
        case Sequence():
            return [_data(item) for item in node.items]
        case Scalar():
            return node.value
