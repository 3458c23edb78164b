"""Values of a plan as comparable text, independent of how they are written."""

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
    Reports,
)
from pipegen.plan.rewriting import parts
from pipegen.plan.stage.words import words
from pipegen.source.text import Located
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, Sequence
from pipegen.structs import SpannedStruct, Struct

_PAIR = 2
# Fields whose order matters: words of a command. The order of paths, labels and people does not.
_ORDERED = ("entrypoint", "command")
# A value, or a map of values.
Tree: TypeAlias = "ComparedValue | dict[str, Tree]"


class ComparedValue(SpannedStruct):
    """The value of a key; two values are equal if *same* is, which is the text unless given."""

    UNCOMPARED: ClassVar[tuple[str, ...]] = ("text",)

    text: str
    same: Hashable


def value(text: str) -> ComparedValue:
    """Return *text* as a value."""
    return ComparedValue(text, text)


def unordered(texts: Iterable[str]) -> ComparedValue | None:
    """Return *texts* as a value that ignores their order; None if there are none."""
    unique = tuple(dict.fromkeys(texts))
    return ComparedValue(", ".join(unique), frozenset(unique)) if unique else None


def condition(tested: Condition | None) -> ComparedValue | None:
    """Return *tested* as a value that ignores the order of its parts."""
    return ComparedValue(words(tested), _same(tested)) if tested is not None else None


def node(node_: Node) -> Tree:
    """Return the tree of a node of the config."""
    match node_:
        case Scalar():
            return value(node_.text)
        case Sequence():
            return _listed([node(item) for item in node_.items])
        case TreeMapping():
            return {entry.key.text: node(entry.value) for entry in node_.entries}


def text_of(tree: Tree) -> str:
    """Return the text of *tree*, on one line unless a value has several."""
    if isinstance(tree, ComparedValue):
        return tree.text
    return ", ".join(f"{name}: {text_of(subtree)}" for name, subtree in tree.items())


def frozen(tree: Tree) -> Hashable:
    """Return a hashable that is equal for equal trees."""
    if isinstance(tree, ComparedValue):
        return tree.same
    return frozenset((name, frozen(subtree)) for name, subtree in tree.items())


class ValueFormatter(Struct):
    """Formats values of the stage *own*; *names* are the new names of renamed stages."""

    own: str
    names: Mapping[str, str]

    def stage(self, name: str) -> str:
        """Return the new name of a stage."""
        return self.names.get(name, name)

    def text(self, value_: Text) -> str:
        """Return *value_* with its references as a user writes them."""
        return "".join(map(self._part, value_.parts))

    def script(self, lines: Iterable[Line]) -> str:
        """Return the text of *lines*, ignoring how it is split into entries."""
        return "\n".join("".join(map(self._piece, line.script.parts)).rstrip("\n") for line in lines)

    def tree(self, value_: object) -> Tree | None:  # noqa: PLR0911 - one for each kind
        """Return the tree of *value_*, None if it is empty."""
        match value_:
            case None | () | "":
                return None
            case Image(id=inner) | Container(name=inner) | BlubberPath(path=inner) | ReportPath(path=inner):
                return self.tree(inner)
            case BlubberInline(document=document):
                return self.tree(document)
            case Located():
                return self.tree(value_.value)
            case Map():
                return _non_empty({self.text(name): self.tree(inner) for name, inner in value_.entries})
            case Reports():
                kinds = {kind: self.tree(tuple(paths)) for kind, paths in value_.by_kind().items()}
                return _non_empty({**kinds, "coverage": self.tree(value_.coverage)}) or None
            case tuple():
                return self._several(value_)
        words = self._words(value_)
        if words is not None:
            return value(words)
        return _non_empty(dict(self._fields(value_))) or None

    def _several(self, items: tuple[object, ...]) -> Tree:
        """Return the tree of *items*: a map for pairs, a list for others."""
        if all(isinstance(item, tuple) and len(item) == _PAIR for item in items):
            pairs = [item for item in items if isinstance(item, tuple)]
            return _non_empty({text_of(self.tree(name) or {}): self.tree(second) for name, second in pairs})
        return _listed([tree for item in items if (tree := self.tree(item)) is not None])

    def _fields(self, struct: object) -> Iterator[tuple[str, Tree | None]]:
        for name, field in parts(struct):
            if isinstance(field, tuple) and name not in _ORDERED and all(isinstance(item, str) for item in field):
                yield name, unordered(str(item) for item in field)
            elif not name.endswith("span"):
                yield name, self.tree(field)

    def _words(self, value_: object) -> str | None:  # noqa: PLR0911 - one for each kind
        """Return *value_* as text; None for a value with fields."""
        match value_:
            case bool():
                return str(value_).lower()
            case str() | int() | float():
                return str(value_)
            case Enum():
                return str(value_.value)
            case Text():
                return self.text(value_)
            case Line():
                return self.script((value_,))
            case Loop():
                body = self.tree(value_.body)
                return f"each {' '.join(value_.names)} of {self.text(value_.source)}: {text_of(body) if body else ''}"
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


def _non_empty(trees: Mapping[str, Tree | None]) -> dict[str, Tree]:
    return {name: tree for name, tree in trees.items() if tree is not None and tree != {}}


def _listed(trees: list[Tree]) -> Tree:
    values = [item for item in trees if isinstance(item, ComparedValue)]
    if len(values) == len(trees):
        return ComparedValue(", ".join(item.text for item in values), tuple(item.same for item in values))
    return {str(number): item for number, item in enumerate(trees, start=1)}


def _same(condition_: Condition) -> Hashable:  # noqa: PLR0911 - one for each kind
    match condition_:
        case AllOf() | AnyOf():
            return type(condition_), frozenset(map(_same, condition_.conditions))
        case Not():
            return Not, _same(condition_.condition)
        case Matches():
            return condition_.subject, condition_.name, frozenset(condition_.patterns)
        case FilesChanged():
            return FilesChanged, condition_.base, frozenset(condition_.patterns)
        case Exists():
            return Exists, frozenset(condition_.patterns)
        case IsEvent():
            return IsEvent, frozenset(condition_.events)
    return condition_
