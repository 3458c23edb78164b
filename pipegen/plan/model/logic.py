"""What follows from a condition, and in which runs it can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, product

from pipegen.plan.model.conditions import (
    AllOf,
    AnyOf,
    Atom,
    Condition,
    Event,
    Exists,
    FilesChanged,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Subject,
)
from pipegen.plan.model.patterns import Pattern

Truth = Mapping[Atom, bool]

# Runs of which more are not looked at: a condition that needs them is taken for one that can hold.
MOST_RUNS = 10_000
# Wildcards of one subject that are taken to match independently of each other.
_WILD = 10


def implies(one: Condition | None, other: Condition | None) -> bool:  # noqa: PLR0911 - one for each form
    """Return whether *other* is known to hold wherever *one* does; None always holds."""
    if other is None or one == other:
        return True
    if one is None:
        return False
    if isinstance(other, AllOf):
        return all(implies(one, part) for part in other.conditions)
    if isinstance(one, AnyOf):
        return all(implies(part, other) for part in one.conditions)
    if isinstance(other, AnyOf) and any(implies(one, part) for part in other.conditions):
        return True
    if isinstance(one, AllOf):
        return any(implies(part, other) for part in one.conditions)
    return _atom_implies(one, other)


def _atom_implies(one: Condition, other: Condition) -> bool:  # noqa: PLR0911 - one for each pair
    match one, other:
        case Not(), Not():
            return implies(other.condition, one.condition)
        case Matches(), Matches():
            is_same = (one.subject, one.name) == (other.subject, other.name)
            return is_same and set(one.patterns) <= set(other.patterns)
        case Matches(), IsSet():
            return (one.subject, one.name) == (other.subject, other.name)
        case IsEvent(), IsEvent():
            return set(one.events) <= set(other.events)
        case FilesChanged(), FilesChanged():
            return one.base == other.base and set(one.patterns) <= set(other.patterns)
        case Exists(), Exists():
            return set(one.patterns) <= set(other.patterns)
    return False


def atoms(*conditions: Condition | None) -> tuple[Atom, ...]:
    """Return the atoms of *conditions*, each once, in the order in which they are written."""
    return tuple(dict.fromkeys(atom for one in conditions if one is not None for atom in _atoms(one)))


def _atoms(condition: Condition) -> Iterator[Atom]:
    match condition:
        case AllOf() | AnyOf():
            for part in condition.conditions:
                yield from _atoms(part)
        case Not():
            yield from _atoms(condition.condition)
        case _:
            yield condition


def holds(condition: Condition | None, truth: Truth) -> bool:
    """Return whether *condition* holds where its atoms hold as *truth* says."""
    match condition:
        case None:
            return True
        case AllOf():
            return all(holds(part, truth) for part in condition.conditions)
        case AnyOf():
            return any(holds(part, truth) for part in condition.conditions)
        case Not():
            return not holds(condition.condition, truth)
        case _:
            return truth[condition]


def can_hold(condition: Condition | None, events: Sequence[Event] = tuple(Event)) -> bool:
    """Return whether *condition* holds in some run that one of *events* starts."""
    return any(
        number == MOST_RUNS or holds(condition, truth)
        for number, truth in enumerate(runs(atoms(condition), events), start=1)
    )


def can_hold_without(condition: Condition, absent: Sequence[Atom]) -> bool:
    """Return whether *condition* holds in some run in which none of its atoms *absent* does."""
    return any(
        number == MOST_RUNS or (not any(truth[atom] for atom in absent) and holds(condition, truth))
        for number, truth in enumerate(runs(atoms(condition)), start=1)
    )


def runs(found: Sequence[Atom], events: Sequence[Event] = tuple(Event)) -> Iterator[Truth]:
    """Yield each way in which the atoms *found* can hold together in a run that one of *events* starts."""
    values = {one: _value_options(found, *one) for one in dict.fromkeys(map(_subject, found)) if one is not None}
    for event, ref in _starts(events):
        fixed: dict[Atom, bool] = {one: event in one.events for one in found if isinstance(one, IsEvent)}
        free: list[Sequence[Truth]] = []
        for (subject, _), options in values.items():
            is_there = subject is ref if subject in (Subject.BRANCH, Subject.TAG) else None
            free.append([truth for truth, present in options if is_there in (None, present)])
        for one in found:
            if isinstance(one, FilesChanged) and one.base is None and event not in (Event.PUSH, Event.MERGE_REQUEST):
                fixed[one] = True
            elif isinstance(one, FilesChanged | Exists):
                free.append([{one: True}, {one: False}])
        for chosen in product(*free):
            yield {**fixed, **{atom: is_true for part in chosen for atom, is_true in part.items()}}


def _starts(events: Sequence[Event]) -> Iterator[tuple[Event, Subject | None]]:
    """Yield each event with what it may build: a branch, a tag, or the merge of a request."""
    for event in events:
        match event:
            case Event.MERGE_REQUEST:
                yield event, None
            case Event.TAG:
                yield event, Subject.TAG
            case Event.PUSH:
                yield event, Subject.BRANCH
            case _:
                yield event, Subject.BRANCH
                yield event, Subject.TAG


def _subject(atom: Atom) -> tuple[Subject, str] | None:
    return (atom.subject, atom.name) if isinstance(atom, Matches | IsSet) else None


def _value_options(found: Sequence[Atom], subject: Subject, name: str) -> list[tuple[Truth, bool]]:
    """Return how the atoms of one subject can hold together, and whether the subject is there then."""
    own = [one for one in found if _subject(one) == (subject, name)]
    patterns = dict.fromkeys(pattern for one in own if isinstance(one, Matches) for pattern in one.patterns)
    texts = dict.fromkeys(pattern.literal for pattern in patterns if pattern.literal)
    known = [frozenset(pattern for pattern in patterns if pattern.matches(text)) for text in texts]
    wild = [pattern for pattern in patterns if pattern.literal is None]
    other = [frozenset(compress(wild, chosen)) for chosen in product((True, False), repeat=min(len(wild), _WILD))]
    other += [frozenset({pattern}) for pattern in wild[_WILD:]] + [frozenset(wild)]
    present = [(_told(own, matching), True) for matching in dict.fromkeys((*known, *other))]
    return [(dict.fromkeys(own, False), False), *present]


def _told(own: Sequence[Atom], matching: frozenset[Pattern]) -> Truth:
    """Return which of the atoms *own* hold for a value that is there, and which the patterns *matching* match."""
    return {one: not matching.isdisjoint(one.patterns) if isinstance(one, Matches) else True for one in own}
