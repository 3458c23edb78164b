"""The store of cached results on disk."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from pipegen.run.files.kept_file import KeptFile
from pipegen.run.files.no_follow import open_file
from pipegen.run.local.cache.blobs import DamagedError
from pipegen.run.local.cache.index import DamagedIndexError, UnusableIndexError
from pipegen.run.local.cache.keys import Origin
from pipegen.run.local.cache.record import CacheRecord
from pipegen.run.local.cache.store import FORMAT, Store

PLENTY = 1_000_000
LITTLE = 2_000
# Larger than a content that is stored in the database.
LARGE = b"content" * 1_000


OPENED: list[Store] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close all stores after the test."""
    yield
    while OPENED:
        OPENED.pop().close()


def store(folder: Path, limit: int = PLENTY, warn: Callable[[str], None] = lambda _: None) -> Store:
    """Return a store whose clock ticks at each reading."""
    ticks = count()
    OPENED.append(Store(folder, limit, warn=warn, now=lambda: float(next(ticks))))
    return OPENED[-1]


def contents(folder: Path) -> list[Path]:
    """Return the files of contents, including incomplete ones."""
    return sorted(path for path in (folder / f"v{FORMAT}" / "contents").rglob("*") if path.is_file())


def index(folder: Path) -> Path:
    """Return the file of the database."""
    return folder / f"v{FORMAT}" / "index.sqlite"


def damage_contents(folder: Path, damage: str) -> None:
    """Remove, cut or change all contents."""
    for path in contents(folder):
        if damage == "gone":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:-1] + (b"x" if damage == "changed" else b""))
    with closing(sqlite3.connect(index(folder))) as database, database:
        if damage == "gone":
            database.execute("DELETE FROM blob")
        else:
            database.execute(
                "UPDATE blob SET content = CAST(substr(content, 2) || ? AS BLOB) WHERE content IS NOT NULL",
                ("x" if damage == "changed" else "",),
            )


def test_a_saved_result_is_restored_exactly(tmp_path: Path) -> None:
    """Values have the same bytes, files their modes, and links stay links."""
    path = tmp_path / "made"
    path.mkdir()
    (path / "empty").touch()
    (path / "tool").write_bytes(b"\x00binary\xff")
    results = store(tmp_path / "cache")
    files = [
        (KeptFile("bin/tool", 0o755), partial(open_file, path, "tool")),
        (KeptFile("bin/latest", link="tool"), partial(open_file, path, "absent")),
        (KeptFile("empty", 0o600), partial(open_file, path, "empty")),
    ]
    saved = results.save(lambda: results.keys.save("build"), [("version", b"1.0\n'$x"), ("none", b"")], files)
    results.close()

    again = store(tmp_path / "cache")
    stored_record = again.find([again.keys.save("build")])
    assert stored_record == saved
    assert [(name, again.value(digest)) for name, digest in stored_record.record.outputs] == [
        ("version", b"1.0\n'$x"),
        ("none", b""),
    ]
    again.restore(stored_record, tmp_path / "tree")
    assert (tmp_path / "tree" / "bin" / "latest").read_bytes() == b"\x00binary\xff"
    assert (tmp_path / "tree" / "bin" / "tool").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "tree" / "empty").stat().st_mode & 0o777 == 0o600


def test_the_newest_result_of_a_key_is_found(tmp_path: Path) -> None:
    """A stage that is repeated replaces its earlier result."""
    results = store(tmp_path)
    key = results.keys.save("build")
    results.save(lambda: key, [("version", b"1")], ())
    newer = results.save(lambda: key, [("version", b"2")], ())

    assert results.find([key]) == newer


@pytest.mark.parametrize("damage", ["gone", "cut", "changed"])
def test_damaged_contents_are_detected(tmp_path: Path, damage: str) -> None:
    """None of it is restored, and the result can be dropped and saved again."""
    results = store(tmp_path / "cache")
    source = tmp_path / "file"
    source.write_bytes(LARGE)
    key = results.keys.save("build")
    files = [(KeptFile("dist/file"), partial(open_file, tmp_path, "file"))]
    stored_record = results.save(lambda: key, [("version", b"1.0")], files)
    assert len(contents(tmp_path / "cache")) == 1
    damage_contents(tmp_path / "cache", damage)

    with pytest.raises(DamagedError):
        results.value(stored_record.record.outputs[0][1])
    with pytest.raises(DamagedError):
        results.restore(stored_record, tmp_path / "tree")
    assert not any(path.is_file() for path in (tmp_path / "tree").rglob("*"))
    results.drop(stored_record)
    assert results.find([key]) is None
    again = results.save(lambda: key, [("version", b"1.0")], files)
    assert results.value(again.record.outputs[0][1]) == b"1.0"
    results.restore(again, tmp_path / "tree")
    assert (tmp_path / "tree/dist/file").read_bytes() == LARGE


