"""Damage to the state of `pipegen run`, byte by byte: a journal, a cache of durations, an index of results.

A reader of a damaged file gets the original data or none.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from robust.trial_result import Figures
from run.simulated_runs_in_tests import FAILED, ObservedRun, graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.checksum import verified, with_checksum
from pipegen.run.journal import Journal, JournalContent, UnreadableJournalError, read
from pipegen.run.local.cache.blobs import DamagedError
from pipegen.run.local.cache.index import DamagedIndexError
from pipegen.run.local.cache.store import FORMAT, Store
from pipegen.run.local.durations import known_durations
from pipegen.run.model import AttemptResult, Outcome

_PLENTY = 1_000_000
# The damages of an index that take seven minutes in total: each copies a store, opens it and fills it again.
_BY_NIGHT = 50_000
_GRAPH = ExecutionGraph([["build", "test", "release"], ["build", "lint", "release"]])
_BUILT = Outcome(result=AttemptResult.SUCCESS, exit_code=0, outputs=(("version", b"1.0\n\xff\x00"), ("empty", b"")))
_BLOCK = 512
# A folder in memory if there is one: a database waits for the disk, which is not under test.
QUICK = next((place for place in ("/dev/shm",) if Path(place).is_dir()), None)  # noqa: S108 - a folder of its own in there
_STAGES = [f"stage {number}" for number in range(8)]


def damages(data: bytes, attempts: int) -> Iterator[tuple[str, bytes]]:
    """Yield variants of *data*, each with a description: about *attempts*, or one per byte if it has fewer."""
    yield "empty", b""
    yield "twice", data * 2
    yield "of the same length, and other", bytes(255 - byte for byte in data)
    step = max(1, len(data) * 3 // attempts)
    dice = Random(len(data))
    for place in range(0, len(data), step):
        bit = 1 << dice.randrange(8)
        yield f"bit {bit} flipped at {place}", _put(data, place, bytes([data[place] ^ bit]))
        yield f"cut at {place}", data[:place]
        yield f"NULs from {place} on", _put(data, place, bytes(len(data) - place))
    for place in range(0, len(data), max(_BLOCK, step)):
        yield f"a block of NULs at {place}", _put(data, place, bytes(min(_BLOCK, len(data) - place)))
        yield f"a block at {place} is missing", data[:place] + data[place + _BLOCK :]


def _put(data: bytes, place: int, other: bytes) -> bytes:
    return data[:place] + other + data[place + len(other) :]


def tried(path: Path, attempts: int, fault: Callable[[], str]) -> tuple[int, list[str]]:
    """Damage the file *path* in many ways; return the number of ways and the results of *fault*, "" for none."""
    data, wrong, count = path.read_bytes(), [], 0
    for words, other in damages(data, attempts):
        path.write_bytes(other)
        try:
            text = fault()
        except Exception as error:  # noqa: BLE001 - any that gets here is what is looked for
            text = f"{type(error).__name__}: {error}"
        count += 1
        wrong += [f"{path.name}, {words}: {text}"] if text else []
    path.write_bytes(data)
    return count, wrong


def journals(folder: Path, attempts: int) -> tuple[int, list[str]]:
    """Damage a journal: each stage has its original result, or an unknown one."""
    place = folder / "journal"
    write_journal(place)
    whole = read(place)

    def fault() -> str:
        try:
            return differing(read(place), whole)
        except UnreadableJournalError:
            return ""

    return tried(place, attempts, fault)


def write_journal(place: Path) -> None:
    """Write the journal of a run that failed and was resumed."""
    for lint in (FAILED, _BUILT):
        observed = ObservedRun(graph_plan(_GRAPH), outcomes={"build": [_BUILT], "lint": [lint]})
        observed.run()
        with Journal(place, "plan") as journal:
            for event in observed.log.events:
                journal.notify(event)


def differing(story: JournalContent, whole: JournalContent) -> str:
    """Return the parts of *story* that neither the complete journal nor an earlier line of it has."""
    others = [task.stage for task, outcome in story.ended.items() if outcome not in (whole.ended.get(task), FAILED)]
    return f"other outcomes of {others}" if others or story.plan != whole.plan else ""


def summaries(folder: Path, attempts: int) -> tuple[int, list[str]]:
    """Damage a cache of durations: it has its original durations, or those of journals, which do not exist."""
    name = "20220131-164755-01234567"
    (folder / name).mkdir()
    place = folder / "durations.json"
    place.write_bytes(with_checksum({"format": 2, "runs": {name: {"p": {"build": 2.5, "test": 1.25}}}}))
    data, whole = place.read_bytes(), known_durations(folder)
    assert whole

    def fault() -> str:
        is_same = verified(place.read_bytes(), dict) == verified(data, dict)
        times = known_durations(folder)
        return f"tells {times}" if times != (whole if is_same else {}) else ""

    return tried(place, attempts, fault)


def indexes(folder: Path, attempts: int) -> tuple[int, list[str]]:
    """Damage the index of a store: each returned value belongs to its stage, and new results can be stored."""
    whole, tree = folder / "whole", folder / "store"
    with closing(Store(whole, _PLENTY)) as store:
        for name in _STAGES:
            _save(store, name, name.encode())
    index = whole / f"v{FORMAT}" / "index.sqlite"

    def fault() -> str:
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(whole, tree)
        with closing(Store(tree, _PLENTY)) as store:
            for name in _STAGES:
                value = _value(store, name)
                if value not in (None, name.encode()):
                    return f"{name} has the value {value!r}"
        # A damage that is detected late costs earlier results.
        return "" if any(_is_renewed(tree) for _ in range(3)) else "not made anew"

    return tried(index, attempts, fault)


def _value(store: Store, name: str) -> bytes | None:
    """Return the value of the stage *name* as an executor does: a damaged one is computed again."""
    try:
        key = store.keys.root(name)
        stored_record = store.find([key]) if key is not None else None
        return store.value(stored_record.record.outputs[0][1]) if stored_record is not None else None
    except DamagedIndexError as error:
        store.renew(error)
    except DamagedError:
        pass
    return None


def _is_renewed(tree: Path) -> bool:
    """Compute all results again in a store that was read before; return whether all are found afterwards."""
    with closing(Store(tree, _PLENTY)) as store:
        for name in _STAGES:
            with suppress(DamagedIndexError):
                _save(store, name, b"new")
    with closing(Store(tree, _PLENTY)) as store:
        return all(_value(store, name) == b"new" for name in _STAGES)


def _save(store: Store, name: str, value: bytes) -> None:
    """Save a result like an executor."""
    try:
        store.save(lambda: store.keys.save(name), [("v", value)], ())
    except DamagedIndexError as error:
        store.renew(error)
        store.save(lambda: store.keys.save(name), [("v", value)], ())


KINDS = {"a journal": journals, "durations": summaries, "an index of results": indexes}


def figures(*, is_nightly: bool) -> Figures:
    """Return the figures of damaged bytes; the nightly run damages each byte, and every second byte of an index."""
    lines, faults = [], []
    for name, kind in KINDS.items():
        with TemporaryDirectory(dir=QUICK) as folder:
            count, wrong = kind(Path(folder), _BY_NIGHT if is_nightly else 300)
        lines.append(f"{name}: damaged in {count:,} ways, taken for what it is not {len(wrong)} times")
        faults += wrong
    return Figures("What a run keeps, damaged", (*lines, *faults), len(faults))
