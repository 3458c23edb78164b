"""Logic of conditions: implication, superfluous parts, and the runs in which a condition can hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress, product

from pipegen.plan.model.conditions import (
    AllOf,
    AnyOf,
    AreEqual,
    Atom,
    Condition,
    Event,
    Exists,
    Fact,
    FilesChanged,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Subject,
)
from pipegen.plan.model.patterns import Pattern
from pipegen.structs import Struct

Truth = Mapping[Atom, bool]

# The most runs that are checked: beyond that, a condition counts as one that can hold.
MOST_RUNS = 10_000
# The most wildcards of one subject that are combined with each other.
_WILD = 10
# Conditions with more parts stay as they are: each part is compared with each.
_MOST_COMPARED = 30


def implies(premise: Condition | None, conclusion: Condition | None) -> bool:  # noqa: PLR0911 - one for each form
    """Return whether *premise* certainly implies *conclusion*; None always holds."""
    if conclusion is None or premise == conclusion:
        return True
    if premise is None:
        return False
    if isinstance(conclusion, AllOf):
        return all(implies(premise, part) for part in conclusion.conditions)
    if isinstance(premise, AnyOf):
        return all(implies(part, conclusion) for part in premise.conditions)
    if isinstance(conclusion, AnyOf) and any(implies(premise, part) for part in conclusion.conditions):
        return True
    if isinstance(premise, AllOf):
        return any(implies(part, conclusion) for part in premise.conditions)
    return _atom_implies(premise, conclusion)


def _atom_implies(premise: Condition, conclusion: Condition) -> bool:  # noqa: PLR0911 - one for each pair
    match premise, conclusion:
        case Not(), Not():
            return implies(conclusion.condition, premise.condition)
        case Matches(), Matches():
            return _is_same_fact(premise, conclusion) and set(premise.patterns) <= set(conclusion.patterns)
        case Matches(), Not(condition=Matches() as excluded):
            return _is_same_fact(premise, excluded) and not any(
                _may_match(pattern, excluded.patterns) for pattern in premise.patterns
            )
        case Matches(), IsSet():
            return _is_same_fact(premise, conclusion)
        case AreEqual(), IsSet():
            return Fact(conclusion.subject, conclusion.name) in premise.facts
        case IsEvent(), IsEvent():
            return set(premise.events) <= set(conclusion.events)
        case FilesChanged(), FilesChanged():
            return premise.base == conclusion.base and set(premise.patterns) <= set(conclusion.patterns)
        case Exists(), Exists():
            return set(premise.patterns) <= set(conclusion.patterns)
    return False


def _is_same_fact(first: Matches | IsSet, second: Matches | IsSet) -> bool:
    return (first.subject, first.name) == (second.subject, second.name)


def _may_match(pattern: Pattern, others: Iterable[Pattern]) -> bool:
    """Return whether one of *others* may match a text that *pattern* matches."""
    text = pattern.literal
    return text is None or any(other.matches(text) for other in others)


# Stages often have the same condition.
@lru_cache(maxsize=1_000)
def shortened(condition: Condition) -> Condition:
    """Return *condition* without the parts that others make superfluous.

    A part of `AllOf` is superfluous if another implies it, and a part of `AnyOf` if it implies another.
    """
    match condition:
        case Not():
            return Not(shortened(condition.condition))
        case AllOf() | AnyOf():
            parts = _necessary(condition)
            return parts[0] if len(parts) == 1 else type(condition)(parts)
    return condition


def _necessary(condition: AllOf | AnyOf) -> tuple[Condition, ...]:
    """Return the parts of *condition* that no other makes superfluous, those of the same kind flattened."""
    parts = _flattened(type(condition), map(shortened, condition.conditions))
    if len(parts) > _MOST_COMPARED:
        return parts
    necessary: list[Condition] = []
    for part in parts:
        if not any(_decides(condition, other, part) for other in necessary):
            necessary = [*(other for other in necessary if not _decides(condition, part, other)), part]
    return tuple(necessary)


def _decides(condition: AllOf | AnyOf, part: Condition, other: Condition) -> bool:
    """Return whether the *other* part of *condition* is superfluous next to *part*."""
    return implies(part, other) if isinstance(condition, AllOf) else implies(other, part)


def _flattened(kind: type[AllOf | AnyOf], conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return *conditions*, each once, with the parts of those of *kind* in their place."""
    parts: dict[Condition, None] = {}
    for condition in conditions:
        parts |= dict.fromkeys(condition.conditions if isinstance(condition, kind) else (condition,))
    return tuple(parts)


