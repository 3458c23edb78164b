"""Contents by digest, in files that are written atomically and verified when they are read."""

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
    """A content is missing, or does not match its digest."""


class Added(Struct):
    """A copied content at a temporary *path*; *size* is in bytes."""

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
        """Create the folders, and remove anything in their place."""
        for path in (self._folder, self._waiting):
            make_folder(path)

    def add(self, source: IO[bytes]) -> Added:
        """Copy *source*; the caller must `keep` or `forget` the copy."""
        with _new_file(self._waiting) as (file, path):
            digest, size = _copy(source, file)
        return Added(digest, size, path)

    def keep(self, added: Added) -> None:
        """Atomically move *added* to the path of its digest."""
        path = self._path(added.digest)
        make_folder(path.parent)
        if path.is_dir():
            remove(path)
        added.path.replace(path)

    def forget(self, added: Added) -> None:
        """Remove *added* if it was not kept."""
        added.path.unlink(missing_ok=True)

    def read(self, digest: str) -> bytes:
        """Return a content; raise `DamagedError` if it is missing or damaged."""
        try:
            content = self._path(digest).read_bytes()
        except OSError as error:
            raise DamagedError(digest) from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise DamagedError(digest)
        return content

    def is_whole(self, digest: str) -> bool:
        """Return whether a content exists and matches its digest."""
        try:
            with self._path(digest).open("rb") as source:
                return hashlib.file_digest(source, "sha256").hexdigest() == digest
        except OSError:
            return False

    def write(self, digest: str, root: Path, name: str, mode: int) -> None:
        """Write a content atomically to *name* below *root*; raise `DamagedError` if it is missing or damaged."""
        try:
            source = self._path(digest).open("rb")
        except OSError as error:
            raise DamagedError(digest) from error
        with source, no_follow.new_file(root, name, mode) as target:
            if _copy(source, target)[0] != digest:
                raise DamagedError(digest)

    def remove(self, digest: str) -> None:
        """Remove a content, if it exists."""
        remove(self._path(digest))

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest


def is_digest(name: object) -> bool:
    """Return whether *name* has the form of a digest."""
    return isinstance(name, str) and _DIGEST.fullmatch(name) is not None


@contextmanager
def _new_file(folder: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """Open a new file in *folder*, and remove it if writing fails."""
    handle, name = tempfile.mkstemp(dir=folder)
    path = Path(name)
    try:
        # On a full disk, closing may fail.
        with os.fdopen(handle, "wb") as file:
            yield file, path
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _copy(source: IO[bytes], target: IO[bytes]) -> tuple[str, int]:
    """Copy *source*; return the digest and size of its content."""
    digest, size = hashlib.sha256(), 0
    while piece := source.read(_PIECE):
        digest.update(piece)
        size += len(piece)
        target.write(piece)
    return digest.hexdigest(), size
