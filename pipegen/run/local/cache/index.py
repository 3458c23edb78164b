"""The database of a store: in its folder, made where it is missing, and told apart where it is damaged."""

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

# How long one waits for another process that writes, in seconds.
_WAIT = 60.0
# What the machine, or another process, is to blame for: https://www.sqlite.org/rescode.html
_WORLD = frozenset(
    {
        *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_ABORT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
        *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_AUTH),
    }
)
# Of that, what a damaged file is to blame for, too: it is cut, or its header says that nobody may write; or another
# process has dropped it.
_DAMAGE = frozenset({sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_READONLY_DBMOVED})
_FILES = ("index.sqlite", "index.sqlite-wal", "index.sqlite-shm")


class DamagedIndexError(Exception):
    """A database that is not what was written."""


class Index:
    """The database in *folder*, with the *tables* that SQL makes where they are missing.

    *complain* is told where all is damaged, and dropped.
    """

    def __init__(self, folder: Path, tables: Sequence[str], complain: Callable[[str], None] = lambda _: None) -> None:
        self._folder, self._tables, self._complain = folder, tables, complain
        self._identity: tuple[int, int] | None = None
        try:
            self._open()
        except DamagedIndexError as error:
            self.renew(error)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def rows(self, question: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return what answers *question*."""
        with _judged():
            return self._database.execute(question, values).fetchall()

    def change(self, statement: str, rows: Iterable[Sequence[object]] = ((),)) -> None:
        """Do *statement* with each of *rows*."""
        with _judged():
            self._database.executemany(statement, rows)

    def add(self, statement: str, values: Sequence[object]) -> int:
        """Add a row by *statement*, and return its number."""
        with _judged():
            return self._database.execute(statement, values).lastrowid or 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the database; what is changed meanwhile is changed as a whole, or not at all."""
        with _judged():
            self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # Where the disk is full, SQLite may have taken all back by itself.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        with _judged():
            self._database.execute("COMMIT")

    def renew(self, why: DamagedIndexError) -> None:
        """Drop the folder, unless another process has done so, and begin anew."""
        self._complain(f"the results of earlier runs are damaged ({why}): they are dropped, and made anew")
        self._database.close()
        _drop(self._folder, self._identity)
        self._open()

    def _open(self) -> None:
        place = self._folder / _FILES[0]
        if _is_blocked(self._folder):
            self._complain(f"{self._folder} holds what is no database: it is dropped, and made anew")
            _drop(self._folder, _identity(place))
        for folder in (self._folder.parent, self._folder):
            make_private(folder)
        # SQLite gives the files beside it the rights of this one (os_unix.c, findCreateFileMode).
        with open_private(place):
            pass
        self._database = sqlite3.connect(place, timeout=_WAIT, isolation_level=None)
        self._identity = _identity(place)
        with _judged():
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            for table in self._tables:
                self._database.executescript(table)
            found = {sql for (sql,) in self._database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if found != set(_statements(self._tables)):
            # A column with another name or type takes rows, and does not find them again.
            raise DamagedIndexError("its tables are not what was made")


def _statements(tables: Iterable[str]) -> Iterator[str]:
    """Yield what makes each of the *tables*, as SQLite keeps it."""
    for one in ";".join(tables).split(";"):
        if one.strip():
            yield one.strip().replace("IF NOT EXISTS ", "")


@contextmanager
def _judged() -> Iterator[None]:
    """Tell damage from what the world does."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except (sqlite3.Error, OverflowError, ValueError) as error:
        # What cannot even be decoded has no code.
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code not in _DAMAGE and code & 0xFF in _WORLD:
            raise
        raise DamagedIndexError(str(error)) from error


def _is_blocked(folder: Path) -> bool:
    """Return whether something stands in the way of a database, such as a folder, or a file that is nobody's."""
    if not folder.is_dir():
        return os.path.lexists(folder)
    there = [path for path in (folder / name for name in _FILES) if os.path.lexists(path)]
    return not all(path.is_file() and not path.is_symlink() and os.access(path, os.R_OK | os.W_OK) for path in there)


def _drop(folder: Path, seen: tuple[int, int] | None) -> None:
    """Remove *folder* if it still holds the database that was *seen* there: two who find it damaged drop it once."""
    with open_private(folder.parent / f"{folder.name}.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _identity(folder / _FILES[0]) == seen:
            gone = folder.with_name(f"{folder.name}.{secrets.token_hex(8)}.old")
            folder.rename(gone)
        # What is left of one who was killed here goes, too.
        for old in folder.parent.glob(f"{folder.name}.*.old"):
            remove(old)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
