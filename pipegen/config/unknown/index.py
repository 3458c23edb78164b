"""The parts of a config by their location in a file, and those whose YAML has errors."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from pipegen.config.schema.parts import STAGE_KEY, larger, smallest_part
from pipegen.config.schema.violation import Path
from pipegen.diagnostics.model import Diagnostic
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar
from pipegen.source.tree import Sequence as List

# Start and end in the file, and the path of the part.
_Location = tuple[int, int, Path]


class PartIndex:
    """The parts of *tree* by location; an anchor belongs to each part that repeats it by an alias."""

    def __init__(self, tree: Node) -> None:
        self._locations: dict[str, list[_Location]] = {}
        self._add(tree, ())
        for locations in self._locations.values():
            locations.sort(key=lambda location: location[:2])
        self._starts = {path: [location[0] for location in locations] for path, locations in self._locations.items()}

    def paths(self, span: Span) -> tuple[Path, ...]:
        """Return the longest known paths of the parts at the start of *span*; none for a whole file."""
        if span.start == span.end == 0:
            return ()
        starts, locations = self._starts.get(span.file.path, []), self._locations.get(span.file.path, [])
        last = bisect_right(starts, span.start)
        if not last:
            return ()
        candidates = locations[bisect_left(starts, starts[last - 1]) : last]
        matches = {path: None for start, end, path in candidates if start == span.start or span.start <= end}
        outer = {path[:length] for path in matches for length in range(len(path))}
        return tuple(path for path in matches if path not in outer)

    def _add(self, tree: Node, path: Path) -> None:
        """Add *tree*, the node at *path*."""
        pending: list[tuple[Node, Path]] = [(tree, path)]
        while pending:
            node, path = pending.pop()
            if isinstance(node, Scalar):
                self._record(node.span, node.span.end, path)
                continue
            self._record(node.span, node.span.start + 1, path)
            if isinstance(node, Map):
                for entry in node.entries:
                    inner = (*path, entry.key.text)[:STAGE_KEY]
                    self._record(entry.key.span, entry.key.span.end, inner)
                    pending.append((entry.value, inner))
            elif isinstance(node, List):
                pending += [(item, (*path, number)[:STAGE_KEY]) for number, item in enumerate(node.items)]

    def _record(self, span: Span, end: int, path: Path) -> None:
        self._locations.setdefault(span.file.path, []).append((span.start, end, path))


def misread_parts(tree: Node, errors: Sequence[Diagnostic]) -> tuple[Path, ...] | None:
    """Return the parts of *tree* with read *errors*; None if too much depends on them.

    If a location is not in the tree, such as that of a repeated key, the related locations are used.
    """
    if not errors:
        return ()
    index = PartIndex(tree)
    misread: dict[Path, None] = {}
    for error in errors:
        labels = [label for label in (error.primary, *error.related) if label is not None]
        parts = [larger(smallest_part(tree, path), ()) for label in labels for path in index.paths(label.span)]
        known = [part for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return None
        misread |= dict.fromkeys(known)
    return tuple(misread)
