"""Source files, positions and spans."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pipegen.structs import SpannedStruct, Struct, replace

T = TypeVar("T")

# The line breaks of YAML 1.2 and of editors; Python's splitlines() has more.
_LINE_BREAK = r"\r\n|\n|\r"


class SourceFile(SpannedStruct, dict=True, gc=True):
    """A text file; *path* is its path as shown to the user, with forward slashes.

    *folder* is the file's folder relative to the root of the repository, with forward slashes and without a trailing
    slash; "" is the root itself. *absolute_path* is the path on disk, to which includes are relative; None for text
    that is not read from a file. *use* tells locations apart that are used several times, such as in a function; 0 is
    the file itself.
    """

    UNCOMPARED: ClassVar = ("absolute_path",)

    path: str
    text: str
    folder: str = ""
    absolute_path: Path | None = None
    use: int = 0

    def __hash__(self) -> int:
        return hash(self.path)

    @property
    def from_root(self) -> str:
        """The path relative to the root of the repository, independent of the working directory."""
        name = self.path.rpartition("/")[2]
        return f"{self.folder}/{name}" if self.folder else name

    @cached_property
    def line_starts(self) -> array[int]:
        """Offsets at which lines begin; the first is 0."""
        # An array: for ten million empty lines, a list would take half a gigabyte.
        starts = array("L", (0,))
        starts.extend(line_break.end() for line_break in re.finditer(_LINE_BREAK, self.text))
        return starts

    def for_use(self, use: int) -> SourceFile:
        """Return the file for one of several uses of its locations."""
        file = replace(self, use=use)
        file.__dict__["line_starts"] = self.line_starts
        return file

    def position(self, offset: int) -> Position:
        """Return the line and column of *offset*."""
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Return line *number*, from 1, without its line break."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


class Position(Struct, order=True):
    """A line and a column, both from 1; columns count characters."""

    line: int
    column: int


class Span(Struct):
    """A range of a file as character offsets; *end* is exclusive."""

    file: SourceFile
    start: int
    end: int

    @property
    def first(self) -> Position:
        """The position of the first character."""
        return self.file.position(self.start)

    @property
    def last(self) -> Position:
        """The position after the last character."""
        return self.file.position(self.end)

    @property
    def text(self) -> str:
        """The text in the span."""
        return self.file.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of *other*."""
        return Span(self.file, self.start, max(self.end, other.end))


class Located(SpannedStruct, Generic[T]):
    """A value from the user's file, with its location."""

    value: T
    span: Span
