"""Which pipelines of a file run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.plan.model import Plan, Selection
from pipegen.targets.gitlab.model import Rule, Variable

VARIABLE = "PIPEGEN_PIPELINE"
_PUNCTUATION = re.compile(r"[\\^$.|?*+()\[\]{}]")
# A slash ends a pattern, and GitLab refuses one of several lines.
_CODED = re.compile(r"[/\x00-\x1f\x7f]")


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
    every = ", ".join(plan.name for plan in plans)
    usual = ", ".join(plan.name for plan in plans if plan.selection is Selection.ALWAYS) or "none"
    return Variable(VARIABLE, "", f"Pipelines to run, with commas between: {every}, or all; empty runs {usual}.")


def _pattern(name: str) -> str:
    """Return the pattern for *name* between slashes, in RE2's syntax (which JavaScript, of gitlab-ci-local, shares)."""
    return _CODED.sub(_code, _PUNCTUATION.sub(r"\\\g<0>", name))


def _code(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"
