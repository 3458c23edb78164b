"""Reads of outputs that never exist: no run contains both the reader and the producer."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.plan.model import AllOf
from pipegen.plan.model.logic import can_hold


def check(config: CheckedConfig, report: Report) -> None:
    """Report a stage that reads another stage's output and always gets the default."""
    for stage in config.stages():
        reader, when = stage.job.condition, stage.config.when
        if reader is None or when is None or not can_hold(reader):
            continue
        for producer_name in dict.fromkeys(output.stage for output in stage.job.reads):
            producer = config.stage(stage.plan, producer_name)
            condition, producer_when = producer.job.condition, producer.config.when
            if condition is None or producer_when is None or not can_hold(condition):
                continue
            if not can_hold(AllOf((condition, reader))):
                report.add(
                    codes.NEVER_TOGETHER,
                    f'stage "{stage.config.display_name}" reads an output of "{producer.config.display_name}", '
                    "but no run has both: it always gets the default",
                    at=when.span,
                    related=[Label(producer_when.span, "never true in the same run")],
                    hint="replace the reference by its default, or change one of the conditions",
                )
