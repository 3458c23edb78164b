"""Plans without the stages that a change does not affect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.changes.approvals import with_evaluated_approvals
from pipegen.plan.changes.choice import choose
from pipegen.plan.changes.empty import always_runs, empty_plan
from pipegen.plan.changes.filters import changed_in, evaluated, is_filtered, unfiltered
from pipegen.plan.changes.report import report_left_out, report_nothing, report_pipeline, report_whole
from pipegen.plan.changes.stages import with_stages
from pipegen.plan.model import NEVER, Condition, FilesChanged, Plan
from pipegen.structs import replace


def narrow(
    plans: Sequence[Plan], files: Collection[str], since: str, report: Report, *, has_selection: bool = False
) -> tuple[Plan, ...]:
    """Return the parts of *plans* that the changes of *files* since a revision affect, without path filters.

    Omitted parts are reported. With *has_selection*, the user selected the pipelines, which run regardless of their own
    conditions. If no remaining stage is certain to run, one is added that prints so: engines do not accept an empty
    pipeline.
    """
    if not any(is_filtered(condition) for plan in plans for condition in _conditions(plan)):
        report_whole(plans[0].span, "no stage and no pipeline names files", report)
        return tuple(plans)
    changed = changed_in(files)
    narrowed_plans = tuple(
        plan for original in plans if (plan := _narrowed(original, changed, since, report, has_selection=has_selection))
    )
    is_less = sum(len(plan.jobs) for plan in narrowed_plans) < sum(len(plan.jobs) for plan in plans)
    if not is_less or any(map(always_runs, narrowed_plans)):
        return narrowed_plans
    report_nothing(plans[0].span, since, report)
    return (empty_plan(plans, since), *narrowed_plans)


def unfiltered_plans(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Return *plans* without path filters, as if all files had changed."""
    return tuple(
        with_evaluated_approvals(
            replace(
                plan,
                condition=unfiltered(plan.condition),
                jobs=tuple(replace(job, condition=unfiltered(job.condition)) for job in plan.jobs),
            ),
            lambda _: True,
        )
        for plan in plans
    )


def _conditions(plan: Plan) -> tuple[Condition | None, ...]:
    return (plan.condition, *(condition for job in plan.jobs for condition in job.conditions))


def _narrowed(
    plan: Plan, changed: Callable[[FilesChanged], bool], since: str, report: Report, *, has_selection: bool
) -> Plan | None:
    """Return the remaining part of *plan*, or None."""
    names_files = is_filtered(plan.condition)
    condition = unfiltered(plan.condition) if has_selection else evaluated(plan.condition, changed)
    if names_files and condition == NEVER:
        report_pipeline(plan, since, report)
        return None
    is_concerned = names_files or not any(is_filtered(job.condition) for job in plan.jobs)
    choice = choose(plan, changed, is_concerned=is_concerned)
    if choice.left_out:
        report_left_out(plan, choice.left_out, since, report)
    if not choice.conditions:
        return None
    return with_evaluated_approvals(with_stages(replace(plan, condition=condition), choice), changed)
