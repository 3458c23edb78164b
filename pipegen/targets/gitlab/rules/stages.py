"""The cases in which a pipeline runs, and the rules of its stages in these cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Condition, Job, Plan
from pipegen.plan.model.logic import atoms
from pipegen.structs import Struct
from pipegen.targets.gitlab.model import RuleEntry
from pipegen.targets.gitlab.rules import selection
from pipegen.targets.gitlab.rules.build import PipelineCase, Variant, rules, variants
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS


class StageRules(Struct):
    """The rules of the job of a stage, *own*, and those of its helpers, which are in the same runs of the pipeline."""

    own: tuple[RuleEntry, ...] = ()
    of_helpers: tuple[RuleEntry, ...] = ()


_ALWAYS = StageRules()


def pipeline_cases(
    plans: Sequence[Plan], plan: Plan, *, has_selection: bool, is_child: bool
) -> tuple[tuple[PipelineCase, ...], tuple[PipelineCase, ...]]:
    """Return the cases in which the jobs of *plan* run, and those in which its bridges run.

    The condition of the only pipeline of a file is in `workflow`, once for all jobs, which a child pipeline lacks.
    """
    if has_selection or len(plans) == 1:
        case = PipelineCase(condition=plan.condition if is_child and not has_selection else None)
        return (case,), (case,)
    return selection.choices(plan), selection.choices(plan, has_variables=False)


def stage_rules(
    jobs: Iterable[Job],
    choices: tuple[PipelineCase, ...],
    report: Report,
    defaults: Mapping[str, str] = NO_DEFAULTS,
) -> dict[str, StageRules]:
    """Return the rules of each of *jobs* by stage; *choices* are the cases in which its pipeline runs."""
    rules_by_stage: dict[str, StageRules] = {}
    # Stages often have the same condition, and combinations of a matrix always do.
    known: dict[tuple[Condition | None, tuple[Variant, ...]], StageRules] = {}
    for job in jobs:
        case = job.condition, (ways := variants(job))
        own = known[case] if case in known else _rules_of(job, ways, choices, report, defaults)
        if own.own and own.of_helpers:  # Without rules, there may be an error, which is reported for each job.
            known[case] = own
        rules_by_stage[job.stage] = own
    return rules_by_stage


def _rules_of(
    job: Job,
    ways: tuple[Variant, ...],
    choices: tuple[PipelineCase, ...],
    report: Report,
    defaults: Mapping[str, str],
) -> StageRules:
    if job.condition is None and choices == (PipelineCase(),) and not ways:
        return _ALWAYS
    conditions = atoms(job.condition)
    span = conditions[0].span if conditions else job.span
    own = rules(choices, job.condition, span, report, defaults, ways)
    return StageRules(own, rules(choices, job.condition, span, report, defaults) if ways else own)
