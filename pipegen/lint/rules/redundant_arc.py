"""Arcs, and ends of arcs, that say no more than others do."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from pipegen.config.model import Arc, PipelineConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Edit, Fix
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.owners import owners
from pipegen.lint.removal import is_in, item_removed
from pipegen.plan.model import Plan
from pipegen.source.text import Located, SourceFile, Span
from pipegen.structs import Struct

# Of a longer way, the middle is left out.
_LONGEST = 6


def check(checked: Checked, report: Report) -> None:
    """Report arcs without which the order is the same, and no stage is lost."""
    for pipeline, plan in zip(checked.pipelines, checked.plans, strict=True):
        if pipeline.arcs is not None:
            order = _Order.of(pipeline, plan)
            # An arc that names no stage has no end to underline.
            for arc in reversed([arc for arc in pipeline.arcs if arc.stages]):
                _check(arc, order, checked.file, report)


class _Order(Struct):
    """How often the arcs that are left say each pair that no others imply, and name each stage."""

    pairs: Counter[tuple[str, str]]
    names: Counter[str]
    after: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, pipeline: PipelineConfig, plan: Plan) -> _Order:
        """Return the order that the arcs of *pipeline* tell."""
        arcs = pipeline.arcs or ()
        known = owners(pipeline, plan)
        reduced = plan.graph.transitive_reduction().arcs
        needed = dict.fromkeys((known[earlier], known[later]) for earlier, later in reduced)
        after: dict[str, list[str]] = {}
        for earlier, later in needed:
            after.setdefault(earlier, []).append(later)
        pairs = ((one.value, other.value) for arc in arcs for one, other in arc.pairs())
        return cls(
            Counter(pair for pair in pairs if pair in needed),
            Counter(name.value for arc in arcs for name in arc.stages),
            after,
        )

    def is_implied(self, pair: tuple[str, str]) -> bool:
        """Return whether other arcs say *pair* too, or imply it."""
        return self.pairs[pair] != 1

    def way(self, pairs: Sequence[tuple[str, str]]) -> str:
        """Return the way that other arcs take in place of one of *pairs*: one that they imply, where there is one."""
        first, last = next((pair for pair in pairs if not self.pairs[pair]), pairs[0])
        before = {first: ""}
        waiting = deque([first])
        while waiting and last not in before:
            name = waiting.popleft()
            for later in self.after.get(name, ()):
                if later not in before:
                    before[later] = name
                    waiting.append(later)
        way = [last]
        while before.get(way[-1]):
            way.append(before[way[-1]])
        shown = way if len(way) <= _LONGEST else [*way[:2], "…", *way[-2:]]
        return " -> ".join(reversed(shown))

    def drop(self, pairs: list[tuple[str, str]], names: list[str]) -> None:
        """Note that *pairs* are told, and *names* named, once less."""
        self.pairs.subtract(pair for pair in pairs if self.pairs[pair])
        self.names.subtract(names)


def _check(arc: Arc, order: _Order, file: SourceFile, report: Report) -> None:
    pairs = [(one.value, other.value) for one, other in arc.pairs()]
    names = [name.value for name in arc.stages]
    if all(order.names[name] > 1 for name in names) and all(map(order.is_implied, pairs)):
        order.drop(pairs, names)
        way = f'say "{order.way(pairs)}"' if pairs else "name that stage"
        report.add(
            codes.REDUNDANT_ARC,
            f'arc "{_shown(arc)}" adds nothing: other arcs {way}',
            at=_span(arc),
            hint="remove it",
            fix=_fix(item_removed(_span(arc)), file, "removes the arc"),
        )
        return
    for name, is_first, way in _idle_ends(arc, order):
        report.add(
            codes.REDUNDANT_ARC,
            f'"{name.value}" adds nothing to this arc: other arcs say "{way}"',
            at=name.span,
            hint="take it out of the arc",
            fix=_fix(item_removed(name.span, is_first=is_first), file, "takes it out"),
        )


def _idle_ends(arc: Arc, order: _Order) -> Iterator[tuple[Located[str], bool, str]]:
    """Yield the names at the ends of *arc* that may go, each with whether it is the first, and what others say."""
    groups = list(arc.groups)
    for is_first in (False, True):
        while len(groups) > 1:
            group, beside = (groups[0], groups[1]) if is_first else (groups[-1], groups[-2])
            idle = [name for name in group if _is_idle(name, beside, order, is_first=is_first)]
            for name in idle:
                pairs = _pairs(name, beside, is_first=is_first)
                order.drop(pairs, [name.value])
                yield name, is_first and name is group[0], order.way(pairs)
            if len(idle) < len(group):
                break
            groups.remove(group)


def _is_idle(name: Located[str], beside: tuple[Located[str], ...], order: _Order, *, is_first: bool) -> bool:
    # Arcs may well begin alike: a pair that another one says too reads on from it.
    pairs = _pairs(name, beside, is_first=is_first)
    return order.names[name.value] > 1 and not any(order.pairs[pair] for pair in pairs)


def _pairs(name: Located[str], beside: tuple[Located[str], ...], *, is_first: bool) -> list[tuple[str, str]]:
    pairs = product((name,), beside) if is_first else product(beside, (name,))
    return [(one.value, other.value) for one, other in pairs]


def _shown(arc: Arc) -> str:
    names = [[name.value for name in group] for group in arc.groups]
    return " -> ".join(group[0] if len(group) == 1 else f"[{', '.join(group)}]" for group in names)


def _span(arc: Arc) -> Span:
    """Return the place of *arc*: of one written over lines with dashes, up to its last name."""
    first, last = arc.span, arc.stages[-1].span
    return first if first.file.text.startswith("[", first.start) else Span(first.file, first.start, last.end)


def _fix(edit: Edit | None, file: SourceFile, title: str) -> Fix | None:
    return Fix(title, (edit,)) if edit is not None and is_in(edit.span, file) else None
