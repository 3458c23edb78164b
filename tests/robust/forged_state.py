"""Forged state of runs: data of any shape with valid checksums, and invalid data.

Anyone who can write to the folder can compute a checksum, so a checksum does not guarantee the shape of the data.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from robust.corruption import QUICK, write_journal
from robust.trial_result import Figures
from run.simulated_runs_in_tests import graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Job
from pipegen.run.checksum import checksum
from pipegen.run.files.kept_file import KeptFile
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.journal import UnreadableJournalError, read
from pipegen.run.local.cache.record import CacheRecord
from pipegen.run.local.durations import known_durations
from pipegen.run.local.workspace import has_left

RUN = "20220131-164755-01234567"
SUMMARY = {"format": 2, "runs": {RUN: {"p": {"build": 2.5, "test": 1}}}}
_RECORD = CacheRecord((("v", "a" * 64),), (KeptFile("a/b", 0o644, "b" * 64), KeptFile("c", link="d")))
_DESCRIPTION = {"files": [["a", 0o644, sha256(b"a").hexdigest(), None]]}
# The JSON values that replace a value.
_OTHERS = (
    *(
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        '""',
        '"1"',
        '"\\u0000"',
        '"\\ud800"',
        '"../../x"',
        "[]",
        "{}",
        "[[]]",
        "[null]",
    ),
    *('{"": {}}', '{"a": [1]}', "NaN", "Infinity", "-Infinity", "1e999", "1e308", "-1e308", "1" * 400, "1" * 5000),
    *("[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, f'"{"x" * 100_000}"'),
)
_HOLE = "\ue000 hole"
_RAW = (b"", b"\0", b"\0" * 4096, b"\xff\xfe{}", b"\xef\xbb\xbf{}", b"{", b"[" * 100_000, b'{"checksum": "', b"\n\n\n")


def shapes(data: object) -> Iterator[str]:
    """Yield JSON of *data* with one value replaced, removed, or duplicated in a list."""
    for holed in _holed(data):
        before, _, after = json.dumps(holed).partition(json.dumps(_HOLE))
        yield from (f"{before}{other}{after}" for other in _OTHERS)
    if isinstance(data, dict):
        yield from (json.dumps({name: entry for name, entry in data.items() if name != key}) for key in data)


def _holed(data: object) -> Iterator[object]:
    """Yield *data* with a hole in place of each value."""
    yield _HOLE
    if isinstance(data, dict):
        for key, value in data.items():
            yield from ({**data, key: holed} for holed in _holed(value))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from ([*data[:at], holed, *data[at + 1 :]] for holed in _holed(value))


def forged(text: str) -> bytes:
    """Return the JSON *text* with a valid checksum if it is a map, otherwise unchanged."""
    rest = text[1:]
    return (
        f'{{"checksum": "{checksum(rest)}", {rest}'.encode()
        if text.startswith("{") and len(rest) > 1
        else text.encode()
    )


def summaries(folder: Path) -> Iterator[Callable[[], str]]:
    """Yield trials of a cache of durations: it has only possible durations, or none."""
    (folder / RUN).mkdir()
    for content in (*map(forged, shapes(SUMMARY)), *_RAW):
        (folder / "durations.json").write_bytes(content)
        yield partial(_wrong_times, folder)


def journals(folder: Path) -> Iterator[Callable[[], str]]:
    """Yield trials of a journal with one line of another shape: it has possible results, or is rejected."""
    place = folder / RUN / "journal.jsonl"
    place.parent.mkdir()
    write_journal(place)
    lines = place.read_bytes().splitlines(keepends=True)
    for at in range(0, len(lines), 5):
        data = {key: value for key, value in json.loads(lines[at]).items() if key != "checksum"}
        for content in (*map(forged, shapes(data)), *_RAW):
            place.write_bytes(b"".join((*lines[:at], content, b"\n", *lines[at + 1 :])))
            (folder / "durations.json").unlink(missing_ok=True)
            yield partial(_wrong_journal, place, folder)


def records(_folder: Path) -> Iterator[Callable[[], str]]:
    """Yield trials of the record of a result: its paths stay in their folder, or it is rejected."""
    data = {key: value for key, value in json.loads(_RECORD.dumped()).items() if key != "checksum"}
    for content in shapes(data):
        yield partial(_wrong_record, forged(content).decode())


def descriptions(folder: Path) -> Iterator[Callable[[], str]]:
    """Yield trials of a description of a stage's files: it agrees with them, or is rejected."""
    run = RunFolder(folder, "01234567", folder / "logs")
    (run.left / "build").mkdir(parents=True)
    (run.left / "build/a").write_bytes(b"a")
    (run.left / "build/a").chmod(0o644)
    run.descriptions.mkdir()
    job = graph_plan(ExecutionGraph([["build"]])).jobs[0]
    for content in (*map(forged, shapes(_DESCRIPTION)), *_RAW):
        (run.descriptions / job.slug).write_bytes(content)
        yield partial(_wrong_description, run, job, content)


def tried(kind: Callable[[Path], Iterator[Callable[[], str]]]) -> tuple[int, list[str]]:
    """Run all trials of a *kind*; return their number and the failures."""
    count, wrong = 0, []
    with TemporaryDirectory(dir=QUICK) as folder:
        for trial in kind(Path(folder)):
            try:
                text = trial()
            except Exception as error:  # noqa: BLE001 - any that gets here is what is looked for
                text = f"{type(error).__name__}: {str(error)[:200]}"
            count += 1
            wrong += [f"{kind.__name__} {count}: {text}"] if text else []
    return count, wrong


def _wrong_times(folder: Path) -> str:
    times = known_durations(folder)
    return f"tells {times}" if any(not 0 <= time < math.inf for time in times.values()) else ""


def _wrong_journal(place: Path, folder: Path) -> str:
    with suppress(UnreadableJournalError):
        read(place)
    return _wrong_times(folder)


def _wrong_description(run: RunFolder, job: Job, content: bytes) -> str:
    is_so = content == forged(json.dumps(_DESCRIPTION))
    return f"{content[:200]!r} is taken for {is_so}" if has_left(run, job) is not is_so else ""


def _wrong_record(content: str) -> str:
    try:
        record = CacheRecord.loaded(content)
    except ValueError:
        return ""
    places = [Path(os.path.normpath(f"/folder/{file.path}")) for file in record.files]
    return f"leads to {places}" if any(Path("/folder") not in place.parents for place in places) else ""


KINDS = (summaries, journals, records, descriptions)


def figures(*, is_nightly: bool) -> Figures:  # noqa: ARG001 - there are no more shapes by night
    """Return the figures of all forged data."""
    values = {kind.__name__: tried(kind) for kind in KINDS}
    faults = [fault for _, wrong in values.values() for fault in wrong]
    lines = [f"{name}: {count:,} shapes, {len(wrong)} taken amiss" for name, (count, wrong) in values.items()]
    return Figures("What a run keeps, forged", (*lines, *faults[:10]), len(faults))
