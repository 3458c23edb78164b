"""Conditions, cases, approvals and durations of a stage as one line of text each."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.bindings.expression import Bare, Defaulted, Part, Reference, Text
from pipegen.plan.model import (
    NEVER,
    AllOf,
    AllowFailure,
    AnyOf,
    Approval,
    AreEqual,
    Case,
    Condition,
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
from pipegen.visible import visible

# When a stage runs after all others, by the status of the pipeline.
_ENDINGS = {"": "whatever happened", "failed": "if one has failed", "success": "if they have succeeded"}


def words(condition: Condition) -> str:  # noqa: PLR0911 - one for each kind
    """Return *condition* as one line of text."""
    match condition:
        case Matches():
            return f"{_subject(condition)} {_patterns(condition.patterns)}"
        case IsSet():
            return f"{_subject(condition)} any"
        case AreEqual():
            return " equals ".join(map(_subject, condition.facts))
        case IsEvent():
            return f"event {' | '.join(event.value for event in condition.events)}"
        case FilesChanged():
            since = f" since {condition.base}" if condition.base is not None else ""
            return f"changes {_patterns(condition.patterns)}{since}"
        case Exists():
            return f"exists {_patterns(condition.patterns)}"
        case Not():
            return f"not {_bound(condition.condition)}"
        case AllOf():
            return " and ".join(map(_bound, condition.conditions))
        case AnyOf():
            return " or ".join(map(_bound, condition.conditions)) if condition != NEVER else "never"


def case_words(case: Case) -> str:
    """Return *case* as one line of text."""
    condition = words(case.condition) if case.condition is not None else "always"
    return f"{condition}: {', '.join(f'{name}={visible(value)}' for name, value in case_values(case))}"


def case_values(case: Case) -> tuple[tuple[str, str], ...]:
    """Return the variables that *case* sets, with the sources of their values."""
    return tuple((name, source_of(value)) for name, value in case.variables)


def source_of(text: Text) -> str:
    """Return *text* with its references as a user writes them."""
    return "".join(map(_part, text.parts))


def _part(part: Part) -> str:
    match part:
        case Reference():
            return f"{str(part)[:-1]}|{part.default}}}" if part.default is not None else str(part)
        case Bare():
            return part.source
        case Defaulted():
            return source_of(part.text)
        case str():
            return part


def allowed_words(allowed: AllowFailure) -> str:
    """Return the failures that are *allowed* as one line of text."""
    codes = f"with exit status {', '.join(map(str, allowed.exit_codes))}" if allowed.exit_codes else ""
    runs = f"when {words(allowed.condition)}" if allowed.condition is not None else ""
    return " ".join(filter(None, (codes, runs))) or "the pipeline continues"


def approval_words(approval: Approval) -> str:
    """Return an approval as one line of text: who can give it, the runs that need it, and its message."""
    need = "optional" if approval.is_optional else "required"
    approvers = f" by {', '.join(approval.approvers)}" if approval.approvers else ""
    runs = f" when {words(approval.condition)}" if approval.condition is not None else ""
    return need + approvers + runs + (f": {approval.message}" if approval.message else "")


def duration_words(seconds: int) -> str:
    """Return *seconds* as text, the largest units first: `1 h 30 min`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"


def _bound(condition: Condition) -> str:
    text = words(condition)
    return f"({text})" if isinstance(condition, AllOf | AnyOf) else text


def _subject(condition: Fact | Matches | IsSet) -> str:
    is_named = condition.subject in {Subject.INPUT, Subject.VARIABLE}
    return f"{condition.subject.value} {condition.name}" if is_named else condition.subject.value


def _patterns(patterns: Sequence[Pattern]) -> str:
    return " | ".join(f"/{pattern.text}/" if pattern.is_regex else pattern.text or '""' for pattern in patterns)


def ending(status: str) -> str:
    """Return when a finally stage runs: for the *status* of the pipeline, or "" for any."""
    return _ENDINGS[status]
