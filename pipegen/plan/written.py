"""The order in which the user wrote the values of a stage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from pipegen.config.model import Stage
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, Sequence


class WrittenOrder:
    """Ranks places by the order of the stage's values when it is written out, whichever file they come from.

    What stands in a template counts where the stage has it, so that a stage made of parts has the order of the same
    stage in one piece.
    """

    def __init__(self, stage: Stage) -> None:
        self._name = stage.name.span
        # By file, the scalars by their start: the number of each, and its end.
        self._scalars: dict[str, dict[int, tuple[int, int]]] = {}
        for number, span in enumerate(_spans(stage.body)):
            self._scalars.setdefault(span.file.path, {}).setdefault(span.start, (number, span.end))
        self._starts = {path: sorted(scalars) for path, scalars in self._scalars.items()}

    def rank(self, span: Span) -> tuple[int, int, int]:
        """Return what to sort *span* by; what stands outside of the stage, in its pipeline, is before or behind it."""
        starts = self._starts.get(span.file.path, [])
        found = bisect_right(starts, span.start) - 1
        if found >= 0:
            number, end = self._scalars[span.file.path][starts[found]]
            if span.start < end:
                return 1, number, span.start
        return 0 if span.start < self._name.start else 2, 0, span.start


def _spans(body: Node | None) -> Iterator[Span]:
    """Yield the places of all keys and values in *body*, as they are written."""
    open_nodes = [body] if body is not None else []
    while open_nodes:
        match open_nodes.pop():
            case Scalar() as scalar:
                yield scalar.span
            case Sequence() as sequence:
                open_nodes.extend(reversed(sequence.items))
            case Mapping() as mapping:
                for entry in reversed(mapping.entries):
                    open_nodes += [entry.value, entry.key]
