"""Pictures as one self-contained SVG document."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.emit.template import render
from pipegen.pictures.legend import legend
from pipegen.pictures.measure import width
from pipegen.pictures.model import Picture
from pipegen.pictures.palette import DARK, LIGHT
from pipegen.pictures.scene import Scene, number, scene
from pipegen.structs import Struct
from pipegen.visible import visible

_EDGE, _HEAD, _BETWEEN, _LEGEND = 24.0, 58.0, 36.0, 44.0
_MIN_WIDTH = 560.0


class PlacedPipeline(Struct):
    """A pipeline with its position: *top* of its words, *y* of its graph."""

    scene: Scene
    title: str
    words: str
    top: float
    y: float


def render_svg(pictures: Sequence[Picture]) -> str:
    """Return *pictures* in one column."""
    parts: list[PlacedPipeline] = []
    top = _EDGE
    for scene_ in map(scene, pictures):
        words = ", ".join(scene_.picture.words)
        parts.append(PlacedPipeline(scene_, visible(scene_.picture.name), visible(words), top, top + _HEAD))
        top += _HEAD + scene_.height + _BETWEEN
    widest = max((max(part.scene.width, width(part.words, 12)) for part in parts), default=0.0)
    return render(
        "pictures/picture.svg.j2",
        filters={"n": number},
        parts=parts,
        title="; ".join(f"{part.title}: {part.words}" for part in parts),
        width=max(widest, _MIN_WIDTH) + 2 * _EDGE,
        height=top + _LEGEND - _BETWEEN / 2,
        left=_EDGE,
        legend=legend([part.scene for part in parts]),
        legend_top=top,
        light=LIGHT,
        dark=DARK,
    )
