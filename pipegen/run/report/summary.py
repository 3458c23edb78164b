"""What a run came to, in a few lines, and what to look at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipegen.run.chart.times import SECONDS
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local.executors.local import log_of
from pipegen.run.report.record import RunRecord, StageRecord
from pipegen.run.report.words import named

# How much of a log is shown where a stage has failed.
TAIL_LINES = 20
_TAIL_BYTES = 16_384
_PATH_STAGES = 8
# What programs colour their output with: SGR, ECMA-48.
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_COUNTED = (
    ("success", "ok"),
    ("reused", "reused"),
    ("earlier", "done before"),
    ("failed", "failed"),
    ("allowed", "failed and may"),
    ("cancelled", "cancelled"),
    ("skipped", "skipped"),
)


def summary(record: RunRecord, folder: RunFolder) -> Iterator[str]:
    """Yield the lines: the ends of the logs of what has failed, how many stages came to what, and the longest path."""
    several = len(record.runs) > 1
    for entry in record.failures():
        yield from _failure(entry, folder, several=several)
    counts = Counter(entry.status or "not run" for entry in record.entries.values())
    told = [f"{counts[status]} {word}" for status, word in (*_COUNTED, ("not run", "not run")) if counts[status]]
    yield f"{', '.join(told) or 'no stages'} in {SECONDS.words(record.seconds)}"
    path = record.critical_path()
    if len(path) > 1:
        yield f"longest path: {path_words(path, several=several)}"
    yield f"logs: {folder.logs}"


def path_words(path: Sequence[StageRecord], *, several: bool) -> str:
    """Return *path* in words: of a long one, the stages that took longest."""
    longest = sorted(path, key=lambda entry: entry.elapsed, reverse=True)[:_PATH_STAGES]
    told = [f"{named(one, several=several)} {SECONDS.words(one.elapsed)}" for one in path if one in longest]
    total = SECONDS.words(sum(one.elapsed for one in path))
    shown = " -> ".join(told)
    return f"{shown}: {total}" if len(told) == len(path) else f"{total} in {len(path)} stages, most in {shown}"


def tail(log: Path, lines: int = TAIL_LINES) -> tuple[str, ...]:
    """Return the last *lines* of *log*; nothing where there is none that can be read."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            return tuple(file.read().decode(errors="replace").splitlines()[-lines:])
    except OSError:
        return ()


def _failure(entry: StageRecord, folder: RunFolder, *, several: bool) -> Iterator[str]:
    last = entry.tries[-1]
    log = log_of(folder, entry.task.job, last.number)
    reason = last.outcome.reason if last.outcome is not None else ""
    again = f", try {last.number}" if last.number > 1 else ""
    may = ", which it may" if entry.status == "allowed" else ""
    yield ""
    yield f"{named(entry, several=several)} failed{may}: {reason or 'no status'}{again}, {SECONDS.words(entry.seconds)}"
    for line in tail(log):
        yield f"  | {_COLOUR.sub('', line)}"
    yield f"  {log}"
    yield ""
