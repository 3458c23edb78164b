"""Reads of the files of a stage that may be skipped or fail."""

from __future__ import annotations

from pipegen.config.model import StageName
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.plan.model.logic import implies
from pipegen.source.text import Span
from pipegen.source.tree import Scalar, items_of


def check(config: CheckedConfig, report: Report) -> None:
    """Report names in `files_from` and `trigger` of stages that may be skipped or fail when the reading stage runs."""
    for stage in config.stages():
        if (stage.config.files_from is None and stage.config.trigger is None) or stage.job.is_final:
            continue
        for producer_name in stage.job.files:
            producer = config.stage(stage.plan, producer_name)
            span = _name_span(stage, producer.config.display_name)
            cause, remedy = _cause(producer, stage)
            if cause is not None and span is not None:
                report.add(
                    codes.FILES_MAY_BE_ABSENT,
                    f'stage "{stage.config.display_name}" needs the files of "{producer.config.display_name}", '
                    "which may produce none",
                    at=span,
                    related=[cause],
                    hint=remedy if stage.config.files_from is None else f"{remedy}, or remove the name",
                )


def _cause(producer: CheckedStage, reader: CheckedStage) -> tuple[Label | None, str]:
    """Return why *producer* may have no files when *reader* runs, and how to change that."""
    if producer.job.limits.allow_failure is not None:
        remedy = f'remove "allow_failure" of stage "{producer.config.display_name}"'
        return Label(producer.job.limits.allow_failure.span, "it may fail"), remedy
    condition = producer.config.when
    if condition is not None and not implies(reader.job.condition, producer.job.condition):
        remedy = f'give stage "{reader.config.display_name}" the same "when"'
        return Label(condition.span, "it may be skipped"), remedy
    return None, ""


def _name_span(stage: CheckedStage, name: str) -> Span | None:
    node = stage.config.files_from.node if stage.config.files_from is not None else None
    names = [StageName.read(item.located(), is_whole=False) for item in items_of(node) if isinstance(item, Scalar)]
    files = stage.config.trigger.include if stage.config.trigger is not None else ()
    spans = [each.span for each in names if name in (each.value, each.written)]
    spans += [file.stage.span for file in files if file.stage is not None and file.stage.value == name]
    return next(iter(spans), None)
