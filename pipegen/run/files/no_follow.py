"""Files in folders that stages write to: read and written without following links or waiting for pipes.

A container may put a link, a pipe or a device anywhere in its mounted folders. Each folder on the path is opened by its
parent's descriptor with O_NOFOLLOW, so that it cannot be replaced meanwhile.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import IO

from pipegen.run.files.removal import remove
from pipegen.structs import Struct

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotAFileError(OSError):
    """The path is neither a regular file nor a link."""


class FileEntry(Struct):
    """A directory entry: its *mode* (type and permissions), and the target of a link."""

    mode: int
    link: str | None

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.mode)


def entry(root: str | Path, name: str) -> FileEntry:
    """Return the entry *name* below *root*; raise `OSError` if there is none, or a folder on the path is a link."""
    with _parent(root, name) as (folder, last):
        return _entry(folder, last)


def open_file(root: str | Path, name: str) -> FileIO:
    """Open the regular file *name* below *root* for reading; raise `OSError` if there is none."""
    with _parent(root, name) as (folder, last):
        return _opened(folder, last)


def open_entry(root: str | Path, name: str) -> tuple[FileEntry, FileIO | None]:
    """Return the entry *name* below *root*, and if it is a regular file, open it for reading."""
    with _parent(root, name) as (folder, last):
        file_entry = _entry(folder, last)
        return file_entry, _opened(folder, last) if file_entry.is_file else None


def read(root: str | Path, name: str) -> bytes | None:
    """Return the content of the file *name* below *root*, None if it does not exist."""
    try:
        with open_file(root, name) as file:
            return file.read()
    except FileNotFoundError:
        return None


@contextmanager
def new_file(root: Path, name: str, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Open a new file that atomically replaces *name* below *root* when it is complete."""
    root.mkdir(parents=True, exist_ok=True)
    with _parent(root, name, makes=True) as (folder, last):
        new = f".pipegen-{secrets.token_hex(8)}"
        try:
            with os.fdopen(os.open(new, _NEW, 0o600, dir_fd=folder), "wb") as file:
                yield file
                file.flush()
                os.fchmod(file.fileno(), mode)
            os.rename(new, last, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _unlink(new, folder)
            raise


def make_link(root: Path, name: str, target: str) -> None:
    """Atomically replace *name* below *root* by a link to *target*."""
    root.mkdir(parents=True, exist_ok=True)
    with _parent(root, name, makes=True) as (folder, last):
        new = f".pipegen-{secrets.token_hex(8)}"
        os.symlink(target, new, dir_fd=folder)
        try:
            os.rename(new, last, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _unlink(new, folder)
            raise


def link_into(store: str, name: str, folder: Path) -> None:
    """Link the file *name* of *store* into *folder*, and remove conflicting files there."""
    parent = folder
    for part in name.split("/")[:-1]:
        parent /= part
        if parent.is_symlink() or not parent.is_dir():
            remove(parent)
            parent.mkdir(parents=True)
    target = folder / name
    if os.path.lexists(target):
        remove(target)
    with _parent(store, name) as (origin, last):
        try:
            os.link(last, target, src_dir_fd=origin, follow_symlinks=False)
        except OSError:
            _copy(store, name, folder)


def leads_out(name: str, link: str) -> bool:
    """Return whether the link *name*, which points to *link*, leads out of the root of *name*."""
    target = normpath(join(dirname(name), link))
    return link.startswith("/") or target == ".." or target.startswith("../")


def _entry(folder: int, name: str) -> FileEntry:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    is_link = stat.S_ISLNK(status.st_mode)
    return FileEntry(status.st_mode, os.readlink(name, dir_fd=folder) if is_link else None)


def _opened(folder: int, name: str) -> FileIO:
    file = os.open(name, _READ, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotAFileError(0, "it is not a regular file", name)
    return FileIO(file)


def _copy(store: str, name: str, folder: Path) -> None:
    """Copy a file to another disk."""
    file_entry = entry(store, name)
    if file_entry.link is not None:
        make_link(folder, name, file_entry.link)
        return
    with open_file(store, name) as source, new_file(folder, name, stat.S_IMODE(file_entry.mode)) as target:
        while piece := source.read(1 << 20):
            target.write(piece)


@contextmanager
def _parent(root: str | Path, name: str, *, makes: bool = False) -> Iterator[tuple[int, str]]:
    """Yield a descriptor of the folder of *name*, created if *makes*, and the last part of the name."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        *above, last = name.split("/")
        for part in above:
            if makes and not _is_there(part, folder):
                os.mkdir(part, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder, last
    finally:
        os.close(folder)


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _unlink(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
