"""A picture as shapes: where every box, line and word stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipegen.graph.placing.positions import Box, Segment, Size, positions_of
from pipegen.pictures.measure import shown, width
from pipegen.pictures.model import ArcKind, Link, Picture, StageBox
from pipegen.structs import Struct
from pipegen.visible import visible

_NAME, _MARK = 13.0, 10.5
_INSIDE = 12.0
_HEIGHT, _WITH_MARKS = 32.0, 50.0
_PILL_SIDE, _PILL_GAP = 6.0, 5.0
_LEAST_WIDTH = 72.0
# Where finally stages stand: behind a line, each below the other.
_BEHIND, _BELOW = 96.0, 14.0
# An arrow's head: the line ends before it.
_HEAD = 7.0
_NOTHING = Link()


class Pill(Struct):
    """A word in a rounded frame; *x* is from the left of its box."""

    word: str
    x: float
    width: float


class Card(Struct, kw_only=True):
    """A stage's box; *number* is that of the stage, *top* where its name stands."""

    number: int
    stage: StageBox
    label: str
    box: Box
    pills: tuple[Pill, ...]
    is_on_path: bool

    @property
    def words(self) -> str:
        """What is told of the stage where nobody sees it."""
        notes = "".join(f", {visible(note)}" for note in self.stage.notes)
        return f"{visible(self.stage.name)}{notes}{', on the longest path' if self.is_on_path else ''}"


class ArcLine(Struct, kw_only=True):
    """An arc: *path* in SVG's language, the numbers of its stages, and what it carries in *words*."""

    earlier: int
    later: int
    kind: ArcKind
    path: str
    words: str
    is_on_path: bool


class Scene(Struct, kw_only=True):
    """Everything in its place. *fence* is where the finally stages begin, None where there are none."""

    picture: Picture
    cards: tuple[Card, ...]
    lines: tuple[ArcLine, ...]
    fence: float | None
    width: float
    height: float


def scene(picture: Picture) -> Scene:
    """Return where everything of *picture* stands, from 0."""
    sizes = {stage.name: _size(stage) for stage in picture.stages}
    placed = positions_of(picture.graph, sizes, picture.path)
    fence = placed.width + _BEHIND / 2 if picture.last and placed.width else None
    last = _last(picture, sizes, placed.width + _BEHIND if placed.width else 0.0, placed.height)
    boxes = {**placed.boxes, **last}
    numbers = {stage.name: number for number, stage in enumerate(picture.stages)}
    on_path, path_arcs = set(picture.path), set(pairwise(picture.path))
    lines = [
        ArcLine(
            earlier=numbers[arc[0]],
            later=numbers[arc[1]],
            kind=picture.links.get(arc, _NOTHING).kind,
            path=_curve(segments),
            words=_carried(arc, picture.links.get(arc, _NOTHING)),
            is_on_path=arc in path_arcs,
        )
        for arc, segments in placed.lines.items()
    ]
    cards = [
        Card(
            number=number,
            stage=stage,
            label=shown(stage.name),
            box=boxes[stage.name],
            pills=tuple(_pills(stage)),
            is_on_path=stage.name in on_path,
        )
        for number, stage in enumerate(picture.stages)
    ]
    return Scene(
        picture=picture,
        cards=tuple(cards),
        # What is told of more is drawn over the rest.
        lines=tuple(sorted(lines, key=lambda line: (line.is_on_path, line.kind is not ArcKind.ORDER))),
        fence=fence,
        width=max((box.x + box.width for box in boxes.values()), default=0.0),
        height=max((placed.height, *(box.y + box.height for box in last.values()))),
    )


def number(value: float) -> str:
    """Return *value* as SVG writes it, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def _size(stage: StageBox) -> Size:
    marks = max((pill.x + pill.width for pill in _pills(stage)), default=0.0) - _INSIDE
    wide = max(width(shown(stage.name), _NAME), marks) + 2 * _INSIDE
    return Size(max(wide, _LEAST_WIDTH), _WITH_MARKS if stage.marks else _HEIGHT)


def _pills(stage: StageBox) -> Iterator[Pill]:
    left = _INSIDE
    for mark in stage.marks:
        wide = width(mark.value, _MARK) + 2 * _PILL_SIDE
        yield Pill(mark.value, left, wide)
        left += wide + _PILL_GAP


def _last(picture: Picture, sizes: dict[str, Size], left: float, height: float) -> dict[str, Box]:
    """Return the boxes of finally stages: in a column of their own, about its middle."""
    wide = max((sizes[name].width for name in picture.last), default=0.0)
    whole = sum(sizes[name].height + _BELOW for name in picture.last)
    top = max((height - whole) / 2, 0.0)
    found = {}
    for name in picture.last:
        found[name] = Box(left, top + _BELOW / 2, wide, sizes[name].height)
        top += sizes[name].height + _BELOW
    return found


def _curve(segments: Sequence[Segment]) -> str:
    """Return a line that leaves each column level and bends between them."""
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


def _carried(arc: tuple[str, str], link: Link) -> str:
    """Return what a person reads who points at an arc."""
    told = [f"values: {', '.join(link.values)}"] if link.values else []
    told += [f"files: {', '.join(link.files)}"] if link.files else []
    return visible(f"{arc[0]} → {arc[1]}: {'; '.join(told) or 'order only'}")
