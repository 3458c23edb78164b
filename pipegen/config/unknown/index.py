"""Which parts of a config stand at a place of a file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from pipegen.config.schema.parts import STAGE_KEY
from pipegen.config.schema.violation import Path
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar
from pipegen.source.tree import Sequence as List

# Start and end in the file, and the path of what stands there.
_Place = tuple[int, int, Path]


class PartIndex:
    """The parts of *tree* by their places; an anchor stands in each part that repeats it by an alias."""

    def __init__(self, tree: Node) -> None:
        self._places: dict[str, list[_Place]] = {}
        self._add(tree, ())
        for places in self._places.values():
            places.sort(key=lambda place: place[:2])
        self._starts = {path: [place[0] for place in places] for path, places in self._places.items()}

    def paths(self, span: Span) -> tuple[Path, ...]:
        """Return the paths of what stands where *span* begins, each the longest known; none for a whole file."""
        if span.start == span.end == 0:
            return ()
        starts, places = self._starts.get(span.file.path, []), self._places.get(span.file.path, [])
        last = bisect_right(starts, span.start)
        if not last:
            return ()
        around = places[bisect_left(starts, starts[last - 1]) : last]
        found = {path: None for start, end, path in around if start == span.start or span.start <= end}
        return tuple(one for one in found if not any(other[: len(one)] == one != other for other in found))

    def _add(self, tree: Node, path: Path) -> None:
        """Add *tree*, which stands at *path*."""
        left: list[tuple[Node, Path]] = [(tree, path)]
        while left:
            node, path = left.pop()
            if isinstance(node, Scalar):
                self._note(node.span, node.span.end, path)
                continue
            self._note(node.span, node.span.start + 1, path)
            if isinstance(node, Map):
                for entry in node.entries:
                    inner = (*path, entry.key.text)[:STAGE_KEY]
                    self._note(entry.key.span, entry.key.span.end, inner)
                    left.append((entry.value, inner))
            elif isinstance(node, List):
                left += [(item, (*path, number)[:STAGE_KEY]) for number, item in enumerate(node.items)]

    def _note(self, span: Span, end: int, path: Path) -> None:
        self._places.setdefault(span.file.path, []).append((span.start, end, path))