def test_the_least_recently_used_result_is_evicted_first(tmp_path: Path) -> None:
    """Shared contents stay while a result refers to them; unused keys are removed."""
    results = store(tmp_path, limit=2 * len(LARGE) + 5)
    keys = [results.keys.save(name) for name in "abc"]
    first = results.save(lambda: keys[0], [("big", LARGE), ("shared", b"s")], ())
    results.save(lambda: keys[1], [("big", LARGE[::-1]), ("shared", b"s")], ())
    results.touch([first.key])
    third = results.save(lambda: keys[2], [("big", LARGE.upper())], ())

    assert [results.find([key]) is not None for key in keys] == [True, False, True]
    assert (results.size(), len(contents(tmp_path))) == (2 * len(LARGE) + 1, 2)
    assert results.keys.root("b") is None
    assert results.value(third.record.outputs[0][1]) == LARGE.upper()
    assert results.value(first.record.outputs[1][1]) == b"s"


def test_the_size_is_that_of_all_contents(tmp_path: Path) -> None:
    """Contents of several results, or saved again, count once; a wrong size is corrected when the store is opened."""
    results = store(tmp_path)
    for number in (1, 2, 1):
        saved = results.save(partial(int, number), [("big", LARGE), ("small", b"12345"), ("own", b"%d" % number)], ())
    size = len(LARGE) + 5

    assert results.size() == size + 2
    results.drop(saved)
    assert results.size() == size + 1
    with closing(sqlite3.connect(index(tmp_path))) as database, database:
        database.execute("UPDATE total SET size = 7")
    assert store(tmp_path).size() == size + 1


def test_keys_on_the_path_to_a_result_are_kept(tmp_path: Path) -> None:
    """A later result is still found after the one that it was computed from is removed."""
    results = store(tmp_path)
    base = results.keys.save("base")
    end = results.keys.save("end", [[Origin(base)]])
    gone = results.keys.save("gone", [[Origin(base)]])
    results.save(lambda: end, [("x", b"1")], ())
    results.keys.remove_unused([end])

    assert results.keys.after([Origin(base)], 0, "end") == {end}
    assert results.keys.after([Origin(base)], 0, "gone") == frozenset()
    assert gone not in {base, end}


def test_a_failed_save_leaves_nothing_behind(tmp_path: Path) -> None:
    """One missing file fails the whole result."""
    results = store(tmp_path)

    with pytest.raises(FileNotFoundError):
        results.save(lambda: 1, [("version", b"1")], [(KeptFile("dist"), partial(open_file, tmp_path, "absent"))])
    assert (contents(tmp_path), results.find([1])) == ([], None)


def _save_many(folder: Path, name: str) -> None:
    results = Store(folder, LITTLE)
    for number in range(30):
        values = [("v", b"x" * 1_000), ("w", f"{name} {number}".encode())]
        saved = results.save(partial(results.keys.save, f"stage {number}"), values, ())
        stored_record = results.find([saved.key])
        with suppress(DamagedError):  # the other process may remove it at this moment
            assert stored_record is None or results.value(stored_record.record.outputs[0][1]) == b"x" * 1_000
    results.close()


@pytest.mark.slow
def test_two_processes_share_a_store(tmp_path: Path) -> None:
    """Neither fails, and at the end all results are intact and within the limit."""
    start = multiprocessing.get_context("spawn")
    processes = [start.Process(target=_save_many, args=(tmp_path, name)) for name in ("one", "two")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0, 0]
    results = store(tmp_path, LITTLE)
    keys = [key for number in range(30) if (key := results.keys.root(f"stage {number}")) is not None]
    stored_records = [stored_record for key in keys if (stored_record := results.find([key])) is not None]
    assert len(stored_records) > 5
    assert {results.value(stored_record.record.outputs[0][1]) for stored_record in stored_records} == {b"x" * 1_000}
    assert 1_000 < results.size() <= LITTLE
    assert [path.stat().st_size for path in contents(tmp_path)] == [1_000]


def test_digests_depend_only_on_the_part_that_is_read() -> None:
    """Changes in other values or files do not invalidate a reader."""
    record = CacheRecord((("size", "11"), ("version", "22")), (KeptFile("a", digest="33"),))
    other = CacheRecord((("size", "99"), ("version", "22")), (KeptFile("a", digest="44"),))

    assert record.value("version") == other.value("version")
    assert record.tree != other.tree
    assert record.value("size") != other.value("size")
    assert record.value("absent") == other.value("absent") != record.value("size")
    assert CacheRecord.loaded(record.dumped()) == record


def test_the_index_is_versioned(tmp_path: Path) -> None:
    """Another format has a separate folder."""
    store(tmp_path).close()

    with closing(sqlite3.connect(index(tmp_path))) as database, database:
        assert {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")} == {
            *("blob", "link", "record", "total", "use")
        }


