"""When a job is in a pipeline: conditions as `rules`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from pipegen.diagnostics.codes import CHANGES_ON_GITLAB, CONDITION_ON_GITLAB
from pipegen.diagnostics.report import Report
from pipegen.plan.model import NEVER, AllOf, Condition, Exists, FilesChanged, Pattern, Plan
from pipegen.plan.model.logic import atoms
from pipegen.source.text import Span
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.model import RuleEntry
from pipegen.targets.gitlab.rules.decisions import Decision, decisions
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS, All, Expression, expression, joined, pieces, text

# https://docs.gitlab.com/ci/yaml/#ruleschanges, and `exists` alike.
_MOST_PATHS = 50


_ALWAYS = All()


class PipelineCase(Struct):
    """One of the cases in which a pipeline runs: where *guard* and *condition* hold; the guards exclude each other."""

    guard: Expression = _ALWAYS
    condition: Condition | None = None


def rules(
    choices: Sequence[PipelineCase],
    condition: Condition | None,
    span: Span,
    report: Report,
    defaults: Mapping[str, str] = NO_DEFAULTS,
) -> tuple[RuleEntry, ...]:
    """Return the rules of a job that runs in one of *choices* and where *condition* holds; none where it always runs.

    A condition that rules cannot express is reported at *span*. *defaults* are those of a job without the variables
    of the file.
    """
    if condition is None and list(choices) == [PipelineCase()]:
        return ()
    if condition == NEVER:
        return (RuleEntry("", "never"),)
    found: list[RuleEntry] = []
    for choice in choices:
        if choice.condition == NEVER:
            continue
        both = _both(choice.condition, condition)
        made = decisions(both) if both is not None else (Decision(),)
        lines = [_rules(rule, choice.guard, defaults) for rule in made or ()]
        if made is None or None in lines:
            _report(both, span, report)
            return ()
        found += [rule for several in lines for rule in several or ()]
    return tuple(found)


def then(found: Sequence[RuleEntry], when: str) -> tuple[RuleEntry, ...]:
    """Return the rules *found* with *when* the job runs where it does at all."""
    return tuple(rule if rule.when == "never" else replace(rule, when=when) for rule in found)


def check_changes(plans: Sequence[Plan], report: Report) -> None:
    """Tell once for a file where GitLab has nothing to compare with, so that all counts as changed."""
    conditions = [one for plan in plans for one in (plan.condition, *(job.condition for job in plan.jobs))]
    asked = [atom for atom in atoms(*conditions) if isinstance(atom, FilesChanged)]
    usual = next((atom for atom in asked if atom.base is None), None)
    if usual is not None:
        report.add(
            CHANGES_ON_GITLAB,
            "GitLab takes every file for changed in pipelines of new branches, tags, schedules and such as people and "
            "programs start",
            at=usual.span,
            hint='add "event: [push, merge_request]" where that must not be, or name a "base"; it also does so once it '
            "would have to hold 50,000 paths against patterns",
        )
    elif asked:
        report.add(
            CHANGES_ON_GITLAB,
            f'GitLab makes no pipeline where the branch "{asked[0].base}" does not exist',
            at=asked[0].span,
            hint="name a branch that stays",
        )


def _both(one: Condition | None, other: Condition | None) -> Condition | None:
    if one is None or other is None or one == other:
        return one or other
    parts = (part for both in (one, other) for part in (both.conditions if isinstance(both, AllOf) else (both,)))
    return AllOf(tuple(dict.fromkeys(parts)))


def _rules(decision: Decision, guard: Expression, defaults: Mapping[str, str]) -> list[RuleEntry] | None:
    """Return the rules of *decision* where *guard* holds: several where one would be too long."""
    conditions = pieces(joined(All, (guard, *(expression(one, defaults) for one in decision.conditions))))
    if conditions is None:
        return None
    changed, exists = decision.changed, decision.exists
    changes = list(_parts([path_glob(one) for one in changed.patterns] if changed else []))
    present = list(_parts([path_glob(one) for one in exists.patterns] if exists else []))
    base = f"refs/heads/{changed.base}" if changed and changed.base else ""
    when = "" if decision.runs else "never"
    return [
        RuleEntry(text(condition), when, paths, base, files)
        for condition, paths, files in product(conditions, changes, present)
    ]


def _parts(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield *paths* in as many as a rule may hold; nothing once where there are none."""
    for start in range(0, max(len(paths), 1), _MOST_PATHS):
        yield tuple(paths[start : start + _MOST_PATHS])


def _report(condition: Condition | None, span: Span, report: Report) -> None:
    asked = sum(isinstance(atom, FilesChanged | Exists) for atom in atoms(condition))
    report.add(
        CONDITION_ON_GITLAB,
        "GitLab's rules cannot say this condition: "
        + ("none asks for two sets of files at once" if asked > 1 else "it is too long"),
        at=span,
        hint='keep to one "changes" and one "exists" where several must hold; put alternatives into "any"'
        if asked > 1
        else "split the stage, or put patterns together",
    )


_PART = r"\*\*/|\*\*|[*?]|[\[{]|[$%]"


def path_glob(pattern: Pattern) -> str:
    """Return *pattern* in GitLab's words."""
    return re.sub(_PART, _part, pattern.text)


def _part(found: re.Match[str]) -> str:
    begins = found.start() == 0 or found.string[found.start() - 1] == "/"
    match found[0]:
        case "**/":
            return "**/" if begins else "*/**/"
        case "**":
            return "**/*" if begins else "{*,*/**/*}"
        case "[" | "{":
            return f"\\{found[0]}"
        case "$" | "%":
            # Else what follows would be taken for the name of a variable.
            return f"[{found[0]}]"
    return found[0]
