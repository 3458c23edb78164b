"""Conditions as the directive `when` of Declarative, with Groovy for those that it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipegen.emit.groovy import literal
from pipegen.plan.model import AllOf, AnyOf, Condition, Event, Input, IsEvent, IsSet, Matches, Not, Pattern, Subject
from pipegen.plan.model.logic import shortened
from pipegen.targets.jenkins.stages.guards.conditions import ConditionWriter

# The comparison of Declarative is that of paths in Ant, where these differ from patterns of the config.
_UNLIKE_ANT = re.compile(r"\*\*|\?|\\")
# The names of change requests begin so: PR-1, MR-1, and numbers in Gerrit. Ant compares without case.
_UNLIKE_CHANGES = re.compile(r"[^pm0-9*]", re.IGNORECASE)
_NO_TAG, _NO_CHANGE = "not { buildingTag() }", "not { changeRequest() }"


def when_lines(condition: Condition | None, inputs: Sequence[Input]) -> tuple[str, ...]:
    """Return the lines of `when` for *condition*, all of which must hold; () if it always holds."""
    return () if condition is None else _when_lines(shortened(condition), inputs)


def _when_lines(condition: Condition, inputs: Sequence[Input]) -> tuple[str, ...]:
    if isinstance(condition, AllOf):
        return tuple(line for part in condition.conditions for line in _when_lines(part, inputs))
    lines = _lines(condition)
    return (f"expression {{ {ConditionWriter(inputs).decision(condition)} }}",) if lines is None else lines


def compares_branch(lines: Iterable[str]) -> bool:
    """Return whether one of the *lines* of `when` compares the branch."""
    return any(line.lstrip().startswith(("branch ", "not { branch ")) for line in lines)


def _lines(condition: Condition) -> tuple[str, ...] | None:  # noqa: PLR0911 - one for each kind
    """Return the lines of *condition*, None if Declarative lacks a part of it."""
    match condition:
        case AnyOf(conditions=(_, *_)):
            parts = [_lines(part) for part in condition.conditions]
            return None if None in parts else _block("anyOf", [_as_one(part) for part in parts if part is not None])
        case Not():
            return _negated(condition.condition)
        case Matches(subject=Subject.BRANCH | Subject.TAG):
            return _matches(condition)
        case IsEvent(events=(Event.MERGE_REQUEST,)):
            return ("changeRequest()",)
        case IsEvent(events=(Event.SCHEDULE,)):
            return ("triggeredBy 'TimerTrigger'",)
        case IsSet(subject=Subject.TAG):
            return ("buildingTag()",)
    return None


def _negated(condition: Condition) -> tuple[str, ...] | None:
    lines = _lines(condition)
    if lines is None or len(lines) != 1:
        return None
    return (f"not {{ {lines[0]} }}",)


def _matches(condition: Matches) -> tuple[str, ...] | None:
    if any(pattern.is_regex or _UNLIKE_ANT.search(pattern.text) for pattern in condition.patterns):
        return None
    word = "branch" if condition.subject is Subject.BRANCH else "tag"
    tests = [(f"{word} {literal(pattern.text)}",) for pattern in condition.patterns]
    lines = tests[0] if len(tests) == 1 else _block("anyOf", tests)
    return (*lines, *_guards(condition.patterns)) if word == "branch" else lines


def _guards(patterns: Sequence[Pattern]) -> tuple[str, ...]:
    """Return the lines that keep tags and change requests, whose names are in BRANCH_NAME, from wildcards."""
    wild = [pattern for pattern in patterns if pattern.literal is None]
    may_be_change = any(not _UNLIKE_CHANGES.match(pattern.text) for pattern in wild)
    return (*((_NO_TAG,) if wild else ()), *((_NO_CHANGE,) if may_be_change else ()))


def _as_one(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return *lines*, all of which must hold, as one condition."""
    is_one = len(lines) == 1 or (lines[0].endswith("{") and lines[-1] == "}" and lines.count("}") == 1)
    return lines if is_one else _block("allOf", [lines])


def _block(word: str, parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return (f"{word} {{", *(f"    {line}" for part in parts for line in part), "}")
