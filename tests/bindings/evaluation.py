"""Evaluation of expressions in tests, as the generated shell code evaluates them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.sample_configs import written

from pipegen.bindings.budget import Budget
from pipegen.bindings.expression import (
    Bare,
    Constant,
    Defaulted,
    Expression,
    List,
    Loop,
    Map,
    Part,
    Reference,
    Scope,
    Text,
    text,
)
from pipegen.bindings.fold import Folder
from pipegen.bindings.names import END, START, bound_names
from pipegen.bindings.namespaces import Namespaces
from pipegen.bindings.parse import parse
from pipegen.bindings.scope import Reader
from pipegen.config.model import StageConfig
from pipegen.config.read import read
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.source.text import Located, SourceFile, Span
from pipegen.source.tree import Scalar

_NOWHERE = Span(SourceFile("elsewhere.yaml", ""), 0, 0)

Names = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class World:
    """A pipeline of stages that export names: *arcs*, and for each stage its names with their values."""

    arcs: tuple[tuple[str, ...], ...]
    names: Names = field(default_factory=dict)
    homes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def folded(self, config: str, at: str, *, known: bool, done: bool = True) -> tuple[Expression, Report]:
        """Return the folded *config*, a value of the stage *at*, and the report.

        With *known*, the values of the names are known at compile time; *done* states whether the stage's own
        names are bound.
        """
        report = Report()
        graph = ExecutionGraph(self.arcs)
        stages = {name: _stage(name, self.names.get(name, {})) for name in graph.nodes}
        bound = {name: bound_names(stage) for name, stage in stages.items()}
        reader = Reader(
            stages[at],
            Namespaces(stages, bound, self.homes),
            graph.closure(),
            report,
            Budget(),
            END if done else START,
        )
        parsed = parse(read(written(config), report), report)
        folder = Folder(self._known if known else _unknown, report, Budget())
        return folder.fold(reader.resolve(parsed)), report

    def value(self, config: str, at: str, *, known: bool) -> Any:
        """Return the data that *config* evaluates to in a run, without diagnostics."""
        folded, report = self.folded(config, at, known=known)

        assert report.diagnostics() == ()
        return self.evaluate(folded, {})

    def codes(self, config: str, at: str, *, done: bool = True) -> list[str]:
        """Return the code numbers of the diagnostics of *config*."""
        return [
            diagnostic.code.number for diagnostic in self.folded(config, at, known=False, done=done)[1].diagnostics()
        ]

    def evaluate(self, value: Expression, loops: Mapping[str, str]) -> Any:
        """Return *value* as data; *loops* maps the names of the loops around it to their values."""
        match value:
            case Text():
                return self._text(value, loops)
            case Constant():
                return value.value
            case List():
                return [inner_item for item in value.items for inner_item in self._items(item, loops)]
            case Map():
                return {self._text(key, loops): self.evaluate(entry, loops) for key, entry in value.entries}
            case _:
                raise AssertionError(value)

    def _items(self, item: Expression, loops: Mapping[str, str]) -> Iterator[Any]:
        if not isinstance(item, Loop):
            yield self.evaluate(item, loops)
            return
        source = self._text(item.source, loops)
        pieces = re.split(f"[{re.escape(item.delimiters)}]", source) if item.delimiters else [source]
        for piece in filter(None, pieces):
            words = [word for word in piece.split(" ") if word] if item.split else [piece]
            assert len(words) >= len(item.names)
            yield from self._items(item.body, {**loops, **dict(zip(item.names, words, strict=False))})

    def _text(self, value: Text, loops: Mapping[str, str]) -> str:
        return "".join(self._part(part, loops) for part in value.parts)

    def _part(self, part: Part, loops: Mapping[str, str]) -> str:
        match part:
            case str():
                return part
            case Bare():
                return part.source
            case Defaulted():
                return self._text(part.text, loops) or part.default
            case Reference():
                assert part.scope is not Scope.UNRESOLVED
                return self._read(part, loops) or part.default or ""

    def _read(self, reference: Reference, loops: Mapping[str, str]) -> str:
        if reference.scope is Scope.LOOP:
            return loops[reference.name]
        if reference.name == "stage":
            return reference.namespace or ""
        if reference.scope is Scope.SETUP:
            return f"<setup.{reference.name}>"
        return self.names[reference.namespace or ""][reference.name]

    def _known(self, reference: Reference) -> Text | None:
        if reference.scope not in (Scope.OWN, Scope.STAGE) or reference.name == "stage":
            return None
        return text(self.names[reference.namespace or ""][reference.name], span=reference.span)


def _unknown(reference: Reference) -> Text | None:  # noqa: ARG001 - what is known of any reference
    return None


def _stage(name: str, names: Mapping[str, str]) -> StageConfig:
    exports = tuple((Located(key, _NOWHERE), Scalar(value, _NOWHERE)) for key, value in names.items())
    return StageConfig(name=Located(name, _NOWHERE), exports=exports)
