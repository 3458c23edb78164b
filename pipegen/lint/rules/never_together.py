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
        reader_condition = stage.job.condition
        for producer_name in (
            dict.fromkeys(output.stage for output in stage.job.reads) if reader_condition is not None else ()
        ):
            producer = config.stage(stage.plan, producer_name)
            producer_condition = producer.job.condition
            if (
                producer_condition is None
                or producer_condition == reader_condition
                or reader_condition is None
                or can_hold(AllOf((producer_condition, reader_condition)))
            ):
                continue
            if (
                can_hold(producer_condition)
                and can_hold(reader_condition)
                and stage.config.when
                and producer.config.when
            ):
                report.add(
                    codes.NEVER_TOGETHER,
                    f'stage "{stage.config.display_name}" reads an output of "{producer.config.display_name}", '
                    "but no run has both: it always gets the default",
                    at=stage.config.when.span,
                    related=[Label(producer.config.when.span, "never true in the same run")],
                    hint="replace the reference by its default, or change one of the conditions",
                )
