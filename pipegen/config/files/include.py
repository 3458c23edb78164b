"""Reads and checks the files that a config includes."""

from __future__ import annotations

from collections.abc import Sequence as Items
from pathlib import Path as FilePath

from pipegen.config.files.include_path import find_included, report_unreadable, shown_path
from pipegen.config.files.load import MAX_BYTES, decode, folder_of, read_start, repository_root
from pipegen.config.read import read
from pipegen.config.schema.check import ValidConfig, check_schema
from pipegen.config.schema.violation import Path
from pipegen.config.unknown.index import misread_parts
from pipegen.config.yaml.compose import MAX_NODES
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Node, Scalar, child, count, scalars_of
from pipegen.structs import Struct

# Any part of the config may use a file that cannot be read.
_UNREAD: Path = ("include",)
# The limit for the config and its included files: people have to read them.
MAX_FILES = 100


class Included(Struct):
    """The *trees* of a config and of the files that it includes, and their unknown *parts*."""

    trees: tuple[Node, ...]
    parts: tuple[Path, ...]


class _Open(Struct):
    """A file whose includes are being read: its real path, and the scalar that included it."""

    real_path: FilePath
    file: SourceFile
    written: Scalar | None


def read_included(config: ValidConfig, file: SourceFile, report: Report) -> Included:
    """Return the trees of the files that *file* includes, directly or not, then the tree of *config*.

    They are in the order of inclusion, each once, with the unknown parts of all.
    """
    if not included_paths(config.tree):
        return Included((config.tree,), config.parts)
    reader = _Reader(file, report)
    reader.open(config.tree, _Open(_real(file), file, None))
    return Included(tuple(reader.trees), tuple(dict.fromkeys((*config.parts, *reader.parts))))


class _Reader:
    """Reads files and their includes; a file comes before those that include it."""

    def __init__(self, file: SourceFile, report: Report) -> None:
        self.trees: list[Node] = []
        self.parts: list[Path] = []
        self._report = report
        self._root = repository_root(file.absolute_path) if file.absolute_path is not None else FilePath()
        self._open_files: list[_Open] = []
        self._visited: set[FilePath] = set()
        self._nodes = 0

    def open(self, tree: Node, opened: _Open) -> None:
        """Read the includes of *tree*, the tree of *opened*, then add *tree* itself."""
        self._visited.add(opened.real_path)
        self._open_files.append(opened)
        for written in included_paths(tree):
            self._include(written, opened.file)
        self._open_files.pop()
        self.trees.append(tree)

    def _include(self, written: Scalar, file: SourceFile) -> None:
        path = find_included(written, file, self._root, self._report)
        if path is None:
            self.parts.append(_UNREAD)
            return
        real_path = path.resolve()
        if any(opened.real_path == real_path for opened in self._open_files):
            self._report_loop(written, real_path)
            self.parts.append(_UNREAD)
        elif real_path not in self._visited:
            self._read(written, file, path)

    def _read(self, written: Scalar, file: SourceFile, path: FilePath) -> None:
        if len(self._visited) >= MAX_FILES:
            self._report_limit(written, f"the config includes more than {MAX_FILES - 1} files")
            self.parts.append(_UNREAD)
            return
        self._visited.add(path.resolve())
        # Errors in one file do not prevent the reading of others.
        report = Report()
        try:
            data = _read_bytes(path, self._root, written, report)
            name, folder = shown_path(written, file), folder_of(path, self._root)
            included = decode(data, name, folder, report, path)
            report.stop_if_errors()
            tree = read(included, report)
            misread = misread_parts(tree, report.errors())
        except Stopped:
            self.parts.append(_UNREAD)
            self._report.take(report)
            return
        checked = check_schema(tree, report, misread, is_included=True) if misread is not None else None
        self._report.take(report)
        if checked is None:
            self.parts.append(_UNREAD)
            return
        self._nodes += count(tree)
        if self._nodes > MAX_NODES:
            self._report_limit(written, f"the included files have more than {MAX_NODES:,} values")
            raise Stopped
        self.parts += checked.parts
        self.open(checked.tree, _Open(path.resolve(), included, written))

    def _report_loop(self, written: Scalar, real_path: FilePath) -> None:
        first = next(index for index, opened in enumerate(self._open_files) if opened.real_path == real_path)
        loop = self._open_files[first:]
        names = " -> ".join([*(opened.file.path for opened in loop), loop[0].file.path])
        self._report.add(
            codes.INCLUDE_LOOP,
            f"files include each other: {names}" if len(loop) > 1 else f'"{loop[0].file.path}" includes itself',
            at=written.span,
            label="this closes the loop" if len(loop) > 1 else "",
            related=[Label(opened.written.span, "included here") for opened in loop[1:] if opened.written],
            hint="move the shared parts to a file that includes neither" if len(loop) > 1 else "remove it",
        )

    def _report_limit(self, written: Scalar, message: str) -> None:
        self._report.add(
            codes.CONFIG_TOO_LARGE, message, at=written.span, label="at this file", hint="include fewer files"
        )


def _read_bytes(path: FilePath, root: FilePath, written: Scalar, report: Report) -> bytes:
    """Return the content of the file at *path*; raise `Stopped` if it cannot be read."""
    try:
        data = read_start(path, MAX_BYTES + 1, within=root)
    except OSError as error:
        report_unreadable(written, error.strerror or "it cannot be read", "name a file that can be read", report)
        raise Stopped from None
    if len(data) > MAX_BYTES:
        report_unreadable(
            written,
            f"it is larger than {MAX_BYTES // 1024 // 1024} MiB",
            "move data that is not config to other files",
            report,
        )
        raise Stopped
    return data


def included_paths(tree: Node) -> Items[Scalar]:
    """Return the paths that *tree* includes itself, as written."""
    return scalars_of(child(tree, "include"))


def _real(file: SourceFile) -> FilePath:
    return file.absolute_path.resolve() if file.absolute_path is not None else FilePath()