def combined(kind: type[AllOf | AnyOf], conditions: Iterable[Condition]) -> Condition:
    """Return *conditions* as one of *kind*, those of the same kind flattened."""
    parts = _flattened(kind, conditions)
    return parts[0] if len(parts) == 1 else kind(parts)


def joined(kind: type[AllOf | AnyOf], operands: Sequence[Condition | bool]) -> Condition | bool:
    """Return *operands* as one condition of *kind*, or its truth value if the constant ones decide it."""
    decides = kind is AnyOf
    if any(operand is decides for operand in operands):
        return decides
    conditions = [operand for operand in operands if not isinstance(operand, bool)]
    return combined(kind, conditions) if conditions else not decides


def simplified(
    condition: Condition, truth: Callable[[Atom, bool], bool | None], *, is_negated: bool = False
) -> Condition | bool:
    """Return what remains of *condition*, or its truth value, if the truth of some of its atoms is known.

    *truth* returns that of an atom, None if it is not known; its second argument is whether the atom is negated.
    """
    match condition:
        case AllOf() | AnyOf():
            operands = [simplified(part, truth, is_negated=is_negated) for part in condition.conditions]
            return joined(type(condition), operands)
        case Not():
            inner = simplified(condition.condition, truth, is_negated=not is_negated)
            return not inner if isinstance(inner, bool) else Not(inner)
    known = truth(condition, is_negated)
    return condition if known is None else known


def atoms(*conditions: Condition | None) -> tuple[Atom, ...]:
    """Return the atoms of *conditions*, each once, in the order in which they are written."""
    return tuple(dict.fromkeys(atom for condition in conditions if condition is not None for atom in _atoms(condition)))


def _atoms(condition: Condition) -> Iterator[Atom]:
    match condition:
        case AllOf() | AnyOf():
            for part in condition.conditions:
                yield from _atoms(part)
        case Not():
            yield from _atoms(condition.condition)
        case _:
            yield condition


def facts_of(atom: Atom) -> tuple[Fact, ...]:
    """Return the facts that *atom* compares."""
    match atom:
        case Matches() | IsSet():
            return (Fact(atom.subject, atom.name),)
        case AreEqual():
            return atom.facts
    return ()


def holds(condition: Condition | None, is_true: Callable[[Atom], bool]) -> bool:
    """Return whether *condition* holds; *is_true* is asked for the atoms that decide it."""
    match condition:
        case None:
            return True
        case AllOf():
            return all(holds(part, is_true) for part in condition.conditions)
        case AnyOf():
            return any(holds(part, is_true) for part in condition.conditions)
        case Not():
            return not holds(condition.condition, is_true)
        case _:
            return is_true(condition)


# Stages often have the same condition, and a config with errors is planned several times.
@lru_cache(maxsize=1_000)
def can_hold(condition: Condition | None, events: tuple[Event, ...] = tuple(Event)) -> bool:
    """Return whether *condition* holds in some run that one of *events* starts."""
    return any(
        number == MOST_RUNS or holds(condition, truth.__getitem__)
        for number, truth in enumerate(runs(atoms(condition), events), start=1)
    )


def can_hold_without(condition: Condition, absent: Collection[Atom]) -> bool:
    """Return whether *condition* holds in some run that lacks the variables which the atoms *absent* compare."""
    rest = simplified(condition, lambda atom, _: False if atom in absent else None)
    return rest if isinstance(rest, bool) else can_hold(rest)


class _Value(Struct):
    """A value of a fact by the patterns *matching* it, None if it is not set, and the *truth* of the atoms about it."""

    matching: frozenset[Pattern] | None
    truth: Truth


