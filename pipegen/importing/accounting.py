"""The accounting of the constructs of imported files, such as keys.

Each is translated, has no effect in the source, depends on a file that cannot be read, is kept as raw, or is named by
a diagnostic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum

from pipegen.source.text import Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, children, items_of, scalars
from pipegen.structs import Struct

# A location in a file, which identifies a key: the same key comes up several times by anchors and templates.
_Location = tuple[str, int, int]


class KeyOutcome(Enum):
    """What became of a key."""

    TRANSLATED = "translated"
    UNUSED = "unused"
    ELSEWHERE = "elsewhere"
    RAW = "raw"
    REPORTED = "reported"


# A key of a template can have several outcomes: the worst counts.
_WORST_LAST = (
    KeyOutcome.UNUSED,
    KeyOutcome.TRANSLATED,
    KeyOutcome.ELSEWHERE,
    KeyOutcome.RAW,
    KeyOutcome.REPORTED,
)


def _worst(*outcomes: KeyOutcome) -> KeyOutcome:
    return max(outcomes, key=_WORST_LAST.index)


class Count(Struct, kw_only=True):
    """The keys of files by outcome, and by construct: a path of keys such as `artifacts:paths`."""

    keys: int
    outcomes: tuple[tuple[KeyOutcome, int], ...]
    constructs: tuple[tuple[str, KeyOutcome, int], ...]

    def number(self, outcome: KeyOutcome) -> int:
        """Return the number of keys with *outcome*."""
        return dict(self.outcomes).get(outcome, 0)


class Accounting:
    """The outcome of each key so far."""

    def __init__(self) -> None:
        self._outcomes: dict[_Location, KeyOutcome] = {}
        self._merged: dict[_Location, list[Scalar]] = {}
        self._parts: dict[_Location, KeyOutcome] = {}

    def copy(self) -> Accounting:
        """Return another accounting with the outcomes so far."""
        other = Accounting()
        other._outcomes = dict(self._outcomes)
        other._merged = self._merged
        return other

    def restore(self, earlier: Accounting) -> None:
        """Go back to the outcomes of *earlier*, a copy."""
        self._outcomes = dict(earlier._outcomes)

    def merged(self, key: Scalar, other: Scalar) -> None:
        """Note that the map of *other* is merged into that of *key*: both have the same outcome."""
        if _location(key.span) != _location(other.span):
            self._merged.setdefault(_location(key.span), []).append(other)

    def mark(self, entry: Entry, outcome: KeyOutcome) -> None:
        """Give *entry* and the entries in its value *outcome*, unless they have a worse one."""
        self.mark_key(entry.key, outcome)
        self.mark_value(entry.value, outcome)

    def mark_rest(self, entries: Iterable[Entry], outcome: KeyOutcome) -> None:
        """Give *entries* and the entries in their values *outcome*, unless they have one: others use these, too."""
        for entry in entries:
            for key in (entry.key, *(inner.key for inner in entries_in(entry.value))):
                for each in self._with_merged(key):
                    self._outcomes.setdefault(_location(each.span), outcome)

    def mark_translated(self, entries: Iterable[Entry], outcome: KeyOutcome) -> None:
        """Give those of *entries*, and of the entries in their values, that are translated *outcome*."""
        for entry in entries:
            for inner in (entry, *entries_in(entry.value)):
                if self.outcome(inner.key.span) is KeyOutcome.TRANSLATED:
                    self.mark_key(inner.key, outcome)

    def mark_value(self, node: Node, outcome: KeyOutcome) -> None:
        """Give the entries in *node* *outcome*."""
        for entry in entries_in(node):
            self.mark_key(entry.key, outcome)

    def mark_key(self, key: Scalar, outcome: KeyOutcome) -> None:
        """Give *key*, and the keys merged into it, *outcome*."""
        for each in self._with_merged(key):
            self.mark_span(each.span, outcome)

    def _with_merged(self, key: Scalar) -> Iterator[Scalar]:
        """Yield *key* and the keys merged into it."""
        keys, known = [key], set[_Location]()
        while keys:
            key = keys.pop()
            location = _location(key.span)
            if location not in known:
                known.add(location)
                yield key
                keys += self._merged.get(location, ())

    def mark_parts(self, entries: Iterable[Entry]) -> None:
        """Note the scalars in the values of *entries*, with the outcome of their keys: an alias is at its anchor."""
        marked: set[int] = set()
        for entry in entries:
            outcome = self.outcome(entry.key.span)
            if outcome is not None and id(entry) not in marked:
                marked.add(id(entry))
                self._mark_scalars(entry.value, outcome)

    def _mark_scalars(self, node: Node, outcome: KeyOutcome) -> None:
        """Note the scalars in *node* with the outcome of the innermost key that has one, or with *outcome*."""
        pending = [(node, outcome)]
        while pending:
            inner, outcome = pending.pop()
            if isinstance(inner, Scalar):
                location = _location(inner.span)
                self._parts[location] = _worst(self._parts.get(location, outcome), outcome)
            elif isinstance(inner, Mapping):
                pending += [(entry.value, self.outcome(entry.key.span) or outcome) for entry in inner.entries]
            else:
                pending += [(item, outcome) for item in inner.items]

    def outcome_of_parts(self, node: Node) -> KeyOutcome | None:
        """Return the worst outcome of the scalars in *node* that keys elsewhere use; None if they use none."""
        outcomes = (self._parts.get(_location(scalar.span)) for scalar in scalars(node))
        return max((outcome for outcome in outcomes if outcome is not None), key=_WORST_LAST.index, default=None)

    def is_marked(self, entry: Entry) -> bool:
        """Return whether *entry* or an entry in its value has an outcome."""
        inner = (inner_entry.key for inner_entry in entries_in(entry.value))
        return any(_location(key.span) in self._outcomes for key in (entry.key, *inner))

    def outcome(self, span: Span) -> KeyOutcome | None:
        """Return the outcome of the construct at *span*, None if it has none."""
        return self._outcomes.get(_location(span))

    def mark_span(self, span: Span, outcome: KeyOutcome) -> None:
        """Give the construct at *span* *outcome*, unless it has a worse one."""
        self._outcomes[_location(span)] = _worst(self._outcomes.get(_location(span), outcome), outcome)

    def count(self, sources: Iterable[tuple[str, Span]]) -> Count:
        """Return the number of constructs of *sources* by outcome; one without an outcome counts in none."""
        outcomes: Counter[KeyOutcome] = Counter()
        constructs: Counter[tuple[str, KeyOutcome]] = Counter()
        counted: set[_Location] = set()
        for path, span in sources:
            location = _location(span)
            if location in counted:
                continue
            counted.add(location)
            outcome = self._outcomes.get(location)
            if outcome is not None:
                outcomes[outcome] += 1
                constructs[path, outcome] += 1
        return Count(
            keys=len(counted),
            outcomes=tuple((outcome, outcomes[outcome]) for outcome in KeyOutcome),
            constructs=tuple(
                (path, outcome, number) for (path, outcome), number in sorted(constructs.items(), key=str)
            ),
        )


def entries_in(node: Node) -> Iterator[Entry]:
    """Yield the entries at any depth of *node*."""
    pending = [node]
    while pending:
        inner = pending.pop()
        if isinstance(inner, Mapping):
            yield from inner.entries
        pending += children(inner) if isinstance(inner, Mapping) else items_of(inner)


def _location(span: Span) -> _Location:
    return span.file.path, span.file.use, span.start
