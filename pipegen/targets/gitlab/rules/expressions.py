"""Conditions as the expressions of `rules: if`.

https://docs.gitlab.com/ci/jobs/job_rules/#cicd-variable-expressions. There is no negation but that of a comparison, and
an empty variable counts as true next to others.

A job with `inherit: {variables: false}` has none of the file's variables, in its own rules either
(https://docs.gitlab.com/ci/yaml/#inheritvariables): a variable that a run does not set is null there and not its
default. Its rules compare with null too: functions that take *defaults* get the values that replace null, by the
name of the variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from pipegen.plan.model import (
    AllOf,
    AnyOf,
    AreEqual,
    Condition,
    Event,
    Exists,
    Fact,
    FilesChanged,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Subject,
)
from pipegen.plan.model.patterns import literal_pattern
from pipegen.structs import Struct

# GitLab rejects an expression of 100 tokens.
_MOST_TOKENS = 99
# The maximum number of rules that replace one.
_MOST_PIECES = 1_000
_WORD = r"""\s*("[^"]*"|'[^']*'|/(?:[^/\\]|\\.)+/|[^\s()]+|[()])"""
_MATCH = r"^\$\w+ (?:=~ /|== \")"
_PREDEFINED = {Subject.BRANCH: "CI_COMMIT_BRANCH", Subject.TAG: "CI_COMMIT_TAG"}
# https://docs.gitlab.com/ci/jobs/job_rules/#ci_pipeline_source-predefined-variable
_SOURCES = {
    Event.MERGE_REQUEST: ("merge_request_event",),
    Event.SCHEDULE: ("schedule",),
    Event.MANUAL: ("web", "chat"),
    Event.API: ("api", "trigger", "pipeline", "parent_pipeline"),
}


# For jobs that get the variables of the file.
NO_DEFAULTS: Mapping[str, str] = MappingProxyType({})


class Compare(Struct):
    """A comparison, and its negation."""

    text: str
    negative: str

    def negated(self) -> Compare:
        """Return the negation."""
        return Compare(self.negative, self.text)


class All(Struct):
    """All of *parts* hold; always true without parts."""

    parts: tuple[Expression, ...] = ()

    def negated(self) -> Any:
        """Return the negation."""
        return Any(tuple(part.negated() for part in self.parts))


class Any(Struct):
    """One of *parts* holds."""

    parts: tuple[Expression, ...]

    def negated(self) -> All:
        """Return the negation."""
        return All(tuple(part.negated() for part in self.parts))


Expression: TypeAlias = Compare | All | Any


def expression(  # noqa: PLR0911 - one for each kind
    condition: Condition, defaults: Mapping[str, str] = NO_DEFAULTS
) -> Expression:
    """Return the expression of *condition*, which contains no file conditions."""
    match condition:
        case AllOf():
            has_branch = any(_needs_branch(part) for part in condition.conditions)
            return joined(
                All,
                (
                    _event(part.events, has_branch=has_branch)
                    if isinstance(part, IsEvent)
                    else expression(part, defaults)
                    for part in condition.conditions
                ),
            )
        case AnyOf():
            return joined(Any, (expression(part, defaults) for part in condition.conditions))
        case Not():
            return expression(condition.condition, defaults).negated()
        case IsEvent():
            return _event(condition.events)
        case IsSet():
            return _or_null(condition, _is_set(condition), defaults)
        case Matches():
            return _or_null(condition, _matches(condition), defaults)
        case AreEqual():
            return _are_equal(condition, defaults)
        case FilesChanged() | Exists():
            raise ValueError("a file condition cannot be an expression")


def _needs_branch(condition: Condition) -> bool:
    """Return whether *condition* holds only for runs of branches."""
    return isinstance(condition, Matches | IsSet) and condition.subject is Subject.BRANCH


def is_null(variable: str) -> Compare:
    """Return the comparison that holds if *variable* is not set."""
    return Compare(f"${variable} == null", f"${variable} != null")


def _or_null(atom: Matches | IsSet, expression: Expression, defaults: Mapping[str, str]) -> Expression:
    """Return *expression*, that of *atom*, so that it holds for null if *atom* holds for the default.

    Otherwise it does not hold for null, and its negation does.
    """
    default = defaults.get(atom.name, "")
    holds = default != "" and (isinstance(atom, IsSet) or any(pattern.matches(default) for pattern in atom.patterns))
    return joined(Any, (is_null(atom.name), expression)) if holds else expression


def joined(kind: type[All | Any], parts: Iterable[Expression]) -> Expression:
    """Return *parts* as one expression without duplicates; parts of the same kind are flattened."""
    flattened: dict[Expression, None] = {}
    for part in parts:
        flattened |= dict.fromkeys(part.parts if isinstance(part, kind) else (part,))
    if kind is All:
        # A variable that matches something is set.
        matched = {
            part.text.partition(" ")[0]
            for part in flattened
            if isinstance(part, Compare) and re.search(_MATCH, part.text)
        }
        flattened = {part: None for part in flattened if not (isinstance(part, Compare) and part.text in matched)}
    return next(iter(flattened)) if len(flattened) == 1 else kind(tuple(flattened))


def text(expression: Expression) -> str:
    """Return *expression* in GitLab's syntax, "" if it always holds."""
    match expression:
        case Compare():
            return expression.text
        case All():
            return " && ".join(f"({text(part)})" if isinstance(part, Any) else text(part) for part in expression.parts)
        case Any():
            return " || ".join(map(text, expression.parts))


