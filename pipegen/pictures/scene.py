"""A picture as shapes: the positions of all boxes, lines and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipegen.graph.placing.positions import Box, Segment, Size, positions_of
from pipegen.pictures.measure import box_label, width
from pipegen.pictures.model import ArcKind, Link, Picture, StageBox
from pipegen.structs import Struct
from pipegen.visible import visible

_NAME, _MARK = 13.0, 10.5
_PADDING = 12.0
_HEIGHT, _WITH_MARKS = 32.0, 50.0
_PILL_SIDE, _PILL_GAP = 6.0, 5.0
_MIN_WIDTH = 72.0
# Gaps of finally stages, which are in one column after a line.
_FINALLY_GAP, _FINALLY_ROW_GAP = 96.0, 14.0
# An arrow's head: the line ends before it.
_HEAD = 7.0
_NOTHING = Link()


class Pill(Struct):
    """A word in a rounded frame; *x* is relative to the left of its box."""

    word: str
    x: float
    width: float


class Card(Struct, kw_only=True):
    """A stage's box; *number* is the number of the stage, *label* its display name."""

    number: int
    stage: StageBox
    label: str
    box: Box
    pills: tuple[Pill, ...]
    is_on_path: bool

    @property
    def words(self) -> str:
        """The description of the stage for screen readers."""
        notes = "".join(f", {visible(note)}" for note in self.stage.notes)
        return f"{visible(self.stage.name)}{notes}{', on the longest path' if self.is_on_path else ''}"


class ArcLine(Struct, kw_only=True):
    """An arc: its SVG *path*, the numbers of its stages, and a description of its data in *words*."""

    earlier: int
    later: int
    kind: ArcKind
    path: str
    words: str
    is_on_path: bool


class Scene(Struct, kw_only=True):
    """A picture with all positions. *fence* is where the finally stages begin, None if there are none."""

    picture: Picture
    cards: tuple[Card, ...]
    lines: tuple[ArcLine, ...]
    fence: float | None
    width: float
    height: float


def scene(picture: Picture) -> Scene:
    """Return *picture* with all positions, from 0."""
    sizes = {stage.name: _size(stage) for stage in picture.stages}
    layout = positions_of(picture.graph, sizes, picture.path)
    fence = layout.width + _FINALLY_GAP / 2 if picture.last and layout.width else None
    finally_boxes = _finally_boxes(picture, sizes, layout.width + _FINALLY_GAP if layout.width else 0.0, layout.height)
    boxes = {**layout.boxes, **finally_boxes}
    numbers = {stage.name: number for number, stage in enumerate(picture.stages)}
    on_path, path_arcs = set(picture.path), set(pairwise(picture.path))
    lines = [
        ArcLine(
            earlier=numbers[arc[0]],
            later=numbers[arc[1]],
            kind=picture.links.get(arc, _NOTHING).kind,
            path=_curve(segments),
            words=_arc_text(arc, picture.links.get(arc, _NOTHING)),
            is_on_path=arc in path_arcs,
        )
        for arc, segments in layout.lines.items()
    ]
    cards = [
        Card(
            number=number,
            stage=stage,
            label=box_label(stage.name),
            box=boxes[stage.name],
            pills=tuple(_pills(stage)),
            is_on_path=stage.name in on_path,
        )
        for number, stage in enumerate(picture.stages)
    ]
    return Scene(
        picture=picture,
        cards=tuple(cards),
        # Important lines are drawn over the others.
        lines=tuple(sorted(lines, key=lambda line: (line.is_on_path, line.kind is not ArcKind.ORDER))),
        fence=fence,
        width=max((box.x + box.width for box in boxes.values()), default=0.0),
        height=max((layout.height, *(box.y + box.height for box in finally_boxes.values()))),
    )


def number(value: float) -> str:
    """Return *value* as an SVG number, rounded to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def _size(stage: StageBox) -> Size:
    marks_width = max((pill.x + pill.width for pill in _pills(stage)), default=0.0) - _PADDING
    box_width = max(width(box_label(stage.name), _NAME), marks_width) + 2 * _PADDING
    return Size(max(box_width, _MIN_WIDTH), _WITH_MARKS if stage.marks else _HEIGHT)


def _pills(stage: StageBox) -> Iterator[Pill]:
    x = _PADDING
    for mark in stage.marks:
        pill_width = width(mark.value, _MARK) + 2 * _PILL_SIDE
        yield Pill(mark.value, x, pill_width)
        x += pill_width + _PILL_GAP


def _finally_boxes(picture: Picture, sizes: dict[str, Size], left: float, height: float) -> dict[str, Box]:
    """Return the boxes of finally stages, in a vertically centred column."""
    box_width = max((sizes[name].width for name in picture.last), default=0.0)
    total_height = sum(sizes[name].height + _FINALLY_ROW_GAP for name in picture.last)
    top = max((height - total_height) / 2, 0.0)
    boxes = {}
    for name in picture.last:
        boxes[name] = Box(left, top + _FINALLY_ROW_GAP / 2, box_width, sizes[name].height)
        top += sizes[name].height + _FINALLY_ROW_GAP
    return boxes


def _curve(segments: Sequence[Segment]) -> str:
    """Return a line that is horizontal within columns and curved between them."""
    x, y = segments[0].end, segments[0].y
    parts = [f"M{number(x)} {number(y)}"]
    for segment in segments[1:]:
        is_end = segment is segments[-1]
        end = segment.start - _HEAD if is_end else segment.start
        middle = (x + end) / 2
        parts.append(
            f"C{number(middle)} {number(y)} {number(middle)} {number(segment.y)} {number(end)} {number(segment.y)}"
        )
        if not is_end:
            parts.append(f"H{number(segment.end)}")
        x, y = segment.end, segment.y
    return "".join(parts)


def _arc_text(arc: tuple[str, str], link: Link) -> str:
    """Return the tooltip of an arc."""
    parts = [f"values: {', '.join(link.values)}"] if link.values else []
    parts += [f"files: {', '.join(link.files)}"] if link.files else []
    return visible(f"{arc[0]} → {arc[1]}: {'; '.join(parts) or 'order only'}")
