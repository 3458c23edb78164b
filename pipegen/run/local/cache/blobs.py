"""Contents by digest, verified when they are read: small ones in the database, others in files next to it."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import IO

from pipegen.run.files import no_follow
from pipegen.run.files.removal import make_folder, remove
from pipegen.run.local.cache.index import Index
from pipegen.structs import Struct

# The triggers count the total size, because a sum over all rows for each stored result takes too long.
TABLES = """
CREATE TABLE IF NOT EXISTS blob (digest TEXT PRIMARY KEY, size INTEGER NOT NULL, content BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS total (only_row INTEGER PRIMARY KEY, size INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS blob_added AFTER INSERT ON blob BEGIN UPDATE total SET size = size + new.size; END;
CREATE TRIGGER IF NOT EXISTS blob_removed AFTER DELETE ON blob BEGIN UPDATE total SET size = size - old.size; END;
REPLACE INTO total SELECT 1, coalesce(sum(size), 0) FROM blob;
"""
# A file takes longer than a row. Rows of up to 1,002 bytes need no additional page (sqlite.org/fileformat2.html).
_LARGEST_ROW = 900
_PIECE = 1 << 20
_DIGEST = re.compile("[0-9a-f]{64}")


class DamagedError(Exception):
    """A content is missing, or does not match its digest."""


class Added(Struct):
    """A copied *content*, or its temporary path; *size* is in bytes."""

    digest: str
    size: int
    content: bytes | Path


class Blobs:
    """The contents in *index* and *folder*; callers lock the index to keep and remove contents."""

    def __init__(self, index: Index, folder: Path) -> None:
        self._index, self._folder = index, folder
        self._waiting = folder / "new"
        self.prepare()

    def prepare(self) -> None:
        """Create the folders, and remove anything in their place."""
        for path in (self._folder, self._waiting):
            make_folder(path)

    def add(self, source: IO[bytes]) -> Added:
        """Copy *source*; the caller must `keep` or `forget` the copy."""
        start = source.read(_LARGEST_ROW + 1)
        if len(start) <= _LARGEST_ROW:
            return Added(hashlib.sha256(start).hexdigest(), len(start), start)
        with _new_file(self._waiting) as (file, path):
            digest, size = _copy(source, file, start)
        return Added(digest, size, path)

    def keep(self, added: Added) -> None:
        """Add *added* to the contents; it replaces an earlier copy, which may be damaged."""
        content = added.content if isinstance(added.content, bytes) else None
        self._index.change(
            "INSERT INTO blob VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET content = excluded.content",
            [(added.digest, added.size, content)],
        )
        if isinstance(added.content, Path):
            path = self._path(added.digest)
            make_folder(path.parent)
            if path.is_dir():
                remove(path)
            added.content.replace(path)

    def forget(self, added: Added) -> None:
        """Remove the file of *added* if it was not kept."""
        if isinstance(added.content, Path):
            added.content.unlink(missing_ok=True)

    def read(self, digest: str) -> bytes:
        """Return a content; raise `DamagedError` if it is missing or damaged."""
        try:
            with self._open(digest) as source:
                content = source.read()
        except OSError as error:
            raise DamagedError(digest) from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise DamagedError(digest)
        return content

    def is_whole(self, digest: str) -> bool:
        """Return whether a content exists and matches its digest."""
        try:
            with self._open(digest) as source:
                return hashlib.file_digest(source, "sha256").hexdigest() == digest
        except (OSError, DamagedError):
            return False

    def write(self, digest: str, root: Path, name: str, mode: int) -> None:
        """Write a content atomically to *name* below *root*; raise `DamagedError` if it is missing or damaged."""
        with self._open(digest) as source, no_follow.new_file(root, name, mode) as target:
            if _copy(source, target)[0] != digest:
                raise DamagedError(digest)

    def remove(self, digest: str) -> None:
        """Remove a content, if it exists."""
        self._index.change("DELETE FROM blob WHERE digest = ?", [(digest,)])
        remove(self._path(digest))

    def size(self) -> int:
        """Return the size of all contents in bytes."""
        return int(self._index.rows("SELECT CAST(size AS INTEGER) FROM total")[0][0])

    def _open(self, digest: str) -> BytesIO | BufferedReader:
        for (content,) in self._index.rows("SELECT CAST(content AS BLOB) FROM blob WHERE digest = ?", (digest,)):
            if content is not None:
                return BytesIO(content)
        try:
            return self._path(digest).open("rb")
        except OSError as error:
            raise DamagedError(digest) from error

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


def _copy(source: IO[bytes], target: IO[bytes], start: bytes = b"") -> tuple[str, int]:
    """Copy *start* and the rest of *source*; return the digest and size of the content."""
    digest, size = hashlib.sha256(), 0
    piece = start or source.read(_PIECE)
    while piece:
        digest.update(piece)
        size += len(piece)
        target.write(piece)
        piece = source.read(_PIECE)
    return digest.hexdigest(), size
