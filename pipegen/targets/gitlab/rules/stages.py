"""The cases in which a pipeline runs, and the rules of its stages in these cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan
from pipegen.plan.model.logic import atoms
from pipegen.targets.gitlab.model import RuleEntry
from pipegen.targets.gitlab.rules import selection
from pipegen.targets.gitlab.rules.build import PipelineCase, rules, variants
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS


def pipeline_cases(
    plans: Sequence[Plan], plan: Plan, *, has_selection: bool, is_child: bool
) -> tuple[tuple[PipelineCase, ...], tuple[PipelineCase, ...]]:
    """Return the cases in which the jobs of *plan* run, and those in which its bridges run.

    The condition of the only pipeline of a file is in `workflow`, once for all jobs.
    """
    if (len(plans) == 1 and not is_child) or not selection.is_conditional(plans, has_selection=has_selection):
        return (PipelineCase(),), (PipelineCase(),)
    return selection.choices(plan), selection.choices(plan, has_variables=False)


def stage_rules(
    jobs: Iterable[Job],
    choices: tuple[PipelineCase, ...],
    report: Report,
    defaults: Mapping[str, str] = NO_DEFAULTS,
) -> dict[str, tuple[RuleEntry, ...]]:
    """Return the rules of each of *jobs* by stage; *choices* are the cases in which its pipeline runs."""
    entries: dict[str, tuple[RuleEntry, ...]] = {}
    is_always = choices == (PipelineCase(),)
    for job in jobs:
        ways = variants(job)
        if job.condition is None and is_always and not ways:
            entries[job.stage] = ()
            continue
        conditions = atoms(job.condition)
        entries[job.stage] = rules(
            choices, job.condition, conditions[0].span if conditions else job.span, report, defaults, ways
        )
    return entries
