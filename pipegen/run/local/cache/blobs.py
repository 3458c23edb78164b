"""Contents by their digests, in files: written whole or not at all, and checked when they are read."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pipegen.run.files import no_follow
from pipegen.run.files.removal import make_folder, remove
from pipegen.structs import Struct

_PIECE = 1 << 20
_DIGEST = re.compile("[0-9a-f]{64}")


class DamagedError(Exception):
    """A content that is gone, or is not what its digest says."""


class Added(Struct):
    """A content that has been copied and waits at *path*; *size* is in bytes."""

    digest: str
    size: int
    path: Path


class Blobs:
    """A folder of contents."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting = folder / "new"
        self.prepare()

    def prepare(self) -> None:
        """Make the folder, and what is in the way of it go."""
        for place in (self._folder, self._waiting):
            make_folder(place)

    def add(self, source: IO[bytes]) -> Added:
        """Return a copy of what *source* holds, to `keep` or to `forget`."""
        with _written(self._waiting) as (made, path):
            digest, size = _copied(source, made)
        return Added(digest, size, path)

    def keep(self, added: Added) -> None:
        """Put *added* where it is found by its digest, in one step."""
        place = self._path(added.digest)
        make_folder(place.parent)
        if place.is_dir():
            remove(place)
        added.path.replace(place)

    def forget(self, added: Added) -> None:
        """Remove *added* where it has not been kept."""
        added.path.unlink(missing_ok=True)

    def read(self, digest: str) -> bytes:
        """Return a content; raise `DamagedError` where it is not there as it was."""
        try:
            content = self._path(digest).read_bytes()
        except OSError as error:
            raise DamagedError(digest) from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise DamagedError(digest)
        return content

    def is_whole(self, digest: str) -> bool:
        """Return whether a content is there as it was."""
        try:
            with self._path(digest).open("rb") as source:
                return hashlib.file_digest(source, "sha256").hexdigest() == digest
        except OSError:
            return False

    def write(self, digest: str, root: Path, name: str, mode: int) -> None:
        """Write a content to *name* below *root*, in one step; raise `DamagedError` where it is not there as it was."""
        try:
            source = self._path(digest).open("rb")
        except OSError as error:
            raise DamagedError(digest) from error
        with source, no_follow.written(root, name, mode) as target:
            if _copied(source, target)[0] != digest:
                raise DamagedError(digest)

    def remove(self, digest: str) -> None:
        """Remove a content; nothing where it is gone."""
        remove(self._path(digest))

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest


def is_digest(name: object) -> bool:
    """Return whether *name* is one that a content can have."""
    return isinstance(name, str) and _DIGEST.fullmatch(name) is not None


@contextmanager
def _written(folder: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """Open a new file in *folder*, which is removed where writing it fails."""
    handle, name = tempfile.mkstemp(dir=folder)
    path = Path(name)
    try:
        # Where the disk is full, to close it may be what fails.
        with os.fdopen(handle, "wb") as made:
            yield made, path
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _copied(source: IO[bytes], target: IO[bytes]) -> tuple[str, int]:
    """Copy *source*; return the digest and the size of what it holds."""
    digest, size = hashlib.sha256(), 0
    while piece := source.read(_PIECE):
        digest.update(piece)
        size += len(piece)
        target.write(piece)
    return digest.hexdigest(), size
