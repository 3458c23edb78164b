"""Conditions, and alternatives in them, that are never true when they are evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.plan.model import NEVER, AllOf, AnyOf, Condition, Not
from pipegen.plan.model.logic import atoms, can_hold
from pipegen.source.text import Span


def check(config: CheckedConfig, report: Report) -> None:
    """Report a stage's `when` that is true in no run of its pipeline, and alternatives of `any` that are never true."""
    spans = {
        plan.name: pipeline.when.span
        for pipeline, plan in zip(config.pipelines, config.plans, strict=True)
        if pipeline.when
    }
    for plan in config.plans:
        _check_alternatives(plan.condition, None, report)
    for stage in config.stages():
        condition, pipeline_condition = stage.job.condition, stage.plan.condition
        if condition is None or condition == NEVER or stage.config.when is None or not can_hold(condition):
            continue
        if (
            pipeline_condition is not None
            and pipeline_condition != NEVER
            and not can_hold(AllOf((pipeline_condition, condition)))
        ):
            report.add(
                codes.CONDITION_NEVER_TRUE,
                f'the "when" of stage "{stage.config.display_name}" is never true when that of its pipeline is true',
                at=stage.config.when.span,
                related=[Label(spans[stage.plan.name], f'when pipeline "{stage.plan.name}" runs')],
                hint="move the stage to its own pipeline, or change one of the conditions",
            )
        else:
            _check_alternatives(condition, pipeline_condition, report)
    for stage in config.stages():
        _check_cases(stage, report)
        _check_allowed(stage, report)


def _check_cases(stage: CheckedStage, report: Report) -> None:
    """Report cases of which another one, the stage or its pipeline leaves no run."""
    outer = [*stage.conditions]
    for case in stage.job.cases:
        if case.condition is None or not can_hold(case.condition) or NEVER in outer:
            continue
        if not can_hold(AllOf((*outer, case.condition))):
            report.add(
                codes.CONDITION_NEVER_TRUE,
                "no run gets the variables of this case: the conditions of its stage or an earlier case exclude it",
                at=case.span,
                hint="remove it, or put it before the case that holds whenever it does",
            )
        outer.append(Not(case.condition))


def _check_allowed(stage: CheckedStage, report: Report) -> None:
    """Report a condition for allowed failures that the stage or its pipeline excludes."""
    outer = stage.conditions
    allowed = stage.job.limits.allow_failure
    if allowed is None or allowed.condition is None or not can_hold(allowed.condition) or NEVER in outer:
        return
    if not can_hold(AllOf((*outer, allowed.condition))):
        report.add(
            codes.CONDITION_NEVER_TRUE,
            f'no failure of stage "{stage.config.display_name}" is allowed: its conditions exclude those runs',
            at=allowed.span,
            hint='remove "allow_failure", or change one of the conditions',
        )


def _check_alternatives(condition: Condition | None, pipeline_condition: Condition | None, report: Report) -> None:
    if condition is None or condition == NEVER:
        return
    for siblings, alternative in _alternatives(condition):
        conditions = tuple(
            part for part in (pipeline_condition, *siblings, alternative) if part is not None and part != NEVER
        )
        if not can_hold(AllOf(conditions)):
            report.add(
                codes.CONDITION_NEVER_TRUE,
                'this alternative of "any" is never true',
                at=_span(alternative),
                hint="remove it, or remove the condition that contradicts it",
            )


def _alternatives(condition: Condition) -> Iterator[tuple[tuple[Condition, ...], Condition]]:
    """Yield each alternative of an `any` in *condition*, with the conditions that must be true as well."""
    parts = condition.conditions if isinstance(condition, AllOf) else (condition,)
    for index, part in enumerate(parts):
        if isinstance(part, AnyOf):
            yield from (((*parts[:index], *parts[index + 1 :]), alternative) for alternative in part.conditions)


def _span(condition: Condition) -> Span:
    return atoms(condition)[0].span