def runs(atoms_: Sequence[Atom], events: Sequence[Event] = tuple(Event)) -> Iterator[Truth]:
    """Yield each combination of truth values of *atoms_* in a run that one of *events* starts."""
    equalities = [atom for atom in atoms_ if isinstance(atom, AreEqual)]
    values = {fact: _values(fact, patterns, atoms_) for fact, patterns in _patterns(atoms_, equalities).items()}
    for event, ref in _starts(events):
        fixed: dict[Atom, bool] = {atom: event in atom.events for atom in atoms_ if isinstance(atom, IsEvent)}
        free: list[Sequence[Truth]] = []
        for atom in atoms_:
            if isinstance(atom, FilesChanged) and atom.base is None and event not in (Event.PUSH, Event.MERGE_REQUEST):
                fixed[atom] = True
            elif isinstance(atom, FilesChanged | Exists):
                free.append(_either(atom))
        for chosen in product(*(_possible(fact, options, ref) for fact, options in values.items())):
            matching = dict(zip(values, (value.matching for value in chosen), strict=True))
            results = [_results(atom, *(matching[fact] for fact in atom.facts)) for atom in equalities]
            for others in product(*free, *results):
                parts = (*(value.truth for value in chosen), *others)
                yield {**fixed, **{atom: is_true for part in parts for atom, is_true in part.items()}}


def _starts(events: Sequence[Event]) -> Iterator[tuple[Event, Subject | None]]:
    """Yield each event with the ref that it may build: a branch, a tag, or None for a merge request."""
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


def _patterns(atoms_: Iterable[Atom], equalities: Sequence[AreEqual]) -> dict[Fact, dict[Pattern, None]]:
    """Return the patterns that each fact is compared with, also those of the facts that it may be equal to."""
    patterns: dict[Fact, dict[Pattern, None]] = {fact: {} for atom in atoms_ for fact in facts_of(atom)}
    for atom in atoms_:
        if isinstance(atom, Matches):
            patterns[Fact(atom.subject, atom.name)] |= dict.fromkeys(atom.patterns)
    is_complete = False
    while not is_complete:
        is_complete = True
        for first, second in (equality.facts for equality in equalities):
            if patterns[first].keys() != patterns[second].keys():
                patterns[first] = patterns[second] = patterns[first] | patterns[second]
                is_complete = False
    return patterns


def _values(fact: Fact, patterns: Iterable[Pattern], atoms_: Iterable[Atom]) -> list[_Value]:
    """Return the values of *fact* that differ in the *patterns* that match them, and not being set."""
    own = [atom for atom in atoms_ if isinstance(atom, Matches | IsSet) and facts_of(atom) == (fact,)]
    texts = dict.fromkeys(pattern.literal for pattern in patterns if pattern.literal)
    literal_matches = [frozenset(pattern for pattern in patterns if pattern.matches(text)) for text in texts]
    wild = [pattern for pattern in patterns if pattern.literal is None]
    wild_matches = [
        frozenset(compress(wild, chosen)) for chosen in product((True, False), repeat=min(len(wild), _WILD))
    ]
    wild_matches += [frozenset({pattern}) for pattern in wild[_WILD:]] + [frozenset(wild)]
    present = [_Value(matching, _truth(own, matching)) for matching in dict.fromkeys((*literal_matches, *wild_matches))]
    return [_Value(None, dict.fromkeys(own, False)), *present]


def _truth(own: Sequence[Matches | IsSet], matching: frozenset[Pattern]) -> Truth:
    """Return the truth values of the atoms *own* for a value that matches the patterns *matching*."""
    return {atom: not matching.isdisjoint(atom.patterns) if isinstance(atom, Matches) else True for atom in own}


def _possible(fact: Fact, values: Sequence[_Value], ref: Subject | None) -> Sequence[_Value]:
    """Return the *values* that *fact* may have in a run that builds *ref*."""
    if fact.subject not in (Subject.BRANCH, Subject.TAG):
        return values
    return [value for value in values if (value.matching is not None) is (fact.subject is ref)]


def _either(atom: Atom) -> Sequence[Truth]:
    return ({atom: True}, {atom: False})


def _results(atom: AreEqual, *matching: frozenset[Pattern] | None) -> Sequence[Truth]:
    """Return the truth values that *atom* may have for values with these *matching* patterns."""
    first, second = matching
    if first is None or first != second:
        return ({atom: False},)
    return ({atom: True},) if any(pattern.literal for pattern in first) else _either(atom)
