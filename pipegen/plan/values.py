"""A user's value converted to the type that a step takes: text, items or a map."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from pipegen.bindings.budget import Budget
from pipegen.bindings.expression import (
    Constant,
    Expression,
    Items,
    List,
    Loop,
    Map,
    Reference,
    Scope,
    Text,
    references,
)
from pipegen.bindings.fold import Folder, describe
from pipegen.bindings.names import Moment
from pipegen.bindings.namespaces import Namespaces
from pipegen.bindings.parse import parse
from pipegen.bindings.scope import Reader
from pipegen.bindings.script.entry import parse_script
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.plan.forwarding import KnownValues
from pipegen.plan.model import Line, Output, ShellProgram
from pipegen.source.text import Span
from pipegen.source.tree import Node, Scalar
from pipegen.structs import MutableStruct, Struct, field, replace

T = TypeVar("T")


class Mentions(MutableStruct):
    """The outputs and statuses that the values of a stage mention, collected as the values are read.

    *first_mentions* holds the outputs of other stages, each with the offset of its first mention; *statuses* holds the
    stages whose status they read ("" for the pipeline).
    """

    first_mentions: dict[Output, int] = field(default_factory=dict)
    statuses: dict[str, None] = field(default_factory=dict)

    def add(self, references_: Iterable[Reference]) -> None:
        """Add the resolved *references_*."""
        for reference in references_:
            if reference.scope is Scope.STAGE:
                output, offset = Output(reference.namespace or "", reference.name), reference.span.start
                if offset < self.first_mentions.setdefault(output, offset):
                    self.first_mentions[output] = offset
            elif reference.scope is Scope.STATUS:
                self.statuses[reference.namespace or ""] = None

    def outputs(self) -> tuple[Output, ...]:
        """Return the outputs of other stages, in the order of the file."""
        return tuple(sorted(self.first_mentions, key=self.first_mentions.__getitem__))


class StageValues(Struct, kw_only=True):
    """Reader of the values of one stage at one moment of its run: parses, resolves and folds them.

    *mentions* is shared by the readers of all moments.
    """

    reader: Reader
    known: KnownValues
    folder: Folder
    report: Report
    mentions: Mentions

    @property
    def stage(self) -> StageConfig:
        """The stage whose values are read."""
        return self.reader.stage

    def at(self, moment: Moment) -> StageValues:
        """Return the reader of values at *moment*."""
        if moment == self.reader.moment:
            return self
        return replace(self, reader=replace(self.reader, moment=moment))

    def after_export(self, name: str, value: Text) -> StageValues:
        """Return the reader of values after the stage has bound its forwarded export *name* to *value*."""
        known = self.known.after(name, value)
        return replace(self, known=known, folder=replace(self.folder, known=known.known))

    def is_declared(self, reference: Reference) -> bool:
        """Return whether *reference*, to a name of a stage, is to an output of its script or an export."""
        return self.reader.namespaces.bound[reference.namespace or ""][reference.name].is_declared

    def value(self, node: Node) -> Expression:
        """Return the folded value of *node*."""
        return self._settled(parse(node, self.report))

    def line(self, node: Scalar) -> Line:
        """Return an entry of a script, with the values of its references."""
        self.folder.budget.spend(0, len(node.text), node.span, self.report)
        shell = self.stage.shell
        is_bash = shell is not None and shell.value == ShellProgram.BASH.value
        script = parse_script(node, self.reader.namespaces.homes, self.report, is_bash=is_bash)
        placed_references = script.references()
        if not placed_references:
            return Line(script, ())
        references: dict[object, Reference] = {}
        for placed in placed_references:
            reference = placed.reference
            references.setdefault(
                (reference.namespace, reference.combinations, reference.name, reference.default), reference
            )
        return Line(
            script,
            tuple(
                [
                    (reference, self._settled_text(Text((reference,), reference.span)))
                    for reference in references.values()
                ]
            ),
        )

    def _settled(self, value: Expression) -> Expression:
        if isinstance(value, Text):
            constant = value.constant
            if constant is None:
                return self._settled_text(value)
            self.folder.budget.spend(0, len(constant), value.span, self.report)
            return value
        resolved = self.reader.resolve(value)
        self.mentions.add(references(resolved))
        return self.folder.fold(resolved)

    def _settled_text(self, value: Text) -> Text:
        resolved = self.reader.resolve_text(value)
        self.mentions.add(resolved.references())
        return self.folder.fold_text(resolved, {})

    def text(self, node: Node | None, default: str, span: Span) -> Text:
        """Return the text of *node*; without it, *default* as if the user had written it at *span*."""
        if node is None or (isinstance(node, Scalar) and not node.text):
            node = Scalar(default, span)
        return self.as_text(self.value(node))

    def items(self, node: Node | None, convert: Callable[[Expression], T]) -> Items[T]:
        """Return the items of *node*, each converted; none without a node."""
        return () if node is None else self.as_items(self.value(node), convert)

    def map(self, node: Node | None, span: Span) -> Map:
        """Return the map of *node*; an empty one without it."""
        return Map((), span) if node is None else self.as_map(self.value(node))

    def is_missing(self, span: Span) -> bool:
        """Return whether the value in *span* is missing: a reference in it has an error, which is reported."""
        if "${" not in span.text:
            return False
        spans = (error.primary.span for error in reversed(self.report.errors()) if error.primary is not None)
        return any(part.file == span.file and span.start <= part.start and part.end <= span.end for part in spans)

    def as_text(self, value: Expression) -> Text:
        """Return *value* as text; a number is the text that the user wrote."""
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

    def _expected(self, expected: str, value: Expression) -> None:
        self.report.add(
            codes.EXPECTED_TEXT,
            f"expected {expected}, not {describe(value)}",
            at=value.span,
            hint='give text; to put lists together, join them with "$merge" and "$with"'
            if expected == "text" and isinstance(value, List)
            else f"give {expected}, or an expression with such a value",
        )


def _convert(item: Expression, convert: Callable[[Expression], T]) -> T | Loop[T]:
    if isinstance(item, Loop):
        return Loop(item.names, item.split, item.source, item.delimiters, _convert(item.body, convert), item.span)
    return convert(item)


def values_of(
    stage: StageConfig, namespaces: Namespaces, order: Closure, known: KnownValues, budget: Budget, report: Report
) -> StageValues:
    """Return the reader of *stage*'s values before its first step, limited by *budget*."""
    return StageValues(
        reader=Reader(stage, namespaces, order, report, budget),
        known=known,
        folder=Folder(known.known, report, budget),
        report=report,
        mentions=Mentions(),
    )
