"""The summary of a run in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipegen.run.chart.times import SECONDS
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local.executors.local import log_of
from pipegen.run.report.follow import COLOUR
from pipegen.run.report.record import RunRecord, StageRecord

# The number of lines shown of the log of a failed stage.
_TAIL_LINES = 20
_TAIL_BYTES = 16_384
_PATH_STAGES = 8
_COUNTED = (
    ("success", "ok"),
    ("reused", "reused"),
    ("earlier", "done earlier"),
    ("failed", "failed"),
    ("allowed", "failed as allowed"),
    ("cancelled", "cancelled"),
    ("skipped", "skipped"),
)


def summary(record: RunRecord, folder: RunFolder) -> Iterator[str]:
    """Yield the lines: the ends of the logs of failed stages, the number of stages by status, and the longest path."""
    several = len(record.runs) > 1
    failures = record.failures()
    for entry in failures:
        yield from _failure(entry, folder, several=several)
    if failures:
        yield ""
    counts = Counter(entry.status or "not run" for entry in record.entries.values())
    phrases = [f"{counts[status]} {word}" for status, word in (*_COUNTED, ("not run", "not run")) if counts[status]]
    yield f"{', '.join(phrases) or 'no stages'} in {SECONDS.words(record.seconds)}"
    path = record.critical_path()
    if len(path) > 1:
        yield f"longest path: {path_words(path, several=several)}"
    yield f"logs: {folder.logs}"


def path_words(path: Sequence[StageRecord], *, several: bool) -> str:
    """Return *path* in words; of a long path, only the stages that took longest."""
    longest = sorted(path, key=lambda entry: entry.elapsed, reverse=True)[:_PATH_STAGES]
    phrases = [
        f"{entry.task.id.display_name(several=several)} {SECONDS.words(entry.elapsed)}"
        for entry in path
        if entry in longest
    ]
    total = SECONDS.words(sum(entry.elapsed for entry in path))
    chain = " -> ".join(phrases)
    return f"{chain}: {total}" if len(phrases) == len(path) else f"{total} in {len(path)} stages, most in {chain}"


def tail(log: Path, lines: int = _TAIL_LINES) -> tuple[str, ...]:
    """Return the last *lines* of *log*; () if it cannot be read."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            return tuple(file.read().decode(errors="replace").splitlines()[-lines:])
    except OSError:
        return ()


def _failure(entry: StageRecord, folder: RunFolder, *, several: bool) -> Iterator[str]:
    last = entry.attempts[-1]
    log = log_of(folder, entry.task.job, last.number)
    reason = last.outcome.reason if last.outcome is not None else ""
    attempt = f", attempt {last.number}" if last.number > 1 else ""
    allowed = " as allowed" if entry.status == "allowed" else ""
    yield ""
    name = entry.task.id.display_name(several=several)
    yield f"{name} failed{allowed}: {reason or 'no status'}{attempt}, {SECONDS.words(entry.seconds)}"
    for line in tail(log):
        yield f"  | {COLOUR.sub('', line)}"
    yield f"  {log}" if log.exists() else "  no output"
