"""Files that a path may lead to: links in a repository lead to nothing outside of it, and not into `.git`.

The path that the user names may lie anywhere. What stands in a repository was chosen by whoever wrote that: its links
are followed as far as they stay within. Folders are opened one by one, by descriptors, so that a link which takes the
place of a folder meanwhile is not followed either.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

# Folders whose files are named from the folder above, where no `.git` tells what belongs together.
_INNER = (".pipeline", ".gitlab-ci")
_GIT = ".git"
# To open what is in a folder takes no permission to list it.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# As Linux: path_resolution(7).
_MOST_LINKS = 40
# What the process has open, by names that are links to no path.
_DESCRIPTOR = re.compile(r"/dev/(?:stdin|stdout|stderr|fd/\d+)|/proc/self/fd/\d+")


class OutsideError(OSError):
    """A path that leads out of its repository; the text says where to."""

    def __init__(self, path: Path, destination: str) -> None:
        super().__init__(errno.EXDEV, f"leads {destination}", str(path))
        self.destination = destination

    def __str__(self) -> str:
        """Return the path and where it leads to."""
        return f'"{self.filename}" leads {self.destination}'


@contextmanager
def folder_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the folder that the file at *path* stands in, opened, and the file's name there, which may be a link's."""
    with _told_of(path), _Walk(path) as walk:
        name = walk.to_file(follows=False)
        yield walk.folder, name


def opened(path: Path, *, within: Path | None = None) -> int:
    """Return the file at *path*, opened to be read: a pipe that nobody writes to does not block.

    A path that a file names is *within* a folder; without one, the user named the folder of the file.
    """
    if is_descriptor(path):
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with _told_of(path), _Walk(path, within) as walk:
        return os.open(walk.to_file(follows=True), os.O_RDONLY | _FILE, dir_fd=walk.folder)


def content(path: Path, most: int, *, within: Path | None = None) -> bytes | None:
    """Return the first *most* bytes of the file at *path*; None where no regular file is, or links lead outside."""
    try:
        handle = opened(path, within=within)
    except PermissionError:
        raise
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(most)
    finally:
        os.close(handle)


def is_descriptor(path: Path) -> bool:
    """Return whether *path* is the name of something that the process has open."""
    return _DESCRIPTOR.fullmatch(path.as_posix()) is not None


class _Walk:
    """The open folders on the way to a file, and what is left of the way.

    The floor is the number of the folder below which all must stay: the innermost repository that is reached without
    a link in the outermost one. Above that is only what the user named.
    """

    def __init__(self, path: Path, within: Path | None = None) -> None:
        place = Path(os.path.normpath(path.absolute()))
        root, self._has_git = _root(place, within)
        self._path = path
        self._rest = deque(place.relative_to(root).parts)
        self._links = 0
        self._floor = 0
        self._names = list(Path(os.path.realpath(root)).parts)
        self._depth = len(self._names)
        self._folders = [os.open(root, _FOLDER & ~os.O_NOFOLLOW)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for folder in self._folders:
            os.close(folder)

    @property
    def folder(self) -> int:
        """The folder that has been reached."""
        return self._folders[-1]

    def to_file(self, *, follows: bool) -> str:
        """Go to the folder of the file, and return the file's name there; what is a link there is one to follow."""
        while self._rest:
            name = self._rest.popleft()
            if name == "..":
                self._leave()
            elif name.casefold() == _GIT:
                raise OutsideError(self._path, 'into ".git"')
            elif self._rest:
                self._enter(name)
            elif not follows or (target := _target(name, self.folder)) is None:
                return name
            else:
                self._follow(target)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))

    def _enter(self, name: str) -> None:
        try:
            self._folders.append(os.open(name, _FOLDER, dir_fd=self.folder))
        except OSError as error:
            # Systems differ in what they call this.
            target = _target(name, self.folder) if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK) else None
            if target is None:
                raise
            self._follow(target)
            return
        self._names.append(name)
        if self._has_git and not self._links and _exists(_GIT, self.folder):
            self._floor = len(self._folders) - 1

    def _leave(self) -> None:
        if len(self._folders) - 1 <= self._floor:
            self._refuse()
        os.close(self._folders.pop())
        self._names.pop()

    def _follow(self, target: str) -> None:
        self._links += 1
        if self._links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        parts = Path(target).parts
        if target.startswith("/"):
            floor = self._names[: self._depth + self._floor]
            if list(parts[: len(floor)]) != floor:
                self._refuse()
            parts = parts[len(floor) :]
            while len(self._folders) - 1 > self._floor:
                self._leave()
        self._rest.extendleft(reversed(parts))

    def _refuse(self) -> None:
        raise OutsideError(self._path, "out of the repository" if self._has_git else "out of its folder")


def _root(place: Path, within: Path | None) -> tuple[Path, bool]:
    """Return the outermost repository above *place*, else the folder that was named; whether it is a repository."""
    above = tuple(place.parents) or (place,)
    root = next((folder for folder in reversed(above) if os.path.lexists(f"{folder}/{_GIT}")), None)
    if root is not None:
        return root, True
    if within is not None:
        return within, False
    return (above[1] if place.parent.name in _INNER else above[0]), False


def _target(name: str, folder: int) -> str | None:
    """Return where the link *name* in *folder* leads to; None where that is none."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return None


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Let what fails tell of *path*, and not of a part of it."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise
