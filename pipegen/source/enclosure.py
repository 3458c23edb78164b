"""Opens files without following links out of their repository or into `.git`.

A path that the user names may be anywhere. The content of a repository is untrusted: links in it are followed only
inside it. Folders are opened one by one by descriptor, so that a folder cannot be replaced by a link in the meantime.
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

# Without a `.git`, files in these folders belong to the folder above.
_INNER = (".pipeline", ".gitlab-ci")
_GIT = ".git"
# Opening files in a folder needs no permission to list it.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# The limit of Linux: path_resolution(7).
_MOST_LINKS = 40
# Names of open descriptors, which are links without a path.
_DESCRIPTOR = r"/dev/(?:stdin|stdout|stderr|fd/\d+)|/proc/self/fd/\d+"


class OutsideError(OSError):
    """A path that leads out of its repository, or into `.git`; *destination* says which."""

    def __init__(self, path: Path, destination: str) -> None:
        super().__init__(errno.EXDEV, f"leads {destination}", str(path))
        self.destination = destination

    def __str__(self) -> str:
        """Return the path and where it leads to."""
        return f'"{self.filename}" leads {self.destination}'


@contextmanager
def folder_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield a descriptor of the folder of the file at *path*, and the file's name there, which may be a link."""
    with _naming(path), _Walk(path) as walk:
        name = walk.to_file(follows=False)
        yield walk.folder, name


def opened(path: Path, *, within: Path | None = None) -> int:
    """Return a descriptor of the file at *path*, opened for reading; a pipe without a writer does not block.

    A path from a config must stay *within* that folder; without it, the user named the path.
    """
    if is_descriptor(path):
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with _naming(path), _Walk(path, within) as walk:
        return os.open(walk.to_file(follows=True), os.O_RDONLY | _FILE, dir_fd=walk.folder)


def content(path: Path, size: int, *, within: Path | None = None) -> bytes | None:
    """Return the first *size* bytes of the file at *path*; None if it is not a regular file, or links lead outside."""
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
            return stream.read(size)
    finally:
        os.close(handle)


def is_descriptor(path: Path) -> bool:
    """Return whether *path* is the name of an open descriptor, such as /dev/stdin."""
    name = path.as_posix()
    return name.startswith(("/dev/", "/proc/")) and re.fullmatch(_DESCRIPTOR, name) is not None


class _Walk:
    """The open folders on the way to a file, and the rest of the path.

    The floor is the index of the folder that the walk must not leave: the innermost repository that is reached without
    a link from the outermost one. Only a path named by the user can be above it.
    """

    def __init__(self, path: Path, within: Path | None = None) -> None:
        absolute_path = Path(os.path.normpath(path.absolute()))
        root, self._has_git = _root(absolute_path, within)
        self._path = path
        self._rest = deque(absolute_path.relative_to(root).parts)
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
        """The descriptor of the current folder."""
        return self._folders[-1]

    def to_file(self, *, follows: bool) -> str:
        """Go to the folder of the file and return the file's name; if it is a link and *follows*, follow the link."""
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
            # The error for a link differs between systems.
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


def _root(path: Path, within: Path | None) -> tuple[Path, bool]:
    """Return the outermost repository above *path*, else the folder of *path*, and whether it is a repository."""
    parents = tuple(path.parents) or (path,)
    root = next((folder for folder in reversed(parents) if os.path.lexists(f"{folder}/{_GIT}")), None)
    if root is not None:
        return root, True
    if within is not None:
        return within, False
    return (parents[1] if path.parent.name in _INNER else parents[0]), False


def _target(name: str, folder: int) -> str | None:
    """Return the target of the link *name* in *folder*; None if it is not a link."""
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
def _naming(path: Path) -> Iterator[None]:
    """Set the file name of errors to *path*, instead of a part of it."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise
