"""Arcs, and ends of arcs, that other arcs imply."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from pipegen.config.model import Arc, PipelineConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Edit, Fix
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.owners import owners
from pipegen.lint.removal import is_in_file, remove_item
from pipegen.plan.model import Plan
from pipegen.source.text import Located, SourceFile, Span
from pipegen.structs import Struct

# The middle of a longer path is left out.
_LONGEST = 6


def check(config: CheckedConfig, report: Report) -> None:
    """Report arcs whose removal changes neither the order nor the stages."""
    for pipeline, plan in zip(config.pipelines, config.plans, strict=True):
        if pipeline.arcs is not None:
            order = _Order.of(pipeline, plan)
            # An arc that names no stage has no end to underline.
            # The order of names says nothing about single combinations.
            for arc in reversed([arc for arc in pipeline.arcs if arc.stages and not arc.has_selections]):
                _check(arc, order, config.file, report)


class _Order(Struct):
    """How many of the remaining arcs contain each pair that the order needs, and each stage name."""

    pairs: Counter[tuple[str, str]]
    names: Counter[str]
    after: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, pipeline: PipelineConfig, plan: Plan) -> _Order:
        """Return the order of the arcs of *pipeline*."""
        arcs = pipeline.arcs or ()
        owner_names = owners(pipeline, plan)
        reduced = plan.graph.transitive_reduction().arcs
        needed = dict.fromkeys((owner_names[earlier], owner_names[later]) for earlier, later in reduced)
        after: dict[str, list[str]] = {}
        for earlier, later in needed:
            after.setdefault(earlier, []).append(later)
        pairs = (
            (earlier.value, later.value) for arc in arcs if not arc.has_selections for earlier, later in arc.pairs()
        )
        return cls(
            Counter(pair for pair in pairs if pair in needed),
            Counter(name.value for arc in arcs for name in arc.stages),
            after,
        )

    def is_implied(self, pair: tuple[str, str]) -> bool:
        """Return whether other arcs contain *pair* too, or imply it."""
        return self.pairs[pair] != 1

    def path(self, pairs: Sequence[tuple[str, str]]) -> str:
        """Return the path of other arcs that replaces one of *pairs*, preferably an implied one."""
        first, last = next((pair for pair in pairs if not self.pairs[pair]), pairs[0])
        predecessors = {first: ""}
        queue = deque([first])
        while queue and last not in predecessors:
            name = queue.popleft()
            for later in self.after.get(name, ()):
                if later not in predecessors:
                    predecessors[later] = name
                    queue.append(later)
        path = [last]
        while predecessors.get(path[-1]):
            path.append(predecessors[path[-1]])
        shown = path if len(path) <= _LONGEST else [*path[:2], "…", *path[-2:]]
        return " -> ".join(reversed(shown))

    def drop(self, pairs: list[tuple[str, str]], names: list[str]) -> None:
        """Count *pairs* and *names* once less."""
        self.pairs.subtract(pair for pair in pairs if self.pairs[pair])
        self.names.subtract(names)


def _check(arc: Arc, order: _Order, file: SourceFile, report: Report) -> None:
    pairs = [(earlier.value, later.value) for earlier, later in arc.pairs()]
    names = [name.value for name in arc.stages]
    if all(order.names[name] > 1 for name in names) and all(map(order.is_implied, pairs)):
        order.drop(pairs, names)
        path = f'imply "{order.path(pairs)}"' if pairs else "name this stage"
        report.add(
            codes.REDUNDANT_ARC,
            f'arc "{_arc_text(arc)}" is redundant: other arcs {path}',
            at=_span(arc),
            hint="remove it",
            fix=_fix(remove_item(_span(arc)), file, "removes the arc"),
        )
        return
    for name, is_first, path in _idle_ends(arc, order):
        report.add(
            codes.REDUNDANT_ARC,
            f'"{name.value}" is redundant in this arc: other arcs imply "{path}"',
            at=name.span,
            hint="remove it from the arc",
            fix=_fix(remove_item(name.span, is_first=is_first), file, "removes it"),
        )


def _idle_ends(arc: Arc, order: _Order) -> Iterator[tuple[Located[str], bool, str]]:
    """Yield each removable name at the ends of *arc*, whether it is the first, and the path that replaces it."""
    groups = list(arc.groups)
    for is_first in (False, True):
        while len(groups) > 1:
            group, neighbours = (groups[0], groups[1]) if is_first else (groups[-1], groups[-2])
            idle = [name for name in group if _is_idle(name, neighbours, order, is_first=is_first)]
            for name in idle:
                pairs = _pairs(name, neighbours, is_first=is_first)
                order.drop(pairs, [name.value])
                yield name, is_first and name is group[0], order.path(pairs)
            if len(idle) < len(group):
                break
            groups.remove(group)


def _is_idle(name: Located[str], neighbours: tuple[Located[str], ...], order: _Order, *, is_first: bool) -> bool:
    # Arcs may begin with the same pair for readability.
    pairs = _pairs(name, neighbours, is_first=is_first)
    return order.names[name.value] > 1 and not any(order.pairs[pair] for pair in pairs)


def _pairs(name: Located[str], neighbours: tuple[Located[str], ...], *, is_first: bool) -> list[tuple[str, str]]:
    pairs = product((name,), neighbours) if is_first else product(neighbours, (name,))
    return [(earlier.value, later.value) for earlier, later in pairs]


def _arc_text(arc: Arc) -> str:
    names = [[name.value for name in group] for group in arc.groups]
    return " -> ".join(group[0] if len(group) == 1 else f"[{', '.join(group)}]" for group in names)


def _span(arc: Arc) -> Span:
    """Return the span of *arc*; if it is a block list, up to its last name."""
    first, last = arc.span, arc.stages[-1].span
    return first if first.file.text.startswith("[", first.start) else Span(first.file, first.start, last.end)


def _fix(edit: Edit | None, file: SourceFile, title: str) -> Fix | None:
    return Fix(title, (edit,)) if edit is not None and is_in_file(edit.span, file) else None
