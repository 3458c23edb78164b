"""Selection of the pipelines of a file that run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import AllOf, Condition, Event, IsSet, Job, Plan, Selection, Subject
from pipegen.plan.model.logic import atoms, can_hold
from pipegen.plan.model.plans import default_pipelines
from pipegen.targets.gitlab.model import RuleEntry, VariableEntry
from pipegen.targets.gitlab.rules.build import PipelineCase, rules
from pipegen.targets.gitlab.rules.expressions import Any, Compare, is_null, joined

_OPEN_MERGE_REQUESTS = "CI_OPEN_MERGE_REQUESTS"
# A push to a branch with a merge request, which has a pipeline of its own.
SECOND_PIPELINE = f'$CI_PIPELINE_SOURCE == "push" && ${_OPEN_MERGE_REQUESTS}'
VARIABLE = "PIPEGEN_PIPELINE"
# A pattern of the names of pipelines has that of one name between these.
_BEFORE, _AFTER = "(^|,)(all|", ")(,|$)"
_PUNCTUATION = r"[\\^$.|?*+()\[\]{}]"
# A slash ends a pattern, and GitLab rejects patterns of several lines.
_NEEDS_CODE = r"[/\x00-\x1f\x7f]"
_UNSET = Compare(f'${VARIABLE} == ""', f'${VARIABLE} != ""')


def is_conditional(plans: Sequence[Plan], *, has_selection: bool, has_rules: bool) -> bool:
    """Return whether the choice among *plans* is made at run time.

    If the user *has_rules* of the workflow, they come before the condition of the only pipeline. The variable in this
    lets an import of the file tell it from those.
    """
    return not has_selection and (len(plans) > 1 or (has_rules and plans[0].condition is not None))


def choices(plan: Plan, *, has_variables: bool = True) -> tuple[PipelineCase, ...]:
    """Return the cases in which jobs of *plan* run; *has_variables* is whether they get the variables of the file."""
    pattern = f"/{_BEFORE}{_pattern(plan.name)}{_AFTER}/"
    named = Compare(f"${VARIABLE} =~ {pattern}", f"${VARIABLE} !~ {pattern}")
    if plan.selection is Selection.ON_DEMAND:
        return (PipelineCase(named),)
    unset = (_UNSET,) if has_variables else (is_null(VARIABLE), _UNSET)
    if plan.condition is None:
        return (PipelineCase(Any((*unset, named))),)
    return (PipelineCase(joined(Any, unset), plan.condition), PipelineCase(named))


def named_by(pattern: str) -> str:
    """Return the name of the pipeline that the regular expression *pattern* of a rule selects; "" if it is no such."""
    if not (pattern.startswith(_BEFORE) and pattern.endswith(_AFTER)):
        return ""
    name = pattern.removeprefix(_BEFORE).removesuffix(_AFTER)
    return re.sub(r"\\x([0-9a-f]{2})|\\(.)", lambda match: match[2] or chr(int(match[1], 16)), name)


def workflow(
    plans: Sequence[Plan], *, has_selection: bool, has_rules: bool, has_duplicates: bool, report: Report
) -> tuple[RuleEntry, ...]:
    """Return the rules of the whole file; none if GitLab's defaults are right.

    Unless it *has_duplicates*, one rule prevents a push pipeline next to that of its merge request, if anything may run
    in the latter.
    A single pipeline's condition is here once, and not at each of its jobs.
    """
    is_selected = is_conditional(plans, has_selection=has_selection, has_rules=has_rules)
    without_duplicates = () if has_duplicates else (RuleEntry(SECOND_PIPELINE, when="never"),)
    if len(plans) == 1 and not has_selection and plans[0].condition is not None:
        (plan,) = plans
        cases = choices(plan) if is_selected else (PipelineCase(condition=plan.condition),)
        pipeline_rules = rules(cases, None, plan.span, report)
        may_be_second = can_hold(plan.condition, (Event.MERGE_REQUEST,)) and _may_be_second(plan.condition)
        return (*without_duplicates, *pipeline_rules) if may_be_second else pipeline_rules
    if is_selected or any(_tests_merge_requests(job) for plan in plans for job in plan.jobs):
        return (*without_duplicates, RuleEntry("", when="always"))
    return ()


def _may_be_second(condition: Condition | None) -> bool:
    """Return whether *condition* can hold in the pipeline of a push next to that of a merge request."""
    if condition is None:
        return True
    is_open = IsSet(subject=Subject.VARIABLE, name=_OPEN_MERGE_REQUESTS, span=atoms(condition)[0].span)
    return can_hold(AllOf((condition, is_open)), (Event.PUSH,))


def _tests_merge_requests(job: Job) -> bool:
    """Return whether a condition of *job* can hold for a merge request; one that never runs there tests nothing."""
    conditions = job.conditions if job.condition is None else (job.condition,)
    return any(condition is not None and can_hold(condition, (Event.MERGE_REQUEST,)) for condition in conditions)


def variable(plans: Sequence[Plan]) -> VariableEntry:
    """Return the variable that names the pipelines to run; it exists, empty by default."""
    every = ", ".join(plan.name for plan in plans)
    default = default_pipelines(plans)
    return VariableEntry(VARIABLE, "", f"Pipelines to run, with commas between: {every}, or all; empty runs {default}.")


def _pattern(name: str) -> str:
    """Return the pattern for *name* between slashes, in RE2's syntax (also valid in gitlab-ci-local's JavaScript)."""
    return re.sub(_NEEDS_CODE, _code, re.sub(_PUNCTUATION, r"\\\g<0>", name))


def _code(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"
