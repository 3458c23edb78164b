"""Values of a plan as words: what they say, however it is written."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from enum import Enum
from typing import ClassVar, TypeAlias

from pipegen.bindings.expression import Bare, Defaulted, Loop, Map, Part, Reference, Scope, Text
from pipegen.bindings.script.model import Body, Delimiter, Escaped, PlacedReference, ScriptPart
from pipegen.plan.model import (
    AllOf,
    AnyOf,
    BlubberInline,
    BlubberPath,
    Condition,
    Container,
    Exists,
    FilesChanged,
    Image,
    IsEvent,
    Line,
    Matches,
    Not,
    ReportPath,
)
from pipegen.plan.rewriting import parts
from pipegen.plan.stage.condition_text import words
from pipegen.source.text import Located
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, Sequence
from pipegen.structs import SpannedStruct, Struct

_PAIR = 2
# Names whose order says something: words of a command. That of paths, labels and people does not.
_ORDERED = ("entrypoint", "command")
# What a value is made of.
Tree: TypeAlias = "ComparedValue | dict[str, Tree]"


class ComparedValue(SpannedStruct):
    """What a key says: two say the same where *same* is equal, which is the text itself if nothing else is given."""

    UNCOMPARED: ClassVar[tuple[str, ...]] = ("text",)

    text: str
    same: Hashable


def value(text: str) -> ComparedValue:
    """Return *text* as a value."""
    return ComparedValue(text, text)


def unordered(texts: Iterable[str]) -> ComparedValue | None:
    """Return *texts*, whose order says nothing; None for none."""
    found = tuple(dict.fromkeys(texts))
    return ComparedValue(", ".join(found), frozenset(found)) if found else None


def condition(one: Condition | None) -> ComparedValue | None:
    """Return what *one* asks; the order in which it asks says nothing."""
    return ComparedValue(words(one), _same(one)) if one is not None else None


def node(one: Node) -> Tree:
    """Return what the user wrote."""
    match one:
        case Scalar():
            return value(one.text)
        case Sequence():
            return _listed([node(item) for item in one.items])
        case TreeMapping():
            return {entry.key.text: node(entry.value) for entry in one.entries}


def text_of(tree: Tree) -> str:
    """Return *tree* on one line, or as the lines that it has."""
    if isinstance(tree, ComparedValue):
        return tree.text
    return ", ".join(f"{name}: {text_of(inner)}" for name, inner in tree.items())


def frozen(tree: Tree) -> Hashable:
    """Return what is equal for trees that say the same."""
    if isinstance(tree, ComparedValue):
        return tree.same
    return frozenset((name, frozen(inner)) for name, inner in tree.items())


class Speaker(Struct):
    """Says what the values of the stage *own* are; *names* are the new names of stages that are renamed."""

    own: str
    names: Mapping[str, str]

    def stage(self, name: str) -> str:
        """Return the name of a stage in the new version."""
        return self.names.get(name, name)

    def text(self, one: Text) -> str:
        """Return *one* with its references as a user writes them."""
        return "".join(map(self._part, one.parts))

    def script(self, lines: Iterable[Line]) -> str:
        """Return the text of *lines*; where one ends and the next begins says nothing."""
        return "\n".join("".join(map(self._piece, line.script.parts)).rstrip("\n") for line in lines)

    def tree(self, one: object) -> Tree | None:  # noqa: PLR0911 - one for each kind
        """Return what *one* says, None where it says nothing."""
        match one:
            case None | () | "":
                return None
            case Image(id=inner) | Container(name=inner) | BlubberPath(path=inner) | ReportPath(path=inner):
                return self.tree(inner)
            case BlubberInline(document=document):
                return self.tree(document)
            case Located():
                return self.tree(one.value)
            case Map():
                return _known({self.text(name): self.tree(inner) for name, inner in one.entries})
            case tuple():
                return self._several(one)
        words = self._words(one)
        if words is not None:
            return value(words)
        return _known(dict(self._fields(one))) or None

    def _several(self, items: tuple[object, ...]) -> Tree:
        """Return what *items* say: pairs as names with what they stand for, others one after the other."""
        if all(isinstance(item, tuple) and len(item) == _PAIR for item in items):
            pairs = [item for item in items if isinstance(item, tuple)]
            return _known({text_of(self.tree(name) or {}): self.tree(inner) for name, inner in pairs})
        return _listed([found for item in items if (found := self.tree(item)) is not None])

    def _fields(self, one: object) -> Iterator[tuple[str, Tree | None]]:
        for name, inner in parts(one):
            if isinstance(inner, tuple) and name not in _ORDERED and all(isinstance(item, str) for item in inner):
                yield name, unordered(str(item) for item in inner)
            elif not name.endswith("span"):
                yield name, self.tree(inner)

    def _words(self, one: object) -> str | None:  # noqa: PLR0911 - one for each kind
        """Return *one* as words; None for what is made of fields."""
        match one:
            case bool():
                return str(one).lower()
            case str() | int() | float():
                return str(one)
            case Enum():
                return str(one.value)
            case Text():
                return self.text(one)
            case Line():
                return self.script((one,))
            case Loop():
                body = self.tree(one.body)
                return f"each {' '.join(one.names)} of {self.text(one.source)}: {text_of(body) if body else ''}"
        return None

    def _part(self, part: Part) -> str:
        match part:
            case Reference():
                return self._reference(part)
            case Defaulted():
                return f"({self.text(part.text)}|{part.default})"
            case Bare():
                return part.source
        return part

    def _piece(self, part: ScriptPart) -> str:
        match part:
            case PlacedReference():
                return self._reference(part.reference)
            case Escaped():
                return f"${part.text}"
            case Delimiter():
                return part.written
            case Body():
                return part.text
        return part

    def _reference(self, reference: Reference) -> str:
        name = reference.namespace
        if name is not None and reference.scope in (Scope.UNRESOLVED, Scope.OWN, Scope.STAGE, Scope.STATUS):
            name = "" if name == self.own else self.stage(name)
        combinations = f"[{reference.combinations}]" if reference.combinations is not None else ""
        default = f"|{reference.default}" if reference.default is not None else ""
        return f"${{{'' if name is None else f'{name}{combinations}.'}{reference.name}{default}}}"


def _known(found: Mapping[str, Tree | None]) -> dict[str, Tree]:
    return {name: inner for name, inner in found.items() if inner is not None and inner != {}}


def _listed(found: list[Tree]) -> Tree:
    values = [one for one in found if isinstance(one, ComparedValue)]
    if len(values) == len(found):
        return ComparedValue(", ".join(one.text for one in values), tuple(one.same for one in values))
    return {str(number): one for number, one in enumerate(found, start=1)}


def _same(one: Condition) -> Hashable:  # noqa: PLR0911 - one for each kind
    match one:
        case AllOf() | AnyOf():
            return type(one), frozenset(map(_same, one.conditions))
        case Not():
            return Not, _same(one.condition)
        case Matches():
            return one.subject, one.name, frozenset(one.patterns)
        case FilesChanged():
            return FilesChanged, one.base, frozenset(one.patterns)
        case Exists():
            return Exists, frozenset(one.patterns)
        case IsEvent():
            return IsEvent, frozenset(one.events)
    return one
