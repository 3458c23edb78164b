"""Results of earlier runs on disk: found by keys, limited in size, and safe for concurrent processes.

Keys, records and small contents are in an SQLite database, other contents in files next to it. Contents are added and
removed while the database is locked for writing, so that no process removes a content that another one needs. A killed
process leaves a rolled-back transaction, and perhaps an unused file.
Contents have digests and records have checksums, so that damaged data is never used. A damaged content invalidates its
result; a damaged database is dropped with all results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from typing import IO

from pipegen.run.files import no_follow
from pipegen.run.files.kept_file import KeptFile, is_there
from pipegen.run.local.cache import blobs, keys
from pipegen.run.local.cache.blobs import Added, Blobs, DamagedError, is_digest
from pipegen.run.local.cache.index import DamagedIndexError, Index
from pipegen.run.local.cache.lookup import Lookup
from pipegen.run.local.cache.record import CacheRecord
from pipegen.structs import Struct

# Incremented when the meaning of stored data or digests changes.
FORMAT = 5

_TABLES = """
CREATE TABLE IF NOT EXISTS record (
    key INTEGER PRIMARY KEY,
    data TEXT NOT NULL,
    used REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS use (
    digest TEXT NOT NULL,
    key INTEGER NOT NULL,
    PRIMARY KEY (digest, key)
) WITHOUT ROWID;
"""


class StoredRecord(Struct):
    """A stored record and its key."""

    key: int
    record: CacheRecord


class Store:
    """A folder of results with at most *limit* bytes of contents; *now* returns the time of use.

    A damaged database is dropped, and *warn* is called.
    """

    def __init__(
        self,
        folder: Path,
        limit: int,
        now: Callable[[], float] = time.time,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        path = folder / f"v{FORMAT}"
        self._index = Index(path, (keys.TABLES, blobs.TABLES, _TABLES), warn)
        self._blobs = Blobs(self._index, path / "contents")
        self._limit, self._now = limit, now
        self.keys = keys.Keys(self._index)

    def close(self) -> None:
        """Close the database."""
        self._index.close()

    def renew(self, error: DamagedIndexError) -> None:
        """Drop all stored results, which are damaged; raise `OSError` if that fails."""
        self._index.renew(error)
        self._blobs.prepare()

    def find(self, keys: Iterable[int]) -> StoredRecord | None:
        """Return the record of the first of *keys* that has one, None if none has."""
        records = ((key, self._record(key)) for key in sorted(keys))
        return next((StoredRecord(key, record) for key, record in records if record is not None), None)

    def save(
        self,
        key: Callable[[], int],
        outputs: Iterable[tuple[str, bytes]],
        files: Iterable[tuple[KeptFile, Callable[[], IO[bytes]]]],
    ) -> StoredRecord:
        """Store a result: *outputs* by name, and *files* with functions that open them.

        *key* returns its key while the database is locked. An earlier result of that key is removed.
        """
        added: list[Added] = []
        try:
            kept_outputs = [(name, self._add_blob(BytesIO(value), added)) for name, value in outputs]
            kept_files = [self._add_file(file, opened, added) for file, opened in files]
            record = CacheRecord(tuple(kept_outputs), tuple(sorted(kept_files, key=lambda file: file.path)))
            with self._index.writing():
                stored_record = StoredRecord(key(), record)
                self._remove(stored_record.key)
                self._insert(stored_record, added)
                self._trim()
            return stored_record
        finally:
            for blob in added:
                self._blobs.forget(blob)

    def link(self, lookup: Lookup, stored_record: StoredRecord) -> None:
        """Link all known keys and contents of the inputs of *lookup* to a result."""
        with self._index.writing():
            lookup.link(stored_record.key)

    def value(self, digest: str) -> bytes:
        """Return the value of an output; raise `DamagedError` if it is missing or damaged."""
        return self._blobs.read(digest)

    def is_whole(self, stored_record: StoredRecord) -> bool:
        """Return whether all contents of a result are intact."""
        return all(map(self._blobs.is_whole, stored_record.record.digests()))

    def restore(self, stored_record: StoredRecord, folder: Path) -> None:
        """Write missing files of a result to *folder*; raise `DamagedError` if one is missing or damaged."""
        for file in stored_record.record.files:
            if is_there(folder, file):
                continue
            if file.link is None:
                self._blobs.write(file.digest, folder, file.path, file.mode)
            else:
                no_follow.make_link(folder, file.path, file.link)

    def touch(self, used: Iterable[int]) -> None:
        """Mark the records with the keys *used* as recently used."""
        now = self._now()
        with self._index.writing():
            self._index.change("UPDATE record SET used = ? WHERE key = ?", [(now, key) for key in used])

    def drop(self, stored_record: StoredRecord) -> None:
        """Remove a result."""
        with self._index.writing():
            self._remove(stored_record.key)

    def size(self) -> int:
        """Return the size of the contents in bytes."""
        return self._blobs.size()

    def _add_blob(self, source: IO[bytes], added: list[Added]) -> str:
        blob = self._blobs.add(source)
        added.append(blob)
        return blob.digest

    def _add_file(self, file: KeptFile, opened: Callable[[], IO[bytes]], added: list[Added]) -> KeptFile:
        if file.link is not None:
            return file
        with opened() as source:
            return KeptFile(file.path, file.mode, self._add_blob(source, added))

    def _insert(self, stored_record: StoredRecord, added: Iterable[Added]) -> None:
        for blob in {blob.digest: blob for blob in added}.values():
            self._blobs.keep(blob)
        self._index.change(
            "INSERT INTO record VALUES (?, ?, ?)", [(stored_record.key, stored_record.record.dumped(), self._now())]
        )
        self._index.change(
            "INSERT OR IGNORE INTO use VALUES (?, ?)",
            [(digest, stored_record.key) for digest in stored_record.record.digests()],
        )

    def _trim(self) -> None:
        """Remove the least recently used results until the rest fits."""
        if self.size() <= self._limit:
            return
        for (oldest,) in self._index.rows("SELECT key FROM record ORDER BY used"):
            self._remove(oldest)
            if self.size() <= self._limit:
                break
        self.keys.remove_unused(row[0] for row in self._index.rows("SELECT key FROM record"))

    def _remove(self, key: int) -> None:
        record = self._record(key)
        if record is None:
            return
        digests = record.digests()
        if not all(map(is_digest, digests)):
            raise DamagedIndexError("the name of a content is not a digest")
        self._index.change("DELETE FROM record WHERE key = ?", [(key,)])
        self._index.change("DELETE FROM use WHERE digest = ? AND key = ?", [(digest, key) for digest in digests])
        for digest in digests:
            if not self._index.rows("SELECT 1 FROM use WHERE digest = ?", (digest,)):
                self._blobs.remove(digest)

    def _record(self, key: int) -> CacheRecord | None:
        for (data,) in self._index.rows("SELECT data FROM record WHERE key = ?", (key,)):
            try:
                return CacheRecord.loaded(str(data))
            except ValueError as error:
                raise DamagedIndexError(f"a result is invalid: {error}") from error
        return None


__all__ = ["FORMAT", "DamagedError", "Store", "StoredRecord"]
