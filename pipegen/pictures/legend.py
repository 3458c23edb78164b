"""The legend of the strokes in a picture."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.pictures.measure import width
from pipegen.pictures.model import ArcKind
from pipegen.pictures.scene import Scene
from pipegen.structs import Struct

_PATH = "on the longest path"
_WORDS = {ArcKind.VALUES: "carries values", ArcKind.FILES: "carries files", ArcKind.ORDER: "order only"}
_SAMPLE, _GAP = 30.0, 24.0


class LegendEntry(Struct):
    """A stroke by its *name*, and its meaning; *x* is the start of its sample."""

    name: str
    words: str
    x: float


def legend(scenes: Sequence[Scene]) -> tuple[LegendEntry, ...]:
    """Return an entry for each kind of stroke in *scenes*, from left to right."""
    lines = [line for scene in scenes for line in scene.lines]
    kinds = {line.kind for line in lines}
    strokes = [("path", _PATH)] if any(line.is_on_path for line in lines) else []
    strokes += [(kind.value, words) for kind, words in _WORDS.items() if kind in kinds]
    entries, x = [], 0.0
    for name, words in strokes:
        entries.append(LegendEntry(name, words, x))
        x += _SAMPLE + 8 + width(words, 12) + _GAP
    return tuple(entries)
