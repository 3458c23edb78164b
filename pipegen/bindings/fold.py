"""Constant folding: evaluates expressions at compile time, until no `Each` and no `Merge` is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pipegen.bindings.budget import Budget
from pipegen.bindings.expression import (
    Constant,
    Defaulted,
    Each,
    Expression,
    List,
    Loop,
    Map,
    Merge,
    Part,
    Reference,
    Scope,
    Text,
    text,
)
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.structs import Struct, replace

# Returns the value of a reference, None for a run-time value.
Known = Callable[[Reference], Text | None]


class Folder(Struct):
    """Folds values within *budget*; *known* returns the values of references."""

    known: Known
    report: Report
    budget: Budget

    def fold(self, value: Expression, loops: Mapping[str, Text] | None = None) -> Expression:
        """Return *value* without `Each` and `Merge`; *loops* maps the names of unrolled loops to their values."""
        loops = loops or {}
        if loops:
            self.budget.spend(1, 0, value.span, self.report)
        match value:
            case Text():
                return self.fold_text(value, loops)
            case List():
                return replace(value, items=tuple(self.fold(item, loops) for item in value.items))
            case Map():
                return self._fold_map(value, loops)
            case Each():
                return self._fold_each(value, loops)
            case Merge():
                return self._fold_merge(value, loops)
            case Constant() | Loop():
                return value

    def fold_text(self, value: Text, loops: Mapping[str, Text]) -> Text:
        """Return *value* with known references replaced by their values."""
        parts: list[Part] = []
        is_same = True
        for part in value.parts:
            known = self._lookup(part, loops) if type(part) is Reference else None
            if known is None or type(part) is not Reference:
                parts.append(part)
                self.budget.characters -= len(part) if type(part) is str else 0
            else:
                replacement = _defaulted(known, part.default)
                self.budget.spend_parts(replacement, value.span, self.report)
                parts += replacement
                is_same = False
        self.budget.spend(0, 0, value.span, self.report)
        return value if is_same else text(*parts, span=value.span)

    def _lookup(self, reference: Reference, loops: Mapping[str, Text]) -> Text | None:
        if loops and reference.scope is Scope.LOOP:
            return loops.get(reference.name)
        return self.known(reference)

    def _fold_map(self, value: Map, loops: Mapping[str, Text]) -> Map:
        entries = tuple((self.fold_text(key, loops), self.fold(entry, loops)) for key, entry in value.entries)
        return replace(value, entries=_last_wins(entries))

    def _fold_each(self, value: Each, loops: Mapping[str, Text]) -> Expression:
        match self.fold(value.source, loops):
            case Text() as source if source.constant is None:
                names = {name: loop for name, loop in loops.items() if name not in value.names}
                return List(
                    (
                        Loop(
                            value.names, value.split, source, value.delimiters, self.fold(value.body, names), value.span
                        ),
                    ),
                    value.span,
                )
            case Text() as source:
                pieces = tokens(source.constant or "", value.delimiters)
                self.budget.spend(len(pieces), 0, value.span, self.report)
                items: tuple[Expression, ...] = tuple(Text((piece,), source.span) for piece in pieces)
            case Constant() as source:
                items = (Text((source.text,), source.span),) if source.text else ()
            case List() as source:
                items = source.items
            case other:
                self._expected_text(other)
                items = ()
        unrolled = (self._fold_item(value, item, loops) for item in items)
        return List(tuple(item for item in unrolled if item is not None), value.span)

    def _fold_item(self, value: Each, item: Expression, loops: Mapping[str, Text]) -> Expression | None:
        """Return the body of *value* for *item*; None after an error, which is reported."""
        match item:
            case Loop():
                body = self._fold_item(value, item.body, loops)
                return replace(item, body=body) if body is not None else None
            case Constant():
                return self._fold_item(value, Text((item.text,), item.span), loops)
            case Text() if not value.split:
                return self.fold(value.body, {**loops, value.names[0]: item})
            case Text() if item.constant is None:
                return Loop(value.names, True, item, "", self.fold(value.body, loops), value.span)
            case Text():
                return self._fold_words(value, item, loops)
            case _:
                self._expected_text(item)
                return None

    def _fold_words(self, value: Each, item: Text, loops: Mapping[str, Text]) -> Expression | None:
        words = tokens(item.constant or "", " ")
        if len(words) < len(value.names):
            self.report.add(
                codes.TOO_FEW_WORDS,
                f'"{item.constant}" has {len(words)} of the {len(value.names)} words that "$each" needs',
                at=item.span,
                hint="write one word for each name in every item, separated by spaces",
            )
            return None
        bound = {name: Text((word,), item.span) for name, word in zip(value.names, words, strict=False)}
        return self.fold(value.body, {**loops, **bound})

    def _fold_merge(self, value: Merge, loops: Mapping[str, Text]) -> Expression:
        left, right = self.fold(value.left, loops), self.fold(value.right, loops)
        self.budget.spend(_size(left) + _size(right), 0, value.span, self.report)
        match left, right:
            case List(), List():
                return replace(left, items=(*left.items, *right.items))
            case List(), Text() | Constant() | Map():
                return replace(left, items=(*left.items, right))
            case Map(), Map():
                return replace(left, entries=_last_wins((*left.entries, *right.entries)))
            case Text() | Constant(), Text() | Constant():
                return text(*_parts(left), *_parts(right), span=value.span)
        self.report.add(
            codes.MISMATCHED_MERGE,
            f"{describe(left)} cannot be merged with {describe(right)}",
            at=right.span,
            label=describe(right),
            related=[Label(left.span, describe(left))],
            hint="merge two texts or two maps, or write the list first",
        )
        return left

    def _expected_text(self, value: Expression) -> None:
        self.report.add(
            codes.EXPECTED_TEXT,
            f'"$each" takes text, not {describe(value)}',
            at=value.span,
            hint='give "$in" one text, or a list of texts',
        )


def tokens(value: str, delimiters: str) -> list[str]:
    """Return *value* split at any of the characters *delimiters*, without empty pieces (as Groovy's `tokenize`)."""
    return [piece for piece in re.split(f"[{re.escape(delimiters)}]", value) if piece]


def describe(value: Expression) -> str:
    """Return the kind of *value*, for a message."""
    match value:
        case Text():
            return "text"
        case Constant():
            return f'"{value.text}"' if value.text else "nothing"
        case List() | Each() | Loop():
            return "a list"
        case _:
            return "a map"


def _size(value: Expression) -> int:
    """Return the number of direct items or parts of *value*."""
    match value:
        case List():
            return len(value.items)
        case Map():
            return len(value.entries)
        case Text():
            return len(value.parts)
        case _:
            return 1


def _parts(value: Text | Constant) -> tuple[Part, ...]:
    return value.parts if isinstance(value, Text) else (value.text,)


def _defaulted(known: Text, default: str | None) -> list[Part]:
    """Return the parts of *known*, replaced by *default* if it is empty."""
    constant = known.constant
    if default is None or any(isinstance(part, str) for part in known.parts):
        return list(known.parts)
    if constant is not None:
        return [constant or default]
    reference = known.reference
    if reference is not None:
        return [replace(reference, default=reference.default or default)]
    return [Defaulted(known, default)]


def _last_wins(entries: tuple[tuple[Text, Expression], ...]) -> tuple[tuple[Text, Expression], ...]:
    """Return *entries* with each constant key once: at its first position, with its last value."""
    merged: dict[object, tuple[Text, Expression]] = {}
    for key, value in entries:
        name = key.constant
        merged[name if name is not None else key] = (key, value)
    return tuple(merged.values())
