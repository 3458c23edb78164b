"""The model of a user's value: text with references, lists, maps, loops and merges.

`parse.py` builds it from the tree, `scope.py` resolves each reference, and `fold.py` evaluates everything known at
compile time. The result has no `Each` and no `Merge`: a list holds items and `Loop`s, which yield any number of items
when the pipeline runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct

T = TypeVar("T")


class Scope(Enum):
    """The scope that a reference reads from."""

    UNRESOLVED = "unresolved"
    OWN = "own"
    STAGE = "stage"
    SETUP = "setup"
    INPUT = "input"
    LOOP = "loop"
    STATUS = "status"

    # Enum's own is written in Python, which is slow: references are hashed often.
    __hash__ = object.__hash__


class Reference(SpannedStruct):
    """`${namespace.name|default}`, or `${namespace[combinations].name|default}`.

    *namespace* is None for `${name}`, "" for `${.name}`. Once resolved, it is the stage that binds the name (for `OWN`
    and `STAGE`), "setup", "inputs", or ""; for `STATUS`, the stage, or "" for the pipeline.
    *combinations* is the text in the brackets, None without them; once resolved it is None.
    """

    namespace: str | None
    name: str
    default: str | None
    span: Span
    scope: Scope = Scope.UNRESOLVED
    combinations: str | None = None

    def __str__(self) -> str:
        """The reference as written, without its default."""
        if self.namespace is None:
            return f"${{{self.name}}}"
        combinations = f"[{self.combinations}]" if self.combinations is not None else ""
        return f"${{{self.namespace}{combinations}.{self.name}}}"


class Bare(Struct):
    """`${FOO}` that no stage binds: a shell variable in `env`, plain text elsewhere."""

    name: str
    source: str


class Defaulted(Struct):
    """Text that is replaced by *default* if it is empty at run time."""

    text: Text
    default: str


Part: TypeAlias = "str | Reference | Bare | Defaulted"


class Text(SpannedStruct):
    """Text in parts: no part is an empty string, and no two adjacent parts are strings."""

    parts: tuple[Part, ...]
    span: Span

    @property
    def constant(self) -> str | None:
        """The text if it is constant, else None."""
        parts = self.parts
        if len(parts) == 1 and type(parts[0]) is str:
            return parts[0]
        known = ""
        for part in parts:
            if type(part) is str:
                known += part
            elif type(part) is Bare:
                known += part.source
            else:
                return None
        return known

    @property
    def reference(self) -> Reference | None:
        """The reference if the text consists of one and nothing else, else None."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Reference):
            return self.parts[0]
        return None

    def references(self) -> list[Reference]:
        """Return the references in the text, including those inside `Defaulted` parts."""
        result: list[Reference] = []
        for part in self.parts:
            if type(part) is Reference:
                result.append(part)
            elif type(part) is Defaulted:
                result += part.text.references()
        return result

    def references_without_default(self) -> Iterator[Reference]:
        """Yield the references that have no default, and are in no `Defaulted` part."""
        return (part for part in self.parts if isinstance(part, Reference) and part.default is None)


class Constant(SpannedStruct):
    """A number, a boolean or null; *text* is the user's spelling, "" for null."""

    value: bool | int | float | None
    text: str
    span: Span


class List(SpannedStruct):
    """A list; after folding, its items may be `Loop`s."""

    items: tuple[Expression, ...]
    span: Span


class Map(SpannedStruct):
    """A map in the user's order."""

    entries: tuple[tuple[Text, Expression], ...]
    span: Span

    def get(self, key: str) -> Expression | None:
        """Return the value of *key*; None if no key known at compile time equals it."""
        for name, value in self.entries:
            if name.constant == key:
                return value
        return None


class Each(SpannedStruct):
    """`$each`: *body* for each item of *source*, with *names* bound to it.

    One name is bound to the whole item; with *split* (a list of names), each name is bound to one of its words.
    """

    names: tuple[str, ...]
    split: bool
    source: Expression
    delimiters: str
    body: Expression
    span: Span


class Merge(SpannedStruct):
    """`$merge … $with`: texts and lists are concatenated, maps merged; the right map's values win."""

    left: Expression
    right: Expression
    span: Span


class Loop(SpannedStruct, Generic[T]):
    """An `Each` over run-time text.

    *source* is split at any of the characters in *delimiters*, without empty pieces; with no delimiters, the whole text
    is one piece. References to *names* in *body* have the scope `LOOP`.
    """

    names: tuple[str, ...]
    split: bool
    source: Text
    delimiters: str
    body: T | Loop[T]
    span: Span


Expression: TypeAlias = "Text | Constant | List | Map | Each | Merge | Loop[Expression]"
Items: TypeAlias = "tuple[T | Loop[T], ...]"


def text(*parts: Part, span: Span) -> Text:
    """Return the text of *parts*, with adjacent strings joined and empty ones dropped."""
    if len(parts) == 1 and type(parts[0]) is not str:
        return Text(parts, span)
    joined: list[Part] = []
    for part in parts:
        if not isinstance(part, str):
            joined.append(part)
        elif joined and isinstance(last := joined[-1], str):
            joined[-1] = last + part
        elif part:
            joined.append(part)
    return Text(tuple(joined), span)


def evaluate(value: Text, read: Callable[[Reference], str | None]) -> str | None:
    """Return the text of *value*; None if *read*, which returns the value of a reference, returns None for one."""
    parts = [_evaluated(part, read) for part in value.parts]
    known = [part for part in parts if part is not None]
    return "".join(known) if len(known) == len(parts) else None


def _evaluated(part: Part, read: Callable[[Reference], str | None]) -> str | None:
    match part:
        case str():
            return part
        case Bare():
            return part.source
        case Defaulted():
            value = evaluate(part.text, read)
        case Reference():
            value = read(part)
    return value if value is None else value or part.default or ""


def references(value: Expression) -> Iterator[Reference]:
    """Yield the references in *value*, in written order."""
    match value:
        case Text():
            yield from value.references()
        case List():
            for item in value.items:
                yield from references(item)
        case Map():
            for key, entry in value.entries:
                yield from key.references()
                yield from references(entry)
        case Each():
            yield from references(value.source)
            yield from references(value.body)
        case Merge():
            yield from references(value.left)
            yield from references(value.right)
        case Loop():
            yield from value.source.references()
            yield from references(value.body)
        case Constant():
            return