def tokens(expression: Expression) -> int:
    """Return the number of tokens that GitLab counts in *expression*."""
    return len(re.findall(_WORD, text(expression)))


def pieces(expression: Expression, most: int = _MOST_PIECES) -> tuple[Expression, ...] | None:
    """Return expressions of which one holds if *expression* does, none too long; None if *most* are not enough."""
    if tokens(expression) <= _MOST_TOKENS:
        return (expression,)
    choices = _choices(expression)
    if not 0 < len(choices) <= most:
        return None
    short: list[Expression] = []
    for choice in choices:
        parts = pieces(choice, most // len(choices))
        if parts is None:
            return None
        short += parts
    return _gathered(short)


def _choices(expression: Expression) -> tuple[Expression, ...]:
    """Return shorter expressions of which one holds if *expression* does; none if it cannot be divided."""
    match expression:
        case Any():
            return expression.parts
        case All():
            for index, part in enumerate(expression.parts):
                if isinstance(part, Any):
                    before, after = expression.parts[:index], expression.parts[index + 1 :]
                    return tuple(joined(All, (*before, choice, *after)) for choice in part.parts)
    return ()


def _gathered(parts: list[Expression]) -> tuple[Expression, ...]:
    """Return *parts* joined into as few expressions as possible."""
    joined_parts: list[Expression] = []
    for part in parts:
        candidate = joined(Any, (joined_parts[-1], part)) if joined_parts else part
        if joined_parts and tokens(candidate) <= _MOST_TOKENS:
            joined_parts[-1] = candidate
        else:
            joined_parts.append(part)
    return tuple(joined_parts)


def _event(events: tuple[Event, ...], *, has_branch: bool = False) -> Expression:
    """Return the expression of *events*; with *has_branch*, another one says that the run is one of a branch."""
    sources = [source for event in events for source in _SOURCES.get(event, ())]
    alternatives: list[Expression] = []
    if Event.PUSH in events and (has_branch or Event.TAG in events):
        sources.insert(0, "push")
    elif Event.PUSH in events or Event.TAG in events:
        variable = _PREDEFINED[Subject.BRANCH if Event.PUSH in events else Subject.TAG]
        alternatives.append(All((_is("CI_PIPELINE_SOURCE", "push"), Compare(f"${variable}", f"${variable} == null"))))
    if len(sources) == 1:
        alternatives.append(_is("CI_PIPELINE_SOURCE", sources[0]))
    elif sources:
        alternatives.append(searched("CI_PIPELINE_SOURCE", f"^({'|'.join(sources)})$"))
    return joined(Any, alternatives)


def _is_set(condition: IsSet) -> Expression:
    if condition.subject in _PREDEFINED:
        variable = _PREDEFINED[condition.subject]
        return Compare(f"${variable}", f"${variable} == null")
    return searched(condition.name, ".+")


def _are_equal(condition: AreEqual, defaults: Mapping[str, str]) -> Expression:
    """Return the comparison of two variables, one of which is set: in GitLab, null equals null, and "" equals ""."""
    first, second = condition.facts
    left, right = map(_variable, condition.facts)
    is_set = _is_set(IsSet(subject=first.subject, name=first.name, span=condition.span))
    alternatives: list[Expression] = [
        joined(All, (is_set, Compare(f"${left} == ${right}", f"${left} != ${right}"))),
    ]
    for fact, other in ((first, second), (second, first)):
        if default := defaults.get(fact.name, ""):
            matches = Matches(
                subject=other.subject, name=other.name, patterns=(literal_pattern(default),), span=condition.span
            )
            alternatives.append(joined(All, (is_null(fact.name), expression(matches, defaults))))
    return joined(Any, alternatives)


def _variable(fact: Fact | Matches) -> str:
    return _PREDEFINED.get(fact.subject, fact.name)


def _matches(condition: Matches) -> Expression:
    variable = _variable(condition)
    globs = [pattern for pattern in condition.patterns if not pattern.is_regex]
    alternatives = [_globs(variable, globs)] if globs else []
    alternatives += [searched(variable, pattern.regex) for pattern in condition.patterns if pattern.is_regex]
    matching = joined(Any, alternatives)
    if any(pattern.matches("") for pattern in condition.patterns):
        return joined(All, (searched(variable, ".+"), matching))
    return matching


def _globs(variable: str, globs: list[Pattern]) -> Expression:
    literal = globs[0].literal
    if len(globs) == 1 and literal is not None and not re.search(r"[\"\\$\x00-\x1f\x7f]", literal):
        return _is(variable, literal)
    if len(globs) == 1:
        return searched(variable, globs[0].regex)
    return searched(variable, f"^({'|'.join(pattern.body for pattern in globs)})$")


def _is(variable: str, value: str) -> Compare:
    return Compare(f'${variable} == "{value}"', f'${variable} != "{value}"')


def differs(variable: str, value: str) -> Compare:
    """Return the comparison that holds if *variable* is not *value*."""
    return _is(variable, value).negated()


def searched(variable: str, regex: str) -> Compare:
    """Return the comparison that holds if *regex* matches in *variable*."""
    literal = f"/{_delimited(regex)}/"
    return Compare(f"${variable} =~ {literal}", f"${variable} !~ {literal}")


def _delimited(regex: str) -> str:
    """Return *regex* for use between slashes: GitLab rejects a single character, and a backslash at the end."""
    escaped = regex.replace("/", r"\/")
    return f"({escaped})" if len(escaped) == 1 or escaped.endswith("\\") else escaped
