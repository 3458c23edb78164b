"""Durations of stages from the journals of the last local runs."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import TypeAlias

from pipegen.run.checksum import verified, with_checksum
from pipegen.run.files.removal import remove
from pipegen.run.files.run_folder import RunFolder, earlier
from pipegen.run.journal import UnreadableJournalError, read
from pipegen.run.model import TaskId
from pipegen.structs import Struct

# The number of runs to read, and the number of durations that count for a stage.
_RUNS, _SAMPLES = 10, 5
# Incremented when the meaning of the summary changes.
_FORMAT = 2

# Longer durations (30 years) are invalid.
_LONGEST = 1e9

# By pipeline and stage.
_Seconds: TypeAlias = dict[str, dict[str, float]]


class _Summary(Struct):
    """The durations of the last runs, by the names of their folders."""

    format: int
    runs: dict[str, _Seconds]


def known_durations(runs_folder: Path) -> dict[TaskId, float]:
    """Return the seconds of stages: the median of the last successful attempts in *runs_folder*.

    A summary file has the durations of most runs; the journals of the others are read.
    """
    summary = runs_folder / "durations.json"
    cached = _cached(summary)
    runs_seconds = {
        run.path.name: cached[run.path.name] if run.path.name in cached else _from_journal(run)
        for run in earlier(runs_folder)[:_RUNS]
    }
    if runs_seconds.keys() != cached.keys():
        _write(summary, runs_seconds)
    samples: dict[TaskId, list[float]] = {}
    for run in runs_seconds.values():
        for pipeline, stages in run.items():
            for stage, seconds in stages.items():
                if 0 <= seconds <= _LONGEST:
                    samples.setdefault(TaskId(pipeline, stage), []).append(seconds)
    return {task: median(times[:_SAMPLES]) for task, times in samples.items()}


def add_durations(runs_folder: Path, run: RunFolder, durations: Mapping[TaskId, float]) -> None:
    """Add the *durations* of *run*, which has ended, to the summary, so that no later run reads its journal."""
    summary = runs_folder / "durations.json"
    runs_seconds = {run.path.name: _by_pipeline(durations), **_cached(summary)}
    _write(summary, dict(list(runs_seconds.items())[:_RUNS]))


def _from_journal(run: RunFolder) -> _Seconds:
    """Return the durations in the journal of *run*; none if it is damaged."""
    with contextlib.suppress(OSError, UnreadableJournalError):
        content = read(run.journal)
        if not content.lost:
            return _by_pipeline(content.durations)
    return {}


def _by_pipeline(durations: Mapping[TaskId, float]) -> _Seconds:
    seconds_by_pipeline: _Seconds = {}
    for task, seconds in durations.items():
        seconds_by_pipeline.setdefault(task.pipeline, {})[task.stage] = round(seconds, 6)
    return seconds_by_pipeline


def _cached(summary: Path) -> dict[str, _Seconds]:
    """Return the content of *summary* by run; {} if it is missing or damaged."""
    try:
        data = verified(summary.read_bytes(), _Summary)
    except OSError:
        return {}
    return data.runs if data is not None and data.format == _FORMAT else {}


def _write(summary: Path, runs: Mapping[str, _Seconds]) -> None:
    """Write *summary* atomically; of several processes, the last one wins without loss."""
    with contextlib.suppress(OSError):
        handle, temporary = tempfile.mkstemp(prefix=f".{summary.name}.", dir=summary.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(with_checksum({"format": _FORMAT, "runs": runs}))
            if summary.is_dir():
                remove(summary)
            Path(temporary).replace(summary)
        finally:
            remove(Path(temporary))