def test_a_damaged_index_is_replaced_once(tmp_path: Path) -> None:
    """If two processes detect it, the second uses the index of the first; unknown contents are removed."""
    warnings: list[str] = []
    store(tmp_path).save(lambda: 1, [("version", LARGE)], ())
    first, second = (store(tmp_path, warn=warnings.append) for _ in range(2))
    first.renew(DamagedIndexError("a row"))
    saved = first.save(lambda: first.keys.save("build"), [("version", LARGE.upper())], ())
    second.renew(DamagedIndexError("a row"))

    assert second.find([saved.key]) == saved
    assert [second.value(digest) for _, digest in saved.record.outputs] == [LARGE.upper()]
    assert len(contents(tmp_path)) == 1
    assert warnings == ["the results of earlier runs are damaged (a row): they are dropped, and computed again"] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"v{FORMAT}"]


def test_a_damaged_key_is_detected(tmp_path: Path) -> None:
    """A link that leads to the result of another stage has the checksum of the original link."""
    results = store(tmp_path)
    build, lint = (results.save(partial(results.keys.save, name), [("v", name.encode())], ()) for name in ("b", "l"))
    with closing(sqlite3.connect(index(tmp_path))) as database, database:
        database.execute("UPDATE link SET target = ? WHERE target = ?", (build.key, lint.key))

    assert results.keys.root("b") == build.key
    with pytest.raises(DamagedIndexError, match="checksum"):
        results.keys.root("l")


def test_an_index_with_rows_out_of_order_is_replaced(tmp_path: Path) -> None:
    """Otherwise a result that is saved again is not found again either."""
    warnings: list[str] = []
    results = store(tmp_path)
    keys = [(1 << 61) + number for number in range(9)]
    for key in keys:
        results.save(partial(int, key), (), ())
    results.close()
    path = index(tmp_path)
    first, last = (_varint(key) for key in (keys[0], keys[-1]))
    path.write_bytes(path.read_bytes().replace(last, b"-" * 9).replace(first, last).replace(b"-" * 9, first))
    again = store(tmp_path, warn=warnings.append)

    assert ["out of order" in warning for warning in warnings] == [True]
    assert again.find(keys) is None


def _varint(number: int) -> bytes:
    """Return *number*, of 57 to 64 bits, as the nine bytes that it takes in a file of SQLite (fileformat2.html)."""
    rest = number >> 8
    return bytes(rest >> shift & 0x7F | 0x80 for shift in range(49, -1, -7)) + bytes([number & 0xFF])


@pytest.mark.parametrize("name", ["index.sqlite", "contents", "contents/new", ""])
@pytest.mark.parametrize("is_file", [False, True])
def test_obstructing_files_and_folders_are_replaced(tmp_path: Path, name: str, *, is_file: bool) -> None:
    """There is a folder in place of a file, or the reverse."""
    path = tmp_path / f"v{FORMAT}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_file:
        path.write_text("no database", encoding="utf-8")
    else:
        path.mkdir()
        (path / "file").touch()
    results = store(tmp_path)
    saved = results.save(lambda: results.keys.save("build"), [("version", b"1")], ())

    assert results.value(saved.record.outputs[0][1]) == b"1"


@pytest.mark.slow
def test_files_that_another_process_creates_and_removes_are_no_obstacle(tmp_path: Path) -> None:
    """SQLite creates and removes a journal beside the database (https://www.sqlite.org/tempfiles.html)."""
    warnings: list[str] = []
    store(tmp_path).close()
    journal, end = index(tmp_path).with_name("index.sqlite-other"), Event()

    def create_and_remove() -> None:
        while not end.is_set():
            journal.touch()
            journal.unlink()

    other = Thread(target=create_and_remove)
    other.start()
    try:
        for _ in range(200):
            store(tmp_path, warn=warnings.append).close()
    finally:
        end.set()
        other.join()
    assert warnings == []


@contextmanager
def full_disk() -> Iterator[None]:
    """Limit files to some bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_an_error_of_the_machine_names_the_database(tmp_path: Path) -> None:
    """It says nothing about the state of the results, which are kept."""
    results = store(tmp_path)
    key = results.save(lambda: results.keys.save("build"), [("version", b"1")], ()).key

    with full_disk(), pytest.raises(UnusableIndexError, match=r"/index\.sqlite: (disk I/O error|database or disk)"):
        results.save(lambda: results.keys.save("test"), [("version", b"2")], ())
    assert store(tmp_path).find([key]) is not None


def test_nothing_is_dropped_in_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database on a read-only file system is not writable either, but intact."""
    results = store(tmp_path)
    key = results.save(lambda: results.keys.save("build"), [("version", b"1")], ()).key
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    warnings: list[str] = []

    assert store(tmp_path, warn=warnings.append).find([key]) is not None
    assert warnings == []


def test_a_failed_restore_leaves_nothing_behind(tmp_path: Path) -> None:
    """There is a folder at the path of the file."""
    results = store(tmp_path / "cache")
    (tmp_path / "file").write_bytes(b"content")
    stored_record = results.save(lambda: 1, (), [(KeptFile("dist"), partial(open_file, tmp_path, "file"))])
    (tmp_path / "tree/dist/here").mkdir(parents=True)

    with pytest.raises(IsADirectoryError):
        results.restore(stored_record, tmp_path / "tree")
    assert [path.name for path in (tmp_path / "tree").iterdir()] == ["dist"]
