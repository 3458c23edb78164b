"""The files that a config includes, read and checked."""

from __future__ import annotations

from collections.abc import Sequence as Items
from pathlib import Path

from pipegen.config.compose import MAX_NODES
from pipegen.config.files.include_path import find_included, report_unreadable, shown_path
from pipegen.config.files.load import LARGEST, beginning, decode, folder_of, repository_root
from pipegen.config.read import read
from pipegen.config.schema.check import check_schema
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, Node, Scalar, Sequence, count
from pipegen.structs import Struct

# A config and all that it includes; people read them.
MAX_FILES = 100


class _Open(Struct):
    """A file whose includes are being read: where it really stands, and what included it."""

    real: Path
    file: SourceFile
    written: Scalar | None


def read_included(tree: Node, file: SourceFile, report: Report) -> tuple[Node, ...]:
    """Return the tree of each file that *tree*, which is that of *file*, includes, directly or not, then *tree* itself.

    They come in the order in which they are included, each once.
    """
    if not included_paths(tree):
        return (tree,)
    reader = _Reader(file, report)
    reader.open(tree, _Open(_real(file), file, None))
    return tuple(reader.trees)


class _Reader:
    """Reads files and what they include; a file before those that include it."""

    def __init__(self, file: SourceFile, report: Report) -> None:
        self.trees: list[Node] = []
        self._report = report
        self._root = repository_root(file.place) if file.place is not None else Path()
        self._open: list[_Open] = []
        self._seen: set[Path] = set()
        self._nodes = 0

    def open(self, tree: Node, opened: _Open) -> None:
        """Read what *tree*, that of *opened*, includes, and add it behind that."""
        self._seen.add(opened.real)
        self._open.append(opened)
        for written in included_paths(tree):
            self._include(written, opened.file)
        self._open.pop()
        self.trees.append(tree)

    def _include(self, written: Scalar, file: SourceFile) -> None:
        place = find_included(written, file, self._root, self._report)
        if place is None:
            return
        real = place.resolve()
        if any(opened.real == real for opened in self._open):
            self._report_loop(written, real)
        elif real not in self._seen:
            self._read(written, file, place)

    def _read(self, written: Scalar, file: SourceFile, place: Path) -> None:
        if len(self._seen) >= MAX_FILES:
            self._report_limit(written, f"the config includes more than {MAX_FILES - 1} files")
            return
        self._seen.add(place.resolve())
        # What is wrong with one file keeps no other from being read.
        report = Report()
        try:
            data = _bytes(place, self._root, written, report)
            name, folder = shown_path(written, file), folder_of(place, self._root)
            included = decode(data, name, folder, report, place)
            report.stop_if_errors()
            tree = read(included, report)
            report.stop_if_errors()
            check_schema(tree, report, is_included=True)
            report.stop_if_errors()
        except Stopped:
            return
        finally:
            self._report.take(report)
        self._nodes += count(tree)
        if self._nodes > MAX_NODES:
            self._report_limit(written, f"the included files hold more than {MAX_NODES:,} values")
            raise Stopped
        self.open(tree, _Open(place.resolve(), included, written))

    def _report_loop(self, written: Scalar, real: Path) -> None:
        first = next(index for index, opened in enumerate(self._open) if opened.real == real)
        loop = self._open[first:]
        names = " -> ".join([*(opened.file.path for opened in loop), loop[0].file.path])
        self._report.add(
            codes.INCLUDE_LOOP,
            f"files include each other: {names}" if len(loop) > 1 else f'"{loop[0].file.path}" includes itself',
            at=written.span,
            label="here it begins anew" if len(loop) > 1 else "",
            also=[Label(opened.written.span, "by way of this") for opened in loop[1:] if opened.written],
            hint="move what both need to a file that includes neither" if len(loop) > 1 else "remove it",
        )

    def _report_limit(self, written: Scalar, message: str) -> None:
        self._report.add(codes.CONFIG_TOO_LARGE, message, at=written.span, label="past this file", hint="include less")


def _bytes(place: Path, root: Path, written: Scalar, report: Report) -> bytes:
    """Return what stands in the file at *place*; raise `Stopped` when it cannot be read."""
    try:
        data = beginning(place, LARGEST + 1, within=root)
    except OSError as error:
        report_unreadable(written, error.strerror or "it cannot be read", "name a file that can be read", report)
        raise Stopped from None
    if len(data) > LARGEST:
        report_unreadable(
            written, f"it is larger than {LARGEST // 1024 // 1024} MiB", "keep what is no config elsewhere", report
        )
        raise Stopped
    return data


def included_paths(tree: Node) -> Items[Scalar]:
    """Return the paths that *tree* includes itself, as written."""
    node = tree.get("include") if isinstance(tree, Mapping) else None
    items = node.items if isinstance(node, Sequence) else (node,)
    return tuple(item for item in items if isinstance(item, Scalar))


def _real(file: SourceFile) -> Path:
    return file.place.resolve() if file.place is not None else Path()
