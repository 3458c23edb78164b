"""The kinds of steps of all stages in tables: steps that differ in nothing but their texts are of one kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from pipegen.structs import MutableStruct, field
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.names import StageNames
from pipegen.targets.jenkins.size.files import parts
from pipegen.targets.jenkins.size.weights import LARGEST, weigh_groovy
from pipegen.targets.jenkins.styles.entries import TableEntry
from pipegen.targets.jenkins.styles.shapes import filled

# What all steps of a kind say alike is told in its Groovy, if it is short.
_SHORT = 40
# What stands around the Groovy of a kind: a condition with its block, and a return.
_AROUND = 12


class KindOf(MutableStruct, eq=False):
    """A kind of steps, or of values: its name, also as tables have it, its Groovy with holes, and what fills these.

    *texts* are those of each entry. Once all are known, *alike* is what they all say, None where they differ, and
    *told* are the places at which they do.
    """

    name: str
    mark: str
    code: str
    is_value: bool
    texts: list[tuple[str, ...]] = field(default_factory=list)
    alike: tuple[str | None, ...] = ()
    told: tuple[int, ...] = ()

    def settle(self) -> None:
        """Find out what all of its entries say alike."""
        self.alike = tuple(map(_alike, zip(*self.texts, strict=True)))
        self.told = tuple(place for place, text in enumerate(self.alike) if text is None)

    @property
    def kind(self) -> model.StepKind:
        """The kind as it is written."""
        return model.StepKind(self.name, filled(self.code, self.alike))


class Kinds:
    """The kinds of entries, in the order in which they come first."""

    def __init__(self) -> None:
        self._names = StageNames()
        self._kinds: dict[tuple[str, str, bool], KindOf] = {}

    def of(self, entry: TableEntry) -> KindOf:
        """Return the kind of *entry*, which is one more of it."""
        key = (entry.kind, entry.shape.code, entry.is_value)
        kind = self._kinds.get(key)
        if kind is None:
            name = _name(entry, self._names)
            kind = KindOf(name, f":{name}" if entry.is_value else name, entry.shape.code, entry.is_value)
            self._kinds[key] = kind
        kind.texts.append(entry.shape.texts)
        return kind

    def settle(self) -> frozenset[KindOf]:
        """Find out what entries of a kind say alike, now that all are known; return those that no function can hold."""
        for kind in self._kinds.values():
            kind.settle()
        return frozenset(kind for kind in self._kinds.values() if _weigh(kind.kind) > LARGEST)

    def functions(self, *, is_value: bool) -> tuple[tuple[model.StepKind, ...], ...]:
        """Return the kinds of steps, or of values, in parts that a function can hold."""
        found = (one.kind for one in self._kinds.values() if one.code and one.is_value is is_value)
        return tuple(parts(found, _weigh))


def weigh_kinds(kinds: Iterable[Sequence[model.StepKind]]) -> int:
    """Return the weight of functions of *kinds*."""
    return sum(map(_weigh, chain.from_iterable(kinds)))


def _weigh(kind: model.StepKind) -> int:
    return weigh_groovy(kind.code) + _AROUND


def _name(entry: TableEntry, names: StageNames) -> str:
    kind, code = entry.kind, entry.shape.code
    if kind and not code:
        # A part of a step is known by its place.
        return kind
    word = re.search(r"[A-Za-z_]\w*", code)
    return names.take(kind or (word[0] if word else "value"), "{name}{number}")


def _alike(texts: Sequence[str]) -> str | None:
    """Return what *texts* have in common; one that is alone may be as long as it likes, and stays with its stage."""
    first = texts[0]
    is_short = len(first) <= _SHORT and first.isprintable()
    return first if is_short and len(texts) > 1 and len(set(texts)) == 1 else None
