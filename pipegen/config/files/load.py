"""Bytes of a config to text."""

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

# A file of a config, in bytes; 10,000 stages take some two million.
LARGEST = 10 * 1024 * 1024

# What writes to a pipe may be a program that only just starts: so many seconds.
_WRITER_STARTS = 1.0

# Where a config is looked for when none is named, in this order.
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
    """Return the config of *folder*, by its usual names."""
    return next((folder / name for name in USUAL_NAMES if (folder / name).is_file()), None)


def load(path: Path, report: Report, *, shown: str | None = None, largest: int = LARGEST) -> SourceFile:
    """Return the text of the file at *path*; *shown* is its path as the user named it.

    Bytes that are no text are reported, and stand as U+FFFD in the result. A file larger than *largest* is left unread.
    """
    name = shown if shown is not None else path.as_posix()
    place = absolute(path)
    folder = folder_of(place, repository_root(place))
    try:
        data = beginning(path, largest + 1)
    except OutsideError as error:
        return _unread(SourceFile(name, "", folder, place), error, report)
    if len(data) > largest:
        file = SourceFile(name, "", folder, place)
        report.add(
            codes.CONFIG_TOO_LARGE,
            f"the file is larger than {largest // 1024 // 1024} MiB",
            at=Span(file, 0, 0),
            hint="keep what is no config elsewhere",
        )
        return file
    return decode(data, name, folder, report, place)


def _unread(file: SourceFile, error: OutsideError, report: Report) -> SourceFile:
    """Return *file*, of which nothing is read: a repository must not make a reader show other files of the machine."""
    report.add(
        codes.LEADS_OUTSIDE,
        f'"{file.path}" leads {error.whither}',
        at=Span(file, 0, 0),
        hint="put a file in the place of the link, or name the file that you mean",
    )
    return file


def beginning(path: Path, size: int = LARGEST, *, within: Path | None = None) -> bytes:
    """Return so many bytes of what the file at *path* begins with, or all of it: no device is read for ever.

    Raise `OutsideError` where links lead out of the repository, or out of the folder that a file is *within*.
    """
    handle = opened(path, within=within)
    try:
        with os.fdopen(handle, "rb", closefd=False) as stream:
            if stat.S_ISFIFO(os.fstat(handle).st_mode):
                # One that nobody writes to after a moment is empty.
                select.select([handle], [], [], _WRITER_STARTS)
            os.set_blocking(handle, True)
            return stream.read(size)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(handle)


def absolute(path: Path) -> Path:
    """Return *path* from the root of the disk, without `..`; links in it stay."""
    return Path(os.path.normpath(path.absolute()))


def folder_of(place: Path, root: Path) -> str:
    """Return the folder of the file at *place* relative to *root*, as `SourceFile` has it."""
    folder = place.parent.relative_to(root).as_posix()
    return "" if folder == "." else folder


def decode(data: bytes, name: str, folder: str, report: Report, place: Path | None = None) -> SourceFile:
    """Return *data* as a file of text: UTF-8, or UTF-16 and UTF-32 with a byte order mark."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(mark) :]
    file = SourceFile(name, body.decode(encoding, errors="replace"), folder, place)
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

    The nearest folder above with a `.git`; without one, the folder that holds
    `.pipeline` for a config in there, else the config's own folder.
    """
    folder = absolute(path).parent
    for above in (folder, *folder.parents):
        if os.path.exists(f"{above}/.git"):  # noqa: PTH110 - asked for each config: `Path` takes four times as long
            return above
    return folder.parent if folder.name == ".pipeline" else folder
