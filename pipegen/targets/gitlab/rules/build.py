"""Conditions of jobs as `rules`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from pipegen.diagnostics.codes import CHANGES_ON_GITLAB, CONDITION_ON_GITLAB
from pipegen.diagnostics.report import Report
from pipegen.plan.model import (
    NEVER,
    AllOf,
    AnyOf,
    Condition,
    Event,
    Exists,
    FilesChanged,
    IsEvent,
    Job,
    Not,
    Pattern,
    Plan,
)
from pipegen.plan.model.logic import atoms, can_hold, combined, implies, shortened
from pipegen.source.text import Span
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.model import RuleEntry
from pipegen.targets.gitlab.rules.decisions import Decision, decisions
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS, All, Expression, expression, joined, pieces, text
from pipegen.targets.gitlab.rules.minimal import shortest

# https://docs.gitlab.com/ci/yaml/#ruleschanges, and the same for `exists`.
_MOST_PATHS = 50
# The events whose pipelines have something to compare with, but for the first of a branch.
_WITH_COMPARISON = frozenset({Event.PUSH, Event.MERGE_REQUEST})
_ALWAYS = All()


class Variant(Struct):
    """A way in which a job runs if *condition* holds: with *variables*, *when* and *allow_failure*, if it has these."""

    condition: Condition | None = None
    variables: tuple[tuple[str, str], ...] = ()
    when: str = ""
    allow_failure: bool | None = None


_PLAIN = Variant()


def variants(job: Job) -> tuple[Variant, ...]:
    """Return the ways in which *job* runs, of which the first whose condition holds applies; () for only one."""
    if job.limits.allow_failure is None and job.deployment.approval is None and not job.cases:
        return ()
    combined: list[Variant] = [_PLAIN]
    for choices in filter(None, map(tuple, (_of_approval(job), _of_failures(job), _of_cases(job)))):
        combined = [both for variant in combined for other in (*choices, _PLAIN) for both in _both(variant, other)]
    return tuple(combined[:-1])


def _both(first: Variant, second: Variant) -> Iterator[Variant]:
    """Yield the variant in which both apply; none if that makes no difference to *first*."""
    if second is _PLAIN or first.allow_failure is None or second.allow_failure is None:
        yield Variant(
            condition=_conjunction(first.condition, second.condition),
            variables=(*first.variables, *second.variables),
            when=first.when or second.when,
            allow_failure=second.allow_failure if first.allow_failure is None else first.allow_failure,
        )


def _of_approval(job: Job) -> Iterator[Variant]:
    """Yield the variant in which a person starts *job*, unless one always does."""
    allowed, approval = job.limits.allow_failure, job.deployment.approval
    if approval is not None and approval.condition is not None:
        # A manual job that may fail does not block the pipeline, but one with exit codes does.
        has_codes = allowed is not None and bool(allowed.exit_codes)
        yield Variant(approval.condition, when="manual", allow_failure=None if has_codes else approval.is_optional)


def _of_failures(job: Job) -> Iterator[Variant]:
    """Yield the variant in which *job* may fail, or in which it may not if the job has exit codes."""
    allowed, approval = job.limits.allow_failure, job.deployment.approval
    if allowed is None or allowed.condition is None:
        return
    # A rule has no exit codes, and replaces those of the job.
    if allowed.exit_codes:
        yield Variant(Not(allowed.condition), allow_failure=False)
    elif approval is None or (approval.condition is not None and approval.condition != allowed.condition):
        yield Variant(allowed.condition, allow_failure=True)


def _of_cases(job: Job) -> Iterator[Variant]:
    for case in job.engine_cases:
        yield Variant(case.condition, tuple((name, text.constant or "") for name, text in case.variables))


class PipelineCase(Struct):
    """A case in which a pipeline runs: if *guard* and *condition* hold; the guards are mutually exclusive."""

    guard: Expression = _ALWAYS
    condition: Condition | None = None


def rules(
    choices: Sequence[PipelineCase],
    condition: Condition | None,
    span: Span,
    report: Report,
    defaults: Mapping[str, str] = NO_DEFAULTS,
    variants: Sequence[Variant] = (),
) -> tuple[RuleEntry, ...]:
    """Return the rules of a job that runs in one of *choices* if *condition* holds; none if it always runs.

    A condition that rules cannot express is reported at *span*. *defaults* are for a job without the variables of the
    file. Before each rule by which the job runs, there is one for each of its *variants*.
    """
    if condition is None and list(choices) == [PipelineCase()] and not variants:
        return ()
    if condition == NEVER:
        return (RuleEntry("", "never"),)
    entries: list[RuleEntry] = []
    for choice in choices:
        if choice.condition == NEVER:
            continue
        combined = _conjunction(choice.condition, condition)
        alternatives = _decisions(combined)
        if alternatives is None:
            _report(combined, span, report)
            return ()
        # A branch is not built together with a tag, for example.
        possible = [decision for decision in alternatives if can_hold(AllOf(decision.tests))] or alternatives
        ways = [_ways(decision, variants) for decision in possible]
        ordered = [way for several in ways for way in several or ()]
        are_several = choice.condition is not None and condition is not None
        shorter = shortest(ordered) if variants or are_several else ordered
        lines = [_rules(rule, choice.guard, defaults, variant) for rule, variant in shorter]
        if None in ways or None in lines:
            _report_variants(combined, variants, span, report)
            return ()
        entries += [rule for several in lines for rule in several or ()]
    return tuple(entries)


def then(entries: Sequence[RuleEntry], when: str) -> tuple[RuleEntry, ...]:
    """Return *entries* with *when* in all rules that let the job run."""
    return tuple(rule if rule.when == "never" else replace(rule, when=when) for rule in entries)


def check_changes(plans: Sequence[Plan], report: Report) -> None:
    """Report where GitLab has nothing to compare with: once for all conditions without a base, and for each base."""
    first_by_base: dict[str | None, FilesChanged] = {}
    for plan in plans:
        is_limited = plan.condition is not None and _has_comparison(plan.condition)
        for condition in (plan.condition, *(tested for job in plan.jobs for tested in job.conditions)):
            for atom in _often_true(condition, is_limited=is_limited) if condition is not None else ():
                first_by_base.setdefault(atom.base, atom)
    for base, atom in first_by_base.items():
        if base is None:
            report.add(
                CHANGES_ON_GITLAB,
                "GitLab treats every file as changed in pipelines for new branches, tags and schedules, and in those "
                "started manually or by the API",
                at=atom.span,
                hint='to avoid this, add "event: [push, merge_request]", or name a "base"; GitLab also does so when it '
                "would have to compare 50,000 paths with patterns",
            )
        else:
            report.add(
                CHANGES_ON_GITLAB,
                f'GitLab creates no pipeline if the branch "{base}" does not exist',
                at=atom.span,
                hint="name a permanent branch",
            )


def _has_comparison(condition: Condition) -> bool:
    """Return whether *condition* names events, and all of them have something to compare files with."""
    parts = condition.conditions if isinstance(condition, AllOf) else (condition,)
    return any(isinstance(part, IsEvent) and _WITH_COMPARISON.issuperset(part.events) for part in parts)


def _often_true(condition: Condition, *, is_limited: bool) -> Iterator[FilesChanged]:
    """Yield the tests of files in *condition* with a base, and without one unless only runs to compare reach them.

    These are the only ones if it *is_limited*.
    """
    match condition:
        case FilesChanged() if condition.base is not None or not is_limited:
            yield condition
        case AllOf() | AnyOf():
            is_limited = is_limited or (isinstance(condition, AllOf) and _has_comparison(condition))
            for part in condition.conditions:
                yield from _often_true(part, is_limited=is_limited)
        case Not():
            yield from _often_true(condition.condition, is_limited=is_limited)


def _conjunction(first: Condition | None, second: Condition | None) -> Condition | None:
    if first is None or second is None or first == second:
        return first or second
    return combined(AllOf, (first, second))


def _decisions(condition: Condition | None) -> tuple[Decision, ...] | None:
    return (Decision(),) if condition is None else decisions(condition)


def _ways(decision: Decision, variants: Sequence[Variant]) -> list[tuple[Decision, Variant]] | None:
    """Return *decision* for each of *variants* in which it may apply; then for none of them.

    Return None if rules cannot express that. A rule that excludes the first variant leaves the choice to the others.
    """
    if not variants or not decision.runs:
        return [(decision, _PLAIN)]
    first, *others = variants
    ways: list[tuple[Decision, Variant]] = []
    for rule in _decisions(first.condition) or (None,):
        both = _both_hold(decision, rule) if rule is not None else None
        if rule is None or both is None:
            return None
        if not can_hold(AllOf(both.tests)):
            continue
        more = [(both, first)] if rule.runs else _ways(both, others)
        if more is None:
            return None
        ways += more
        if all(any(implies(own, test) for own in decision.tests) for test in rule.tests):
            return ways
    rest = _ways(decision, others)
    return None if rest is None else ways + rest


def _both_hold(decision: Decision, rule: Decision) -> Decision | None:
    """Return *decision* in the runs in which *rule* matches too; None if a rule cannot express that."""
    tested = AllOf(rule.conditions)
    others = tuple(condition for condition in decision.conditions if not implies(tested, condition))
    return replace(decision, conditions=others).combined(replace(rule, runs=True))


def _rules(
    decision: Decision, guard: Expression, defaults: Mapping[str, str], variant: Variant
) -> list[RuleEntry] | None:
    """Return the rules of *decision* if *guard* holds: several if one would be too long."""
    tested = expression(shortened(AllOf(decision.conditions)), defaults)
    conditions = pieces(joined(All, (guard, tested)))
    if conditions is None:
        return None
    files_changed, exists = decision.changed, decision.exists
    changes = list(_parts([path_glob(each) for each in files_changed.patterns] if files_changed else []))
    present = list(_parts([path_glob(each) for each in exists.patterns] if exists else []))
    base = f"refs/heads/{files_changed.base}" if files_changed and files_changed.base else ""
    when = variant.when if decision.runs else "never"
    return [
        RuleEntry(text(condition), when, paths, base, files, "", variant.variables, variant.allow_failure)
        for condition, paths, files in product(conditions, changes, present)
    ]


def _parts(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield *paths* in parts of the size that a rule may have; one empty part if there are none."""
    for start in range(0, max(len(paths), 1), _MOST_PATHS):
        yield tuple(paths[start : start + _MOST_PATHS])


