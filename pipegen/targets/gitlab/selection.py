"""Which pipelines of a file run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.diagnostics.report import listed
from pipegen.plan.model import Plan, Selection
from pipegen.targets.gitlab.model import Rule, Variable

VARIABLE = "PIPEGEN_PIPELINE"
_PLAIN = re.compile(r"[\w -]")


def is_conditional(plans: Sequence[Plan], *, chosen: bool) -> bool:
    """Return whether it is decided at run time which of *plans* run."""
    return len(plans) > 1 and not chosen


def rules(plan: Plan) -> tuple[Rule, ...]:
    """Return the rules of each job of a *plan* that runs only if selected."""
    named = Rule(f"${VARIABLE} =~ /(^|,)(all|{_pattern(plan.name)})(,|$)/")
    if plan.selection is Selection.ON_DEMAND:
        return (named,)
    return (Rule(f'${VARIABLE} == ""'), named)


def workflow() -> tuple[Rule, ...]:
    """Return the rules that keep a push from starting a pipeline beside that of its merge request."""
    return (Rule('$CI_PIPELINE_SOURCE == "push" && $CI_OPEN_MERGE_REQUESTS', when="never"), Rule("", when="always"))


def variable(plans: Sequence[Plan]) -> Variable:
    """Return the variable that names the pipelines to run; it is there, and empty, unless it is given."""
    usual = [plan.name for plan in plans if plan.selection is Selection.ALWAYS]
    empty = f"empty runs {listed(usual)}" if usual else "empty runs none"
    every = listed([plan.name for plan in plans], limit=len(plans))
    return Variable(VARIABLE, "", f'Pipelines to run, separated by commas: {every}, or all; {empty}.')


def _pattern(name: str) -> str:
    """Return the pattern for *name*, in RE2's syntax, between slashes."""
    return "".join(c if _PLAIN.match(c) else f"\\x{{{ord(c):x}}}" for c in name)
