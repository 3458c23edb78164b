"""Files below a folder that stages write to: read and written without following a link or waiting for a pipe.

What runs in a container may put a link, a pipe or a device anywhere in the folders that it is given. Each folder on the
way is opened by its parent's descriptor with O_NOFOLLOW, so that nothing can be put in its place meanwhile.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from posixpath import basename, dirname, join, normpath
from typing import IO

from pipegen.run.files.removal import remove
from pipegen.structs import Struct

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotAFileError(OSError):
    """What is no regular file, and no link, stands where one is looked for."""


class FileEntry(Struct):
    """What stands at a path: its *mode*, type and permissions, and of a link what it points to."""

    mode: int
    link: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.mode)


def entry(root: str | Path, name: str) -> FileEntry:
    """Return what stands at *name* below *root*; raise `OSError` where nothing does, or a link is on the way."""
    with _parent(root, name) as (folder, last):
        about = os.stat(last, dir_fd=folder, follow_symlinks=False)
        is_link = stat.S_ISLNK(about.st_mode)
        return FileEntry(about.st_mode, os.readlink(last, dir_fd=folder) if is_link else None)


def opened(root: str | Path, name: str) -> BufferedReader:
    """Return the regular file *name* below *root*, to be read; raise `OSError` where there is none."""
    with _parent(root, name) as (folder, last):
        file = os.open(last, _READ, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotAFileError(0, "it is no regular file", name)
    return os.fdopen(file, "rb")


def read(root: str | Path, name: str) -> bytes | None:
    """Return what the file *name* below *root* holds, None where nothing stands there."""
    try:
        with opened(root, name) as file:
            return file.read()
    except FileNotFoundError:
        return None


@contextmanager
def written(root: Path, name: str, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Open a new file that becomes *name* below *root* in one step, in place of any file or link there."""
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


def linked(root: Path, name: str, target: str) -> None:
    """Make *name* below *root* a link to *target*, in place of any file or link there."""
    root.mkdir(parents=True, exist_ok=True)
    with _parent(root, name, makes=True) as (folder, last):
        new = f".pipegen-{secrets.token_hex(8)}"
        os.symlink(target, new, dir_fd=folder)
        try:
            os.rename(new, last, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _unlink(new, folder)
            raise


def shown(store: str, name: str, folder: Path) -> None:
    """Put the file *name* of *store* into *folder* too; whatever stands in its way there goes."""
    place = folder
    for part in name.split("/")[:-1]:
        place /= part
        if place.is_symlink() or not place.is_dir():
            remove(place)
            place.mkdir(parents=True)
    target = folder / name
    if os.path.lexists(target):
        remove(target)
    with _parent(store, name) as (origin, last):
        try:
            os.link(last, target, src_dir_fd=origin, follow_symlinks=False)
        except OSError:
            _copied(store, name, folder)


def leads_out(name: str, link: str) -> bool:
    """Return whether the link *name*, which points to *link*, leads out of the folder that *name* is relative to."""
    place = normpath(join(dirname(name), link))
    return link.startswith("/") or place == ".." or place.startswith("../")


def _copied(store: str, name: str, folder: Path) -> None:
    """Copy a file to another disk."""
    about = entry(store, name)
    if about.link is not None:
        linked(folder, name, about.link)
        return
    with opened(store, name) as source, written(folder, name, stat.S_IMODE(about.mode)) as target:
        while piece := source.read(1 << 20):
            target.write(piece)


@contextmanager
def _parent(root: str | Path, name: str, *, makes: bool = False) -> Iterator[tuple[int, str]]:
    """Open the folder of *name*, which may be made, and yield its descriptor and the last part of the name."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in dirname(name).split("/") if dirname(name) else ():
            if makes and not _is_there(part, folder):
                os.mkdir(part, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder, basename(name)
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
