"""The kinds of steps of all stages in tables: steps that differ in nothing but their texts are of one kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.entries import Entry
from pipegen.targets.jenkins.file_size import parts
from pipegen.targets.jenkins.names import Names
from pipegen.targets.jenkins.shapes import filled
from pipegen.targets.jenkins.size import LARGEST, weigh_groovy

# What all steps of a kind say alike is told in its Groovy, if it is short.
_SHORT = 40
# What stands around the Groovy of a kind: a condition with its block, and a return.
_AROUND = 12


class KindOf(Struct):
    """A kind: its name, its Groovy with holes, and what all of them say alike, None where they differ."""

    name: str
    code: str
    alike: tuple[str | None, ...]

    @property
    def kind(self) -> model.Kind:
        """The kind as it is written."""
        return model.Kind(self.name, filled(self.code, self.alike))

    def told(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return those of *texts* that its Groovy does not hold."""
        return tuple(text for text, alike in zip(texts, self.alike, strict=True) if alike is None)


class Kinds:
    """The kinds of *found*, in the order in which they come first."""

    def __init__(self, found: Iterable[Entry]) -> None:
        names = Names()
        by_key: dict[tuple[str, str, bool], list[tuple[str, ...]]] = {}
        for entry in found:
            by_key.setdefault(_key(entry), []).append(entry.shape.texts)
        self._kinds = {
            key: KindOf(_name(key, names), key[1], tuple(_alike(told) for told in zip(*texts, strict=True)))
            for key, texts in by_key.items()
        }
        self._too_large = {key for key, one in self._kinds.items() if _weigh(one.kind) > LARGEST}

    def of(self, entry: Entry) -> KindOf:
        """Return the kind of *entry*."""
        return self._kinds[_key(entry)]

    def is_too_large(self, entry: Entry) -> bool:
        """Return whether no function can hold the Groovy of *entry*."""
        return _key(entry) in self._too_large

    def functions(self, *, is_value: bool) -> tuple[tuple[model.Kind, ...], ...]:
        """Return the kinds of steps, or of values, in parts that a function can hold."""
        found = (one.kind for key, one in self._kinds.items() if one.code and key[2] is is_value)
        return tuple(parts(found, _weigh))


def weigh_kinds(kinds: Iterable[Sequence[model.Kind]]) -> int:
    """Return the weight of functions of *kinds*."""
    return sum(map(_weigh, chain.from_iterable(kinds)))


def _weigh(kind: model.Kind) -> int:
    return weigh_groovy(kind.code) + _AROUND


def _key(entry: Entry) -> tuple[str, str, bool]:
    return entry.kind, entry.shape.code, entry.is_value


def _name(key: tuple[str, str, bool], names: Names) -> str:
    kind, code, _ = key
    if kind and not code:
        # A part of a step is known by its place.
        return kind
    word = re.search(r"[A-Za-z_]\w*", code)
    return names.take(kind or (word[0] if word else "value"), "{name}{number}")


def _alike(texts: Sequence[str]) -> str | None:
    """Return what *texts* have in common; one that is alone may be as long as it likes, and stays with its stage."""
    first = texts[0]
    is_short = len(first) <= _SHORT and first.isprintable()
    return first if is_short and len(texts) > 1 and all(text == first for text in texts) else None
