"""Results of earlier runs on disk: found by keys, bounded in size, safe for several processes at once.

The keys and records stand in an SQLite database, the contents in files beside it. Whatever is written or removed for
good happens while the database is locked for writing, so nobody removes a content that another one has just counted on.
A process that dies leaves a transaction that never was, and perhaps a file that nobody looks for.
Rows bear seals, contents are known by their digests: what is damaged is never taken. A content that is damaged costs
its result, a row or the database that is damaged costs them all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from typing import IO

from pipegen.run.checksum import checksum
from pipegen.run.files import no_follow
from pipegen.run.files.kept_file import KeptFile, is_there
from pipegen.run.local.cache.blobs import Added, Blobs, DamagedError, is_digest
from pipegen.run.local.cache.index import DamagedIndexError, Index
from pipegen.run.local.cache.keys import TABLES, Keys
from pipegen.run.local.cache.lookup import Lookup
from pipegen.run.local.cache.record import CacheRecord
from pipegen.structs import Struct

# Grows when what is stored, or what a digest is made of, comes to mean something else.
FORMAT = 2

_TABLES = """
CREATE TABLE IF NOT EXISTS record (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,
    data TEXT NOT NULL,
    seal TEXT NOT NULL,
    used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS record_key ON record (key);
CREATE TABLE IF NOT EXISTS blob (digest TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS use (
    digest TEXT NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (digest, record)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS use_record ON use (record);
"""


class StoredRecord(Struct):
    """A record that is there, by its number and its key."""

    id: int
    key: int
    record: CacheRecord


class Store:
    """A folder of results, of at most *limit* bytes of contents; *now* is the time that orders them by use.

    What can be none at all is dropped, and *complain* is told.
    """

    def __init__(
        self,
        folder: Path,
        limit: int,
        now: Callable[[], float] = time.time,
        complain: Callable[[str], None] = lambda _: None,
    ) -> None:
        place = folder / f"v{FORMAT}"
        self._index = Index(place, (TABLES, _TABLES), complain)
        self._blobs = Blobs(place / "contents")
        self._limit, self._now = limit, now
        self.keys = Keys(self._index)

    def close(self) -> None:
        """Close the database."""
        self._index.close()

    def renew(self, why: DamagedIndexError) -> None:
        """Drop all that is kept, which is damaged, and begin anew; raise `OSError` where that cannot be done."""
        self._index.renew(why)
        self._blobs.prepare()

    def find(self, keys: Iterable[int]) -> StoredRecord | None:
        """Return the record of the first of *keys* that has one, None where none has."""
        for key in sorted(keys):
            for number, data, told in self._index.rows("SELECT id, data, seal FROM record WHERE key = ?", (key,)):
                if told != checksum(key, data):
                    raise DamagedIndexError("a result is not what was written")
                return StoredRecord(number, key, _loaded(data))
        return None

    def save(
        self,
        key: Callable[[], int],
        outputs: Iterable[tuple[str, bytes]],
        files: Iterable[tuple[KeptFile, Callable[[], IO[bytes]]]],
    ) -> StoredRecord:
        """Keep a result: *outputs* by name, and *files* with what opens them now.

        *key* is called for its key while the database is locked. An earlier result of that key is forgotten.
        """
        added: list[Added] = []
        try:
            kept_outputs = [(name, self._added(BytesIO(value), added)) for name, value in outputs]
            kept_files = [self._kept(file, opened, added) for file, opened in files]
            record = CacheRecord(tuple(kept_outputs), tuple(sorted(kept_files, key=lambda file: file.path)))
            with self._index.writing():
                number = key()
                earlier = self.find([number])
                held = self._insert(number, record, added)
                if earlier is not None:
                    self._remove(earlier.id)
                again = self.find([number])
                if again is None or again.id != held.id:
                    # SQLite trusts the pages of an index: a damaged one loses what is put into it, time and again.
                    raise DamagedIndexError("a result that was kept is not found")
                self._trim()
            return held
        finally:
            for one in added:
                self._blobs.forget(one)

    def link(self, lookup: Lookup, held: StoredRecord) -> None:
        """Let all that is known of the inputs lead to a result that has been found by some of it."""
        with self._index.writing():
            lookup.link(held.key)

    def value(self, digest: str) -> bytes:
        """Return the value of an output; raise `DamagedError` where it is lost."""
        return self._blobs.read(digest)

    def is_whole(self, held: StoredRecord) -> bool:
        """Return whether all contents of a result are there as they were."""
        return all(map(self._blobs.is_whole, held.record.digests()))

    def restore(self, held: StoredRecord, folder: Path) -> None:
        """Write what is not there of the files of a result into *folder*; raise `DamagedError` where one is lost."""
        for file in held.record.files:
            if is_there(folder, file):
                continue
            if file.link is None:
                self._blobs.write(file.digest, folder, file.path, file.mode)
            else:
                no_follow.linked(folder, file.path, file.link)

    def touch(self, used: Iterable[int]) -> None:
        """Note that the records *used*, by their numbers, have been of use: they are the last to go."""
        now = self._now()
        with self._index.writing():
            self._index.change("UPDATE record SET used = ? WHERE id = ?", [(now, one) for one in used])

    def drop(self, held: StoredRecord) -> None:
        """Forget a result, such as one whose content is lost."""
        with self._index.writing():
            self._remove(held.id)

    def size(self) -> int:
        """Return how many bytes the contents take."""
        return int(self._index.rows("SELECT CAST(coalesce(sum(size), 0) AS INTEGER) FROM blob")[0][0])

    def _added(self, source: IO[bytes], added: list[Added]) -> str:
        one = self._blobs.add(source)
        added.append(one)
        return one.digest

    def _kept(self, file: KeptFile, opened: Callable[[], IO[bytes]], added: list[Added]) -> KeptFile:
        if file.link is not None:
            return file
        with opened() as source:
            return KeptFile(file.path, file.mode, self._added(source, added))

    def _insert(self, key: int, record: CacheRecord, added: Iterable[Added]) -> StoredRecord:
        # What was there before may be damaged, so what is new takes its place.
        for one in {one.digest: one for one in added}.values():
            self._blobs.keep(one)
            self._index.change("INSERT OR IGNORE INTO blob VALUES (?, ?)", [(one.digest, one.size)])
        data = record.dumped()
        made = self._index.add(
            "INSERT INTO record (key, data, seal, used) VALUES (?, ?, ?, ?)",
            (key, data, checksum(key, data), self._now()),
        )
        self._index.change("INSERT OR IGNORE INTO use VALUES (?, ?)", [(digest, made) for digest in record.digests()])
        return StoredRecord(made, key, record)

    def _trim(self) -> None:
        """Remove what was used longest ago until the rest fits."""
        if self.size() <= self._limit:
            return
        for (oldest,) in self._index.rows("SELECT id FROM record ORDER BY used, id"):
            self._remove(oldest)
            if self.size() <= self._limit:
                break
        self.keys.remove_unused(row[0] for row in self._index.rows("SELECT DISTINCT key FROM record"))

    def _remove(self, record: int) -> None:
        self._index.change("DELETE FROM record WHERE id = ?", [(record,)])
        digests = [row[0] for row in self._index.rows("SELECT digest FROM use WHERE record = ?", (record,))]
        if not all(is_digest(digest) for digest in digests):
            raise DamagedIndexError("a content has the name of none")
        self._index.change("DELETE FROM use WHERE record = ?", [(record,)])
        for digest in digests:
            if not self._index.rows("SELECT 1 FROM use WHERE digest = ?", (digest,)):
                self._index.change("DELETE FROM blob WHERE digest = ?", [(digest,)])
                self._blobs.remove(digest)


def _loaded(data: str) -> CacheRecord:
    try:
        return CacheRecord.loaded(data)
    except ValueError as error:
        raise DamagedIndexError(f"a result is none: {error}") from error


__all__ = ["FORMAT", "DamagedError", "Store", "StoredRecord"]
