"""Conditions, and alternatives in them, that hold in no run that they are asked in."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.plan.model import NEVER, AllOf, AnyOf, Condition
from pipegen.plan.model.logic import atoms, can_hold
from pipegen.source.text import Span


def check(checked: Checked, report: Report) -> None:
    """Report a stage's `when` that holds in no run of its pipeline, and what in a `when` adds nothing to an `any`."""
    spans = {plan.name: one.when.span for one, plan in zip(checked.pipelines, checked.plans, strict=True) if one.when}
    for plan in checked.plans:
        _check_alternatives(plan.condition, None, report)
    for work in checked.work():
        asked, around = work.job.condition, work.plan.condition
        if asked is None or asked == NEVER or work.stage.when is None or not can_hold(asked):
            continue
        if around is not None and around != NEVER and not can_hold(AllOf((around, asked))):
            report.add(
                codes.CONDITION_NEVER_TRUE,
                f'the "when" of stage "{work.stage.said}" never holds where that of its pipeline does',
                at=work.stage.when.span,
                also=[Label(spans[work.plan.name], f'when pipeline "{work.plan.name}" runs')],
                hint="move the stage to a pipeline of its own, or let both hold in one run",
            )
        else:
            _check_alternatives(asked, around, report)


def _check_alternatives(condition: Condition | None, around: Condition | None, report: Report) -> None:
    if condition is None or condition == NEVER:
        return
    for rest, alternative in _alternatives(condition):
        whole = tuple(one for one in (around, *rest, alternative) if one is not None and one != NEVER)
        if not can_hold(AllOf(whole) if len(whole) > 1 else whole[0]):
            report.add(
                codes.CONDITION_NEVER_TRUE,
                'this alternative of "any" never holds',
                at=_span(alternative),
                hint="remove it, or take out what contradicts it",
            )


def _alternatives(condition: Condition) -> Iterator[tuple[tuple[Condition, ...], Condition]]:
    """Yield each alternative of an `any` in *condition*, with what must hold beside it."""
    parts = condition.conditions if isinstance(condition, AllOf) else (condition,)
    for place, part in enumerate(parts):
        if isinstance(part, AnyOf):
            yield from (((*parts[:place], *parts[place + 1 :]), one) for one in part.conditions)


def _span(condition: Condition) -> Span:
    return atoms(condition)[0].span
