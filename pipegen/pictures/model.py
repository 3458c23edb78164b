"""What a picture of pipelines shows: text that is ready to be shown, and the graph that it hangs on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from pipegen.graph.execution import ExecutionGraph
from pipegen.structs import Struct, field


class StageMark(Enum):
    """What a stage's box says of it, beside its name."""

    CONDITION = "when"
    APPROVAL = "approval"
    DELAY = "delay"
    MATRIX = "matrix"
    MAY_FAIL = "may fail"
    FINALLY = "finally"


class ArcKind(Enum):
    """What an arc is for, beside the order."""

    VALUES = "values"
    FILES = "files"
    ORDER = "order"


class StageBox(Struct, kw_only=True):
    """A stage; *notes* say what its marks mean for it, and *detail* is what the page tells of it."""

    name: str
    marks: tuple[StageMark, ...] = ()
    notes: tuple[str, ...] = ()
    detail: Mapping[str, object] = field(default_factory=dict)


class Link(Struct, kw_only=True):
    """What travels over an arc: the outputs that the later stage reads, and the paths whose files stand there."""

    values: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def kind(self) -> ArcKind:
        """What it is for; values are told first."""
        return ArcKind.VALUES if self.values else ArcKind.FILES if self.files else ArcKind.ORDER


class Picture(Struct, kw_only=True):
    """A pipeline: its stages in the user's order, of which those in *last* run after all of *graph*.

    *links* are what arcs carry; an arc that is not there carries nothing. *path* is the longest one.
    """

    name: str
    words: tuple[str, ...]
    graph: ExecutionGraph
    stages: tuple[StageBox, ...]
    links: Mapping[tuple[str, str], Link]
    path: tuple[str, ...]
    last: tuple[str, ...] = ()