def _report_variants(condition: Condition | None, variants: Sequence[Variant], span: Span, report: Report) -> None:
    """Report that *variants* of a job that runs if *condition* holds need rules that GitLab lacks."""
    files = [atom for atom in atoms(*(each.condition for each in variants)) if isinstance(atom, FilesChanged | Exists)]
    if not files:
        _report(condition, span, report)
        return
    if condition is None and len(variants) == 1:
        _report(variants[0].condition, files[0].span, report)
        return
    report.add(
        CONDITION_ON_GITLAB,
        "GitLab's rules cannot express this condition together with the others of the stage: a rule cannot require "
        "two sets of files",
        at=files[0].span,
        hint='test the same files as in the "when" of the stage, or only some of them; or split the stage',
    )


def _report(condition: Condition | None, span: Span, report: Report) -> None:
    file_conditions = sum(isinstance(atom, FilesChanged | Exists) for atom in atoms(condition))
    report.add(
        CONDITION_ON_GITLAB,
        "GitLab's rules cannot express this condition: "
        + ("a rule cannot require two sets of files" if file_conditions > 1 else "it is too long"),
        at=span,
        hint='combine at most one "changes" and one "exists"; put alternatives into "any"'
        if file_conditions > 1
        else "split the stage, or merge patterns",
    )


_PART = r"\*\*/|\*\*|[*?]|[\[{]|[$%]"


def path_glob(pattern: Pattern) -> str:
    """Return *pattern* in GitLab's glob syntax."""
    return re.sub(_PART, _part, pattern.text)


def _part(matched: re.Match[str]) -> str:
    begins = matched.start() == 0 or matched.string[matched.start() - 1] == "/"
    match matched[0]:
        case "**/":
            return "**/" if begins else "*/**/"
        case "**":
            return "**/*" if begins else "{*,*/**/*}"
        case "[" | "{":
            return f"\\{matched[0]}"
        case "$" | "%":
            # Otherwise, the following text would be read as a variable name.
            return f"[{matched[0]}]"
    return matched[0]
