"""The SQLite database of a store, created if missing and dropped if damaged."""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pipegen.run.files.private import make_private, open_private
from pipegen.run.files.removal import remove

# Seconds to wait for a lock of another process.
_WAIT = 60.0
_PAUSE = 0.02
# Errors caused by the machine or by another process: https://www.sqlite.org/rescode.html
_EXTERNAL = frozenset(
    {
        *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL),
    }
)
_ERRORS = (sqlite3.Error, OverflowError, ValueError)
_FILE = "index.sqlite"
_READ_WRITE = stat.S_IRUSR | stat.S_IWUSR
# Pages in the log before they are written to the database: the writer waits for the disk, by default nine times in a
# first run of 1,000 stages. The log takes at most about 40 MB.
_CHECKPOINT = 10_000


class DamagedIndexError(Exception):
    """The database is damaged."""


class UnusableIndexError(Exception):
    """The database cannot be used, because of the machine or another process."""


def reason(error: Exception) -> str:
    """Return why the results cannot be used; for an `OSError`, with the path."""
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return str(error)


class Index:
    """The database in *folder*, with *tables* as SQL statements that create missing tables.

    A damaged database is dropped with its folder, and *warn* is called.
    """

    def __init__(self, folder: Path, tables: Sequence[str], warn: Callable[[str], None] = lambda _: None) -> None:
        self._folder, self._tables, self._warn = folder, tables, warn
        self._detection = _DamageDetection(folder / _FILE)
        self._identity: tuple[int, int] | None = None
        try:
            self._open()
        except DamagedIndexError as error:
            self.renew(error)

    def close(self) -> None:
        """Close the database."""
        with self._detection:
            self._database.close()

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of *query*."""
        with self._detection:
            return self._database.execute(query, values).fetchall()

    def change(self, statement: str, rows: Iterable[Sequence[object]] = ((),)) -> None:
        """Execute *statement* with each of *rows*."""
        with self._detection:
            self._database.executemany(statement, rows)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the database for a transaction."""
        with self._detection:
            self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # On a full disk, SQLite may have rolled back already.
            with self._detection:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
            raise
        with self._detection:
            self._database.execute("COMMIT")

    def renew(self, error: DamagedIndexError) -> None:
        """Drop the folder, unless another process has done so, and create it again."""
        self._warn(f"the results of earlier runs are damaged ({error}): they are dropped, and computed again")
        self.close()
        if _identity(self._folder) == self._identity:
            _drop(self._folder)
        self._open()

    def _open(self) -> None:
        path = self._folder / _FILE
        # In a read-only folder, nothing can be dropped: opening the database reports the reason.
        if os.access(self._folder.parent, os.W_OK) and _is_blocked(self._folder):
            self._warn(f"{self._folder} is not a database: it is dropped, and created again")
            _drop(self._folder)
        for folder in (self._folder.parent, self._folder):
            make_private(folder)
        # SQLite creates its other files with the permissions of this one (os_unix.c, findCreateFileMode).
        with open_private(path):
            pass
        with self._detection:
            self._database = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
        self._identity = _identity(self._folder)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        """Set the options of the database, create missing tables, and check the rows."""
        with self._detection:
            self._use_write_ahead_log()
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
            for table in self._tables:
                self._database.executescript(table)
        # Rows in a wrong order are not found, and are not found either after they are written again. Reading all
        # takes 14 ms for 10,000 results.
        if self.rows("PRAGMA quick_check(1)") != [("ok",)]:
            raise DamagedIndexError("its rows are out of order")

    def _use_write_ahead_log(self) -> None:
        """Try again for some time: if another run creates the file, SQLite reports it as locked without waiting."""
        end = time.monotonic() + _WAIT
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(_PAUSE)
            else:
                return


class _DamageDetection:
    """Raises `DamagedIndexError` for errors of a damaged file at *path*, and `UnusableIndexError` for others.

    A class, because a generator takes a twentieth of a first run that stores results.
    """

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, sqlite3.ProgrammingError) or not isinstance(error, _ERRORS):
            return
        # Decoding errors have no code. A truncated file is too short to read.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        if code == sqlite3.SQLITE_IOERR_SHORT_READ or code & 0xFF not in _EXTERNAL:
            raise DamagedIndexError(str(error)) from error
        raise UnusableIndexError(f"{self._path}: {error}") from error


def _is_blocked(folder: Path) -> bool:
    """Return whether something other than a readable and writable file is in the place of the database.

    Other processes may create and remove the files meanwhile.
    """
    status = _status(folder)
    if status is None:
        return False
    if not stat.S_ISDIR(status.st_mode) and not folder.is_dir():
        return True
    return any(map(_is_blocking, folder.glob(f"{_FILE}*")))


def _is_blocking(path: Path) -> bool:
    """Return whether there is something at *path* that is not a readable and writable file.

    A file that the user owns is decided by one look: `os.access` does not distinguish a file that was removed meanwhile
    from one that it denies. Others can be usable, too, by their group or on a mounted file system.
    """
    status = _status(path)
    if status is None:
        return False
    if not stat.S_ISREG(status.st_mode):
        return True
    is_own = status.st_uid == os.geteuid() and status.st_mode & _READ_WRITE == _READ_WRITE
    return not is_own and not os.access(path, os.R_OK | os.W_OK) and os.path.lexists(path)


def _status(path: Path) -> os.stat_result | None:
    """Return the status of what is at *path* itself, not of what a link leads to; None if there is nothing."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _drop(folder: Path) -> None:
    """Remove *folder*, and such folders of processes that were killed here."""
    # Renamed first, so that no process opens a half-removed folder.
    with suppress(FileNotFoundError):
        folder.rename(folder.with_name(f"{folder.name}.{secrets.token_hex(8)}.old"))
    for old in folder.parent.glob(f"{folder.name}.*.old"):
        remove(old)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = (folder / _FILE).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
