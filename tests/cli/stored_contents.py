"""The contents in a cache of results: in files, and small ones in the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

_NO_VALUES: Mapping[str, bytes | None] = MappingProxyType({})


def contents(cache: Path) -> list[bytes]:
    """Return all contents in the folder *cache*."""
    rows = [row for index in _indexes(cache) for row in _execute(index, "SELECT content FROM blob")]
    return [*(path.read_bytes() for path in _files(cache)), *(row[0] for row in rows if row[0] is not None)]


def replace_contents(cache: Path, new: bytes, old: bytes | None = None) -> None:
    """Write *new* in place of the content *old*, None for all contents."""
    for path in _files(cache):
        if old in (None, path.read_bytes()):
            path.write_bytes(new)
    for index in _indexes(cache):
        _execute(
            index,
            "UPDATE blob SET content = :new WHERE content IS NOT NULL AND coalesce(content = :old, 1)",
            {"new": new, "old": old},
        )


def _files(cache: Path) -> Iterator[Path]:
    return (path for path in cache.rglob("contents/*/*") if path.is_file())


def _indexes(cache: Path) -> Iterator[Path]:
    return cache.rglob("index.sqlite")


def _execute(index: Path, statement: str, values: Mapping[str, bytes | None] = _NO_VALUES) -> list[tuple[bytes | None]]:
    with closing(sqlite3.connect(index)) as database, database:
        return database.execute(statement, dict(values)).fetchall()
