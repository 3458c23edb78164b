"""Which pipelines of a file run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Event, Plan, Selection
from pipegen.plan.model.logic import can_hold
from pipegen.targets.gitlab.model import RuleEntry, VariableEntry
from pipegen.targets.gitlab.rules.build import PipelineCase, rules
from pipegen.targets.gitlab.rules.expressions import Any, Compare, is_null

VARIABLE = "PIPEGEN_PIPELINE"
_PUNCTUATION = r"[\\^$.|?*+()\[\]{}]"
# A slash ends a pattern, and GitLab refuses one of several lines.
_CODED = r"[/\x00-\x1f\x7f]"
_UNASKED = Compare(f'${VARIABLE} == ""', f'${VARIABLE} != ""')
_UNASKED_OR_NULL = Any((is_null(VARIABLE), _UNASKED))


def is_conditional(plans: Sequence[Plan], *, chosen: bool) -> bool:
    """Return whether it is decided at run time which of *plans* run."""
    return not chosen and (len(plans) > 1 or plans[0].condition is not None)


def choices(plan: Plan, *, has_variables: bool = True) -> tuple[PipelineCase, ...]:
    """Return when jobs of a *plan* that runs only if selected run, whether or not a job *has_variables* of the file."""
    literal = f"/(^|,)(all|{_pattern(plan.name)})(,|$)/"
    named = PipelineCase(Compare(f"${VARIABLE} =~ {literal}", f"${VARIABLE} !~ {literal}"))
    if plan.selection is Selection.ON_DEMAND:
        return (named,)
    return (PipelineCase(_UNASKED if has_variables else _UNASKED_OR_NULL, plan.condition), named)


def workflow(plans: Sequence[Plan], *, chosen: bool, report: Report) -> tuple[RuleEntry, ...]:
    """Return the rules of the whole file; none where GitLab's own will do.

    One keeps a push from starting a pipeline beside that of its merge request, as soon as something may run in that.
    A single pipeline's condition stands here once, and not at each of its jobs.
    """
    is_selected = is_conditional(plans, chosen=chosen)
    conditions = [job.condition for plan in plans for job in plan.jobs if job.condition is not None]
    if len(plans) == 1 and is_selected:
        (plan,) = plans
        found = rules(choices(plan), None, plan.span, report)
        return (*_beside(), *found) if can_hold(plan.condition, (Event.MERGE_REQUEST,)) else found
    if is_selected or any(can_hold(one, (Event.MERGE_REQUEST,)) for one in conditions):
        return (*_beside(), RuleEntry("", when="always"))
    return ()


def _beside() -> tuple[RuleEntry, ...]:
    return (RuleEntry('$CI_PIPELINE_SOURCE == "push" && $CI_OPEN_MERGE_REQUESTS', when="never"),)


def variable(plans: Sequence[Plan]) -> VariableEntry:
    """Return the variable that names the pipelines to run; it is there, and empty, unless it is given."""
    every = ", ".join(plan.name for plan in plans)
    usual = ", ".join(map(_usual, (plan for plan in plans if plan.selection is Selection.ALWAYS))) or "none"
    return VariableEntry(VARIABLE, "", f"Pipelines to run, with commas between: {every}, or all; empty runs {usual}.")


def _usual(plan: Plan) -> str:
    return plan.name if plan.condition is None else f"{plan.name} (on its condition)"


def _pattern(name: str) -> str:
    """Return the pattern for *name* between slashes, in RE2's syntax (which JavaScript, of gitlab-ci-local, shares)."""
    return re.sub(_CODED, _code, re.sub(_PUNCTUATION, r"\\\g<0>", name))


def _code(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"
