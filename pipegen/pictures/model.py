"""The content of a picture of pipelines: display texts and the graph."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from pipegen.graph.execution import ExecutionGraph
from pipegen.structs import Struct, field


class StageMark(Enum):
    """A mark in a stage's box."""

    CONDITION = "when"
    APPROVAL = "approval"
    DELAY = "delay"
    MATRIX = "matrix"
    MAY_FAIL = "may fail"
    FINALLY = "finally"


class ArcKind(Enum):
    """The purpose of an arc."""

    VALUES = "values"
    FILES = "files"
    ORDER = "order"


class StageBox(Struct, kw_only=True):
    """A stage; *notes* explain its marks, and *detail* is its data for the page."""

    name: str
    marks: tuple[StageMark, ...] = ()
    notes: tuple[str, ...] = ()
    detail: Mapping[str, object] = field(default_factory=dict)


class Link(Struct, kw_only=True):
    """The data that an arc carries: the outputs that the later stage reads, and the paths of its files."""

    values: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def kind(self) -> ArcKind:
        """The purpose of the arc; values take precedence over files."""
        return ArcKind.VALUES if self.values else ArcKind.FILES if self.files else ArcKind.ORDER


class Picture(Struct, kw_only=True):
    """A pipeline: its stages in the user's order; those in *last* run after all of *graph*.

    *links* are the data of arcs, without entries for arcs that carry none. *path* is the longest path.
    """

    name: str
    words: tuple[str, ...]
    graph: ExecutionGraph
    stages: tuple[StageBox, ...]
    links: Mapping[tuple[str, str], Link]
    path: tuple[str, ...]
    last: tuple[str, ...] = ()
