"""Files that a stage asks for by name, of one that may leave none."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked, CheckedStage
from pipegen.plan.model.logic import implies
from pipegen.source.text import Span
from pipegen.source.tree import Scalar, Sequence


def check(checked: Checked, report: Report) -> None:
    """Report names in `files_from` of stages that may be skipped, or fail, when the one that asks for them runs."""
    works = {(id(work.plan), work.job.stage): work for work in checked.work()}
    for work in checked.work():
        if work.stage.files_from is None or work.job.is_final:
            continue
        for stage in work.job.files:
            producer = works[id(work.plan), stage]
            name = _place(work, producer.stage.said)
            cause = _cause(producer, work)
            if cause is not None and name is not None:
                report.add(
                    codes.FILES_MAY_BE_ABSENT,
                    f'stage "{work.stage.said}" wants the files of "{producer.stage.said}", which may leave none',
                    at=name,
                    also=[cause],
                    hint=f'give stage "{work.stage.said}" the same "when", or take the name out',
                )


def _cause(producer: CheckedStage, reader: CheckedStage) -> Label | None:
    """Return why *producer* may leave nothing though *reader* runs."""
    if producer.job.limits.allow_failure is not None:
        return Label(producer.job.limits.allow_failure.span, "it may fail")
    made = producer.stage.when
    if made is not None and not implies(reader.job.condition, producer.job.condition):
        return Label(made.span, "it may be skipped")
    return None


def _place(work: CheckedStage, name: str) -> Span | None:
    node = work.stage.files_from.node if work.stage.files_from is not None else None
    names = node.items if isinstance(node, Sequence) else ()
    return next((item.span for item in names if isinstance(item, Scalar) and item.text == name), None)
