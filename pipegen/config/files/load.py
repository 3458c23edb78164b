"""Finds config files and decodes them to text."""

from __future__ import annotations

import codecs
import os
import select
import stat
from pathlib import Path

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.enclosure import OutsideError, opened
from pipegen.source.text import SourceFile, Span

# In bytes; a config of 10,000 stages has about two million.
MAX_BYTES = 10 * 1024 * 1024

# Seconds to wait for a program that is about to write to a pipe.
_WRITER_STARTS = 1.0

# The usual names of configs, in order of precedence.
USUAL_NAMES = ("pipegen.yaml", "pipegen.yml", ".pipeline/config.yaml", ".pipeline/config.yml")

# YAML 1.2, 5.2: a stream may begin with a byte order mark. UTF-32's begins like UTF-16's, so it comes first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def find(folder: Path) -> Path | None:
    """Return the config in *folder* with a usual name; None if there is none."""
    return next((folder / name for name in USUAL_NAMES if (folder / name).is_file()), None)


def load(
    path: Path, report: Report, *, shown: str | None = None, largest: int = MAX_BYTES, within: Path | None = None
) -> SourceFile:
    """Return the file at *path* with its text; *shown* is its path as the user wrote it.

    Invalid bytes are reported, and become U+FFFD in the text. A file larger than *largest* is reported, and has no
    text. A path that another file names must stay *within* a folder.
    """
    shown_path = shown if shown is not None else path.as_posix()
    absolute_path = absolute(path)
    folder = folder_of(absolute_path, repository_root(absolute_path))
    try:
        data = read_start(path, largest + 1, within=within)
    except OutsideError as error:
        return _unread(SourceFile(shown_path, "", folder, absolute_path), error, report)
    if len(data) > largest:
        file = SourceFile(shown_path, "", folder, absolute_path)
        report.add(
            codes.CONFIG_TOO_LARGE,
            f"the file is larger than {largest // 1024 // 1024} MiB",
            at=Span(file, 0, 0),
            hint="move data that is not config to other files",
        )
        return file
    return decode(data, shown_path, folder, report, absolute_path)


def _unread(file: SourceFile, error: OutsideError, report: Report) -> SourceFile:
    """Report and return *file*, unread: a repository must not make pipegen show other files of the machine."""
    report.add(
        codes.LEADS_OUTSIDE,
        f'"{file.path}" leads {error.destination}',
        at=Span(file, 0, 0),
        hint="replace the link with a file, or name the other file directly",
    )
    return file


def read_start(path: Path, size: int = MAX_BYTES, *, within: Path | None = None) -> bytes:
    """Return the first *size* bytes of the file at *path*, or all of it: devices can be endless.

    Raise `OutsideError` if links lead out of the repository, or out of the folder *within*.
    """
    return read_opened(opened(path, within=within), path, size)


def read_opened(handle: int, path: Path, size: int) -> bytes:
    """Return the first *size* bytes of the file at *path*, or all of it, and close its descriptor *handle*.

    It was opened with `O_NONBLOCK`, so that a pipe without a writer does not block.
    """
    try:
        with os.fdopen(handle, "rb", closefd=False) as stream:
            if stat.S_ISFIFO(os.fstat(handle).st_mode):
                # A pipe without a writer counts as empty.
                select.select([handle], [], [], _WRITER_STARTS)
            os.set_blocking(handle, True)
            return stream.read(size)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(handle)


def absolute(path: Path) -> Path:
    """Return *path* as an absolute path without `..`; links are not resolved."""
    return Path(os.path.normpath(path.absolute()))


def folder_of(path: Path, root: Path) -> str:
    """Return the folder of the file at *path* relative to *root*, in the form of `SourceFile.folder`."""
    folder = path.parent.relative_to(root).as_posix()
    return "" if folder == "." else folder


def decode(data: bytes, name: str, folder: str, report: Report, absolute_path: Path | None = None) -> SourceFile:
    """Return *data* as a text file: UTF-8, or UTF-16 and UTF-32 with a byte order mark."""
    mark, encoding = next((entry for entry in _MARKS if data.startswith(entry[0])), (b"", "utf-8"))
    body = data[len(mark) :]
    file = SourceFile(name, body.decode(encoding, errors="replace"), folder, absolute_path)
    try:
        body.decode(encoding)
    except UnicodeDecodeError as error:
        start = len(body[: error.start].decode(encoding, errors="replace"))
        report.add(
            codes.INVALID_ENCODING,
            f"the file is not valid {encoding.upper()}: byte 0x{body[error.start]:02x}",
            at=Span(file, start, start + 1),
            label=error.reason,
            hint="save the file as UTF-8",
        )
    return file


def repository_root(path: Path) -> Path:
    """Return the root of the repository that the config at *path* describes.

    It is the nearest folder above with a `.git`; without one, the parent of `.pipeline` for a config in there, else the
    config's own folder.
    """
    folder = absolute(path).parent
    for above in (folder, *folder.parents):
        if os.path.exists(f"{above}/.git"):  # noqa: PTH110 - runs for each config: `Path` takes four times as long
            return above
    return folder.parent if folder.name == ".pipeline" else folder
