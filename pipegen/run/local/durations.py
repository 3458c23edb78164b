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

    A summary file caches the content of the journals.
    """
    summary = runs_folder / "durations.json"
    cached = _cached(summary)
    runs = {run.path.name: run for run in earlier(runs_folder)[:_RUNS]}
    runs_seconds = {name: cached[name] if name in cached else _seconds(run) for name, run in runs.items()}
    if runs_seconds.keys() != cached.keys():
        _write(summary, runs_seconds)
    samples: dict[TaskId, list[float]] = {}
    for run in runs_seconds.values():
        for pipeline, stages in run.items():
            for stage, seconds in stages.items():
                if 0 <= seconds <= _LONGEST:
                    samples.setdefault(TaskId(pipeline, stage), []).append(seconds)
    return {task: median(times[:_SAMPLES]) for task, times in samples.items()}


def _seconds(run: RunFolder) -> _Seconds:
    """Return the durations in the journal of *run*; none if it is damaged."""
    durations: _Seconds = {}
    with contextlib.suppress(OSError, UnreadableJournalError):
        content = read(run.journal)
        for task, seconds in content.durations.items() if not content.lost else ():
            durations.setdefault(task.pipeline, {})[task.stage] = round(seconds, 6)
    return durations


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
