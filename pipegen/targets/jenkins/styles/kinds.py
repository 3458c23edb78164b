"""The kinds of steps of all stages in tables: steps that differ only in their texts are of one kind."""

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

# Short texts that are equal in all steps of a kind are part of its Groovy.
_SHORT = 40
# The code around the Groovy of a kind: a condition with its block, and a return.
_AROUND = 12


class KindOf(MutableStruct, eq=False):
    """A kind of steps, or of values: its name, also as tables have it, its Groovy with holes, and their texts.

    *texts* are those of each entry. Once all are known, *common* are the common texts, None where they differ, and
    *differing* are the indexes of the differing ones.
    """

    name: str
    mark: str
    code: str
    is_value: bool
    texts: list[tuple[str, ...]] = field(default_factory=list)
    common: tuple[str | None, ...] = ()
    differing: tuple[int, ...] = ()

    def settle(self) -> None:
        """Find the texts that all of its entries have in common."""
        self.common = tuple(map(_common, zip(*self.texts, strict=True)))
        self.differing = tuple(index for index, text in enumerate(self.common) if text is None)

    @property
    def kind(self) -> model.StepKind:
        """The kind for the generated file."""
        return model.StepKind(self.name, filled(self.code, self.common))


class Kinds:
    """The kinds of entries, in order of their first use."""

    def __init__(self) -> None:
        self._names = StageNames()
        self._kinds: dict[tuple[str, str, bool], KindOf] = {}

    def of(self, entry: TableEntry) -> KindOf:
        """Return the kind of *entry*, and count the entry in."""
        key = (entry.kind, entry.shape.code, entry.is_value)
        kind = self._kinds.get(key)
        if kind is None:
            name = _name(entry, self._names)
            kind = KindOf(name, f":{name}" if entry.is_value else name, entry.shape.code, entry.is_value)
            self._kinds[key] = kind
        kind.texts.append(entry.shape.texts)
        return kind

    def settle(self) -> frozenset[KindOf]:
        """Find the common texts of each kind, once all entries are known; return kinds too large for a function."""
        for kind in self._kinds.values():
            kind.settle()
        return frozenset(kind for kind in self._kinds.values() if _weigh(kind.kind) > LARGEST)

    def functions(self, *, is_value: bool) -> tuple[tuple[model.StepKind, ...], ...]:
        """Return the kinds of steps, or of values, in parts that fit into functions."""
        kinds = (kind.kind for kind in self._kinds.values() if kind.code and kind.is_value is is_value)
        return tuple(parts(kinds, _weigh))


def weigh_kinds(kinds: Iterable[Sequence[model.StepKind]]) -> int:
    """Return the weight of functions of *kinds*."""
    return sum(map(_weigh, chain.from_iterable(kinds)))


def _weigh(kind: model.StepKind) -> int:
    return weigh_groovy(kind.code) + _AROUND


def _name(entry: TableEntry, names: StageNames) -> str:
    kind, code = entry.kind, entry.shape.code
    if kind and not code:
        # A part of a step is identified by its position.
        return kind
    word = re.search(r"[A-Za-z_]\w*", code)
    return names.take(kind or (word[0] if word else "value"), "{name}{number}")


def _common(texts: Sequence[str]) -> str | None:
    """Return the common text of *texts*, if it is short; a single text stays with its stage."""
    first = texts[0]
    is_short = len(first) <= _SHORT and first.isprintable()
    return first if is_short and len(texts) > 1 and len(set(texts)) == 1 else None
