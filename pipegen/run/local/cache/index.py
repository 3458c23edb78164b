"""The SQLite database of a store, created if missing and dropped if damaged."""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipegen.run.files.private import make_private, open_private
from pipegen.run.files.removal import remove

# Seconds to wait for a lock of another process.
_WAIT = 60.0
# Errors caused by the machine or by another process: https://www.sqlite.org/rescode.html
_EXTERNAL = frozenset(
    {
        *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_ABORT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
        *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_AUTH),
    }
)
# Of these, errors that a damaged file also causes: it is truncated, its header forbids writing, or another process
# dropped it.
_DAMAGE = frozenset({sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_READONLY_DBMOVED})
_FILES = ("index.sqlite", "index.sqlite-wal", "index.sqlite-shm")


class DamagedIndexError(Exception):
    """The database is damaged."""


class Index:
    """The database in *folder*, with *tables* as SQL statements that create missing tables.

    *warn* is called if the database is damaged and dropped.
    """

    def __init__(self, folder: Path, tables: Sequence[str], warn: Callable[[str], None] = lambda _: None) -> None:
        self._folder, self._tables, self._warn = folder, tables, warn
        self._identity: tuple[int, int] | None = None
        try:
            self._open()
        except DamagedIndexError as error:
            self.renew(error)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of *query*."""
        with _damage_detected():
            return self._database.execute(query, values).fetchall()

    def change(self, statement: str, rows: Iterable[Sequence[object]] = ((),)) -> None:
        """Execute *statement* with each of *rows*."""
        with _damage_detected():
            self._database.executemany(statement, rows)

    def add(self, statement: str, values: Sequence[object]) -> int:
        """Add a row by *statement*, and return its number."""
        with _damage_detected():
            return self._database.execute(statement, values).lastrowid or 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the database for a transaction."""
        with _damage_detected():
            self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # On a full disk, SQLite may have rolled back already.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        with _damage_detected():
            self._database.execute("COMMIT")

    def renew(self, error: DamagedIndexError) -> None:
        """Drop the folder, unless another process has done so, and create it again."""
        self._warn(f"the results of earlier runs are damaged ({error}): they are dropped, and computed again")
        self._database.close()
        _drop(self._folder, self._identity)
        self._open()

    def _open(self) -> None:
        path = self._folder / _FILES[0]
        if _is_blocked(self._folder):
            self._warn(f"{self._folder} is not a database: it is dropped, and created again")
            _drop(self._folder, _identity(path))
        for folder in (self._folder.parent, self._folder):
            make_private(folder)
        # SQLite creates its other files with the permissions of this one (os_unix.c, findCreateFileMode).
        with open_private(path):
            pass
        self._database = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
        self._identity = _identity(path)
        with _damage_detected():
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            for table in self._tables:
                self._database.executescript(table)
            statements = {
                sql for (sql,) in self._database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
            }
        if statements != set(_statements(self._tables)):
            # With another column name or type, inserted rows would not be found.
            raise DamagedIndexError("its tables have changed")


def _statements(tables: Iterable[str]) -> Iterator[str]:
    """Yield the statements of *tables* as SQLite stores them."""
    for statement in ";".join(tables).split(";"):
        if statement.strip():
            yield statement.strip().replace("IF NOT EXISTS ", "")


@contextmanager
def _damage_detected() -> Iterator[None]:
    """Raise `DamagedIndexError` for errors of a damaged file, and other errors as they are."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except (sqlite3.Error, OverflowError, ValueError) as error:
        # Decoding errors have no code.
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code not in _DAMAGE and code & 0xFF in _EXTERNAL:
            raise
        raise DamagedIndexError(str(error)) from error


def _is_blocked(folder: Path) -> bool:
    """Return whether something other than a readable and writable file is in the place of the database."""
    if not folder.is_dir():
        return os.path.lexists(folder)
    existing = [path for path in (folder / name for name in _FILES) if os.path.lexists(path)]
    return not all(path.is_file() and not path.is_symlink() and os.access(path, os.R_OK | os.W_OK) for path in existing)


def _drop(folder: Path, identity: tuple[int, int] | None) -> None:
    """Remove *folder* if its database still has *identity*, so that two processes drop it only once."""
    with open_private(folder.parent / f"{folder.name}.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _identity(folder / _FILES[0]) == identity:
            renamed = folder.with_name(f"{folder.name}.{secrets.token_hex(8)}.old")
            folder.rename(renamed)
        # Also remove folders of processes that were killed here.
        for old in folder.parent.glob(f"{folder.name}.*.old"):
            remove(old)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
