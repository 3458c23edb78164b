"""Reads of outputs that are never there: reader and producer run in no run both."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.plan.model import AllOf
from pipegen.plan.model.logic import can_hold


def check(checked: Checked, report: Report) -> None:
    """Report a stage that reads another one's output by a default, and always gets the default."""
    works = {(id(work.plan), work.job.stage): work for work in checked.work()}
    for work in checked.work():
        asked = work.job.condition
        for stage in dict.fromkeys(output.stage for output in work.job.reads) if asked is not None else ():
            producer = works[id(work.plan), stage]
            made = producer.job.condition
            if made is None or made == asked or asked is None or can_hold(AllOf((made, asked))):
                continue
            if can_hold(made) and can_hold(asked) and work.stage.when and producer.stage.when:
                report.add(
                    codes.NEVER_TOGETHER,
                    f'stage "{work.stage.said}" reads an output of "{producer.stage.said}", '
                    "and no run has both: it always gets the default",
                    at=work.stage.when.span,
                    also=[Label(producer.stage.when.span, "never holds in the same run")],
                    hint="write the default in place of the reference, or let both run",
                )
