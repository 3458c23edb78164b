"""Conditions of a config: tests joined by "and", "or" and "not", and without parts that make no difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, reduce
from itertools import product
from operator import and_, or_
from typing import TypeAlias

from pipegen.structs import Struct, replace

# Conditions with more facts, or with more tests of them, lose only what other parts decide.
_MOST_FACTS, _MOST_TESTS = 7, 100
# Kinds of texts that `equal` compares.
_TEXTS = ("branch", "tag", "inputs", "env")
# Kinds of events, each with what is built: a run for a merge request has neither a branch nor a tag.
_RUNS = (
    *(("push", "branch"), ("tag", "tag"), ("merge_request", ""), ("schedule", "branch"), ("schedule", "tag")),
    *(("manual", "branch"), ("manual", "tag"), ("api", "branch"), ("api", "tag")),
)


class StageTest(Struct):
    """One key of `when`: *key*, the *name* of a variable or input, and patterns; without patterns, any value.

    `changes` compares with the branch *other*. `equal` compares *name* and *other*, texts as a config names them, in
    the order that `equality` gives them.
    """

    key: str
    name: str = ""
    patterns: tuple[str, ...] = ()
    other: str = ""


class Conjunction(Struct):
    """All of *parts* hold; always true without parts."""

    parts: tuple[Condition, ...] = ()


class Disjunction(Struct):
    """One of *parts* holds; never true without parts."""

    parts: tuple[Condition, ...] = ()


class Opposite(Struct):
    """*part* does not hold."""

    part: Condition


Condition: TypeAlias = StageTest | Conjunction | Disjunction | Opposite
ALWAYS, NEVER = Conjunction(), Disjunction()
NO_MERGE_REQUEST = Opposite(StageTest("event", patterns=("merge_request",)))


def equality(first: str, second: str) -> StageTest:
    """Return the test whether two texts, as a config names them (`branch`, `env.NAME`), are equal and not empty."""
    name, other = sorted((first, second), key=lambda text: (_TEXTS.index(text.partition(".")[0]), text))
    return StageTest("equal", name, other=other)


@lru_cache(maxsize=1_000)
def simplified(whole: Condition, known: Condition = ALWAYS) -> Condition:
    """Return *whole* without parts that make no difference in runs for which *known* holds."""
    return _Simplifier(whole, known).result()


class _Simplifier:
    """Drops the parts of a condition that make no difference, by comparing all combinations of its tests.

    If there are too many, only parts that single tests decide are dropped.
    """

    def __init__(self, whole: Condition, known: Condition) -> None:
        self._whole, self._condition = flat(whole), known
        self._table = _Table((*tests(self._whole), *tests(known)))
        self._known = self._table.mask(known) if self._table.is_small else 0

    def result(self) -> Condition:
        if not self._table.is_small:
            # All parts of a conjunction hold, but maybe only one of a disjunction.
            known = flat(self._condition)
            facts = frozenset[Condition]() if isinstance(known, Disjunction) else _literals(known)
            return _without_decided(_assuming(self._whole, facts, are_true=True))
        whole, mask = self._whole, self._mask(self._whole)
        if mask == self._known:
            return ALWAYS
        if not mask:
            return NEVER
        while True:
            smaller = next((candidate for candidate in _smaller(whole) if self._mask(candidate) == mask), None)
            if smaller is None:
                return whole
            whole = flat(smaller)

    def _mask(self, condition_: Condition) -> int:
        return self._table.mask(condition_) & self._known


class _Table:
    """All combinations of the facts that tests depend on and of kinds of runs; a mask has a bit for each."""

    def __init__(self, tests: Sequence[StageTest]) -> None:
        facts = list(dict.fromkeys(_facts_of(tests)))
        self.is_small = len(facts) <= _MOST_FACTS and len(tests) <= _MOST_TESTS
        masks = _masks(len(facts) if self.is_small else 0)
        self._facts = dict(zip(facts, masks.facts, strict=False))
        self._events, self._built, self._all = masks.events, masks.built, masks.all
        for fact in facts if self.is_small else ():
            compared = (fact.name, fact.other) if fact.key == "equal" else (f"{fact.key}.{fact.name}",)
            # A text that matches a pattern, or is equal to another one, is not empty.
            self._all &= ~self._facts[fact] | reduce(and_, map(self._has_value, compared))

    def _has_value(self, text: str) -> int:
        """Return the combinations in which *text* may have a value."""
        if text in self._built:
            return self._built[text]
        key, _, name = text.partition(".")
        return self._facts.get(StageTest(key, name, ("",)), self._all)

    def mask(self, whole: Condition) -> int:
        """Return the combinations in which *whole* holds."""
        match whole:
            case Conjunction():
                return reduce(and_, map(self.mask, whole.parts), self._all)
            case Disjunction():
                return reduce(or_, map(self.mask, whole.parts), 0)
            case Opposite():
                return self._all & ~self.mask(whole.part)
        return self._of_test(whole) & self._all

    def _of_test(self, test: StageTest) -> int:
        if test.key == "event":
            return reduce(or_, (self._events[event] for event in test.patterns), 0)
        if test.key in self._built and not test.patterns:
            return self._built[test.key]
        facts = (replace(test, patterns=(pattern,)) for pattern in test.patterns or ("",))
        return reduce(or_, (self._facts[fact] for fact in facts), 0) & self._built.get(test.key, self._all)

    def event(self, name: str) -> int:
        """Return the combinations of the event *name*."""
        return self._events[name]


class _Masks(Struct):
    """The combinations in which each fact, event or kind of ref holds, and *all*."""

    facts: tuple[int, ...]
    events: Mapping[str, int]
    built: Mapping[str, int]
    all: int


@cache
def _masks(number: int) -> _Masks:
    """Return the combinations of a *number* of facts, which are the same for all facts."""
    combinations = list(product((False, True), repeat=number))
    return _Masks(
        tuple(_bits(values[at] for values in combinations for _ in _RUNS) for at in range(number)),
        {event: _bits(run[0] == event for _ in combinations for run in _RUNS) for event, _ in _RUNS},
        {built: _bits(run[1] == built for _ in combinations for run in _RUNS) for built in ("branch", "tag")},
        (1 << len(combinations) * len(_RUNS)) - 1,
    )


def _bits(values: Iterable[bool]) -> int:
    return sum(1 << at for at, value in enumerate(values) if value)


def _smaller(whole: Condition) -> Iterator[Condition]:
    """Yield *whole* with one part less, the largest parts first."""
    match whole:
        case Conjunction() | Disjunction():
            kind = type(whole)
            for at in range(len(whole.parts)):
                rest = whole.parts[:at] + whole.parts[at + 1 :]
                yield rest[0] if len(rest) == 1 else kind(rest)
            for at, part in enumerate(whole.parts):
                for smaller in _smaller(part):
                    yield kind((*whole.parts[:at], smaller, *whole.parts[at + 1 :]))
        case Opposite():
            for smaller in _smaller(whole.part):
                yield Opposite(smaller)
        case StageTest() if whole.key == "event" and len(whole.patterns) > 1:
            for event in whole.patterns:
                yield replace(whole, patterns=tuple(other for other in whole.patterns if other != event))


def _without_decided(whole: Condition) -> Condition:
    """Return the flat *whole* without what other parts decide: "a, or a and b" is "a", "a, or b and not a" "a or b"."""
    if isinstance(whole, Opposite):
        return _refused(_without_decided(whole.part))
    if isinstance(whole, StageTest):
        return whole
    literals = _literals(whole)
    parts = (
        part if part in literals else _assuming(part, literals, are_true=isinstance(whole, Conjunction))
        for part in whole.parts
    )
    assumed = _joined(type(whole), parts)
    if assumed != whole:
        return _without_decided(assumed)
    kind, inner_kind = type(whole), Disjunction if isinstance(whole, Conjunction) else Conjunction
    undecided = [_without_refused(part, whole) if isinstance(part, inner_kind) else part for part in whole.parts]
    contents = {part: {*part.parts} if isinstance(part, inner_kind) else {part} for part in undecided}
    rest = [part for part, content in contents.items() if not any(other < content for other in contents.values())]
    result = _joined(kind, map(_without_decided, rest))
    return result if result == whole else _without_decided(result)


def _literals(whole: Condition) -> frozenset[Condition]:
    """Return the tests and opposites of tests among the parts of the flat *whole*."""
    parts = whole.parts if isinstance(whole, Conjunction | Disjunction) else (whole,)
    return frozenset(part for part in parts if isinstance(part.part if isinstance(part, Opposite) else part, StageTest))


def _assuming(whole: Condition, literals: frozenset[Condition], *, are_true: bool) -> Condition:
    """Return the flat *whole* in runs in which all of *literals* hold if they *are_true*, else none."""
    if not literals:
        return whole
    true, false = (ALWAYS, NEVER) if are_true else (NEVER, ALWAYS)
    match whole:
        case _ if whole in literals:
            return true
        case StageTest():
            return false if Opposite(whole) in literals else whole
        case Opposite():
            return _refused(_assuming(whole.part, literals, are_true=are_true))
        case Conjunction() | Disjunction():
            return _joined(type(whole), [_assuming(part, literals, are_true=are_true) for part in whole.parts])
    return whole


def _without_refused(part: Conjunction | Disjunction, whole: Conjunction | Disjunction) -> Condition:
    """Return the *part* of *whole* without the opposites of other parts of it."""

    def is_decided(inner: Condition) -> bool:
        refused = inner.part if isinstance(inner, Opposite) else None
        others = refused.parts if isinstance(refused, type(whole)) else (refused,)
        return all(other in whole.parts for other in others)

    return _joined(type(part), (inner for inner in part.parts if not is_decided(inner)))


def flat(whole: Condition) -> Condition:
    """Return *whole* without nested conditions of one kind, and with `not` only before tests and mixed groups."""
    match whole:
        case Conjunction() | Disjunction():
            return _joined(type(whole), map(flat, whole.parts))
        case Opposite():
            return _refused(flat(whole.part))
    return whole


def _joined(kind: type[Conjunction | Disjunction], flat_parts: Iterable[Condition]) -> Condition:
    """Return the flat condition of *kind* of parts that are *flat_parts* already."""
    parts: dict[Condition, None] = {}
    for part in flat_parts:
        parts |= dict.fromkeys(part.parts if isinstance(part, kind) else (part,))
    neutral, decisive = (ALWAYS, NEVER) if kind is Conjunction else (NEVER, ALWAYS)
    parts.pop(neutral, None)
    if decisive in parts:
        return decisive
    return next(iter(parts)) if len(parts) == 1 else kind(tuple(parts))


def _refused(part: Condition) -> Condition:
    """Return the negation of the flat *part*, which moves into groups that contain a negation."""
    if isinstance(part, Opposite):
        return part.part
    if isinstance(part, StageTest) or (part.parts and not any(isinstance(inner, Opposite) for inner in part.parts)):
        return Opposite(part)
    kind = Conjunction if isinstance(part, Disjunction) else Disjunction
    return _joined(kind, map(_refused, part.parts))


def tests(whole: Condition) -> Iterator[StageTest]:
    """Yield the tests in *whole*."""
    match whole:
        case StageTest():
            yield whole
        case Opposite():
            yield from tests(whole.part)
        case Conjunction() | Disjunction():
            for part in whole.parts:
                yield from tests(part)


def _facts_of(tests: Sequence[StageTest]) -> Iterator[StageTest]:
    """Yield the facts that *tests* depend on, except the kind of the run: each pattern separately."""
    for test in tests:
        if test.key == "event" or (test.key in ("branch", "tag") and not test.patterns):
            continue
        for pattern in test.patterns or ("",):
            yield replace(test, patterns=(pattern,))


def holds_for_merge_requests(whole: Condition) -> bool:
    """Return whether *whole* can hold in a run for a merge request."""
    table = _Table(tuple(tests(whole)))
    return not table.is_small or bool(table.mask(whole) & table.event("merge_request"))


def in_pipelines(whole: Condition, known: Condition) -> Condition:
    """Return *whole*, which decides how a stage starts or which variables it has; *known* holds in all its runs.

    The first part of *known* is that of the pipelines. Without pipelines for merge requests, *whole* also excludes
    these: a generated file starts one if it can hold there.
    """
    runs = simplified(whole, known)
    is_never = isinstance(known, Conjunction) and known.parts[:1] == (NO_MERGE_REQUEST,)
    excludes = is_never and runs != ALWAYS and holds_for_merge_requests(runs)
    return simplified(Conjunction((runs, NO_MERGE_REQUEST))) if excludes else runs


def without_variable(whole: Condition, name: str) -> Condition:
    """Return *whole* in runs in which the variable *name* is not set."""
    match whole:
        case StageTest():
            is_about = whole == StageTest("env", name, whole.patterns) or f"env.{name}" in (whole.name, whole.other)
            return NEVER if is_about else whole
        case Opposite():
            return Opposite(without_variable(whole.part, name))
        case Conjunction() | Disjunction():
            return type(whole)(tuple(without_variable(part, name) for part in whole.parts))
