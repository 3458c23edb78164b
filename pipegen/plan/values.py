"""A user's value to what a step takes: text, items, a map."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from pipegen.bindings.budget import Budget
from pipegen.bindings.expression import (
    Constant,
    Defaulted,
    Expression,
    Items,
    List,
    Loop,
    Map,
    Part,
    Reference,
    Scope,
    Text,
    references,
)
from pipegen.bindings.fold import Folder, Known, describe
from pipegen.bindings.namespaces import Namespaces
from pipegen.bindings.parse import parse
from pipegen.bindings.scope import Reader
from pipegen.bindings.script.entry import parse_script
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.plan.model import Line, Output, ShellProgram
from pipegen.source.text import Span
from pipegen.source.tree import Node, Scalar
from pipegen.structs import MutableStruct, replace

T = TypeVar("T")


class StageValues(MutableStruct):
    """Reads the values of one stage: each is parsed, resolved and folded once.

    *places* gathers the outputs of other stages that the user's values name, each with its first place, *statuses* the
    stages whose status they ask for ("" for the pipeline).
    """

    reader: Reader
    folder: Folder
    report: Report
    places: dict[Output, int]
    statuses: dict[str, None]

    @property
    def stage(self) -> StageConfig:
        """The stage whose values are read."""
        return self.reader.stage

    def after(self, step: str) -> None:
        """Note that *step* (or an export, as `exports.NAME`) has run."""
        self.reader.done = (self.reader.done or frozenset()) | {step}

    def failed(self) -> None:
        """Note that the stage has failed: nothing but its name is bound from here on."""
        self.reader.done = None

    def value(self, node: Node) -> Expression:
        """Return what *node* says, folded."""
        return self._settled(parse(node, self.report))

    def line(self, node: Scalar) -> Line:
        """Return an entry of a script, with what its references come to."""
        self.folder.budget.spend(0, len(node.text), node.span, self.report)
        shell = self.stage.shell
        is_bash = shell is not None and shell.value == ShellProgram.BASH.value
        script = parse_script(node, self.reader.namespaces.homes, self.report, is_bash=is_bash)
        found = script.references()
        if not found:
            return Line(script, ())
        references: dict[object, Reference] = {}
        for placed in found:
            one = placed.reference
            references.setdefault((one.namespace, one.combinations, one.name, one.default), one)
        return Line(script, tuple([(one, self._settled_reference(one)) for one in references.values()]))

    def _settled(self, value: Expression) -> Expression:
        if isinstance(value, Text):
            constant = value.constant
            if constant is None:
                return self._settled_text(value)
            self.folder.budget.spend(0, len(constant), value.span, self.report)
            return value
        resolved = self.reader.resolve(value)
        self._note(references(resolved))
        return self.folder.fold(resolved)

    def _settled_text(self, value: Text) -> Text:
        resolved = self.reader.resolve_text(value, {})
        self._note(resolved.references())
        return self.folder.fold_text(resolved, {})

    def _settled_reference(self, reference: Reference) -> Text:
        plain = self.reader.plain(reference)
        if plain is None:
            return self._settled_text(Text((reference,), reference.span))
        self._note_output(plain)
        value = Text((plain,), plain.span)
        return value if self.folder.known(plain) is None else self.folder.fold_text(value, {})

    def _note(self, found: Iterable[Reference]) -> None:
        for reference in found:
            if reference.scope is Scope.STAGE:
                self._note_output(reference)
            elif reference.scope is Scope.STATUS:
                self.statuses[reference.namespace or ""] = None

    def _note_output(self, reference: Reference) -> None:
        output, place = Output(reference.namespace or "", reference.name), reference.span.start
        if place < self.places.setdefault(output, place):
            self.places[output] = place

    def reads(self) -> tuple[Output, ...]:
        """Return the outputs of other stages that the user's values name, in the order in which they are written."""
        return tuple(sorted(self.places, key=self.places.__getitem__))

    def text(self, node: Node | None, default: str, span: Span) -> Text:
        """Return the text of *node*; without it, of *default*, as if the user had written it at *span*."""
        if node is None or (isinstance(node, Scalar) and not node.text):
            node = Scalar(default, span)
        return self.as_text(self.value(node))

    def items(self, node: Node | None, convert: Callable[[Expression], T]) -> Items[T]:
        """Return the items of *node*, each converted; none without a node."""
        return () if node is None else self.as_items(self.value(node), convert)

    def map(self, node: Node | None, span: Span) -> Map:
        """Return the map of *node*; an empty one without it."""
        return Map((), span) if node is None else self.as_map(self.value(node))

    def as_text(self, value: Expression) -> Text:
        """Return *value* as text; a number is its text as written."""
        match value:
            case Text():
                return value
            case Constant():
                return Text((value.text,) if value.text else (), value.span)
        self._expected("text", value)
        return Text((), value.span)

    def as_items(self, value: Expression, convert: Callable[[Expression], T]) -> Items[T]:
        """Return the items of the list *value*, each converted."""
        if not isinstance(value, List):
            self._expected("a list", value)
            return ()
        return tuple(_convert(item, convert) for item in value.items)

    def as_map(self, value: Expression) -> Map:
        """Return *value* as a map."""
        if isinstance(value, Map):
            return value
        self._expected("a map", value)
        return Map((), value.span)

    def _expected(self, wanted: str, value: Expression) -> None:
        self.report.add(
            codes.EXPECTED_TEXT,
            f"{wanted} is meant here, not {describe(value)}",
            at=value.span,
            hint='give text; to put lists together, join them with "$merge" and "$with"'
            if wanted == "text" and isinstance(value, List)
            else f"give {wanted}, or an expression that comes to it",
        )


def _convert(item: Expression, convert: Callable[[Expression], T]) -> T | Loop[T]:
    if isinstance(item, Loop):
        return Loop(item.names, item.split, item.source, item.delimiters, _convert(item.body, convert), item.span)
    return convert(item)


def values_of(
    stage: StageConfig, namespaces: Namespaces, order: Closure, known: Known, budget: Budget, report: Report
) -> StageValues:
    """Return the reader of *stage*'s values, which come to no more than *budget*; nothing of it has run yet."""
    reader = Reader(stage, namespaces, order, report, budget)
    return StageValues(reader, Folder(known, report, budget), report, {}, {})


def seen_from(value: Text, stage: str) -> Text:
    """Return *value* as *stage* reads it: an output is its own, or that of another stage."""
    return replace(value, parts=tuple(_seen(part, stage) for part in value.parts))


def _seen(part: Part, stage: str) -> Part:
    if isinstance(part, Defaulted):
        return replace(part, text=seen_from(part.text, stage))
    if not isinstance(part, Reference) or part.scope not in (Scope.OWN, Scope.STAGE):
        return part
    return replace(part, scope=Scope.OWN if part.namespace == stage else Scope.STAGE)
