"""Source files, and places in them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pipegen.structs import SpannedStruct, Struct

T = TypeVar("T")

# What YAML 1.2 and editors call a line break; Python's splitlines() knows more.
_LINE_BREAK = r"\r\n|\n|\r"


class SourceFile(SpannedStruct, dict=True, gc=True):
    """A file of text: *path* as shown to the user, with forward slashes.

    *folder* is the file's folder, relative to the root of the repository, in
    forward slashes and without a slash at the end; "" is the root itself.
    *absolute_path* is where the file was read, from which it can include others; None
    for text that stands in no file.
    """

    UNCOMPARED: ClassVar = ("absolute_path",)

    path: str
    text: str
    folder: str = ""
    absolute_path: Path | None = None

    @property
    def from_root(self) -> str:
        """The path relative to the root of the repository, the same wherever pipegen is called."""
        name = self.path.rpartition("/")[2]
        return f"{self.folder}/{name}" if self.folder else name

    @cached_property
    def line_starts(self) -> array[int]:
        """Offsets at which lines begin; the first is 0."""
        # An array: of ten million empty lines, a list would take half a gigabyte.
        starts = array("L", (0,))
        starts.extend(found.end() for found in re.finditer(_LINE_BREAK, self.text))
        return starts

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
    """A stretch of a file, as offsets in characters; *end* is exclusive."""

    file: SourceFile
    start: int
    end: int

    @property
    def first(self) -> Position:
        """Where the span begins."""
        return self.file.position(self.start)

    @property
    def last(self) -> Position:
        """Just past the span's last character."""
        return self.file.position(self.end)

    @property
    def text(self) -> str:
        """The text that the span covers."""
        return self.file.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of *other*."""
        return Span(self.file, self.start, max(self.end, other.end))


class Located(SpannedStruct, Generic[T]):
    """A value the user wrote, and where."""

    value: T
    span: Span
