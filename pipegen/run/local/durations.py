"""How long stages take here, by the journals of the last runs."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import TypeAlias

from pipegen.run.checksum import opened, with_checksum
from pipegen.run.files.removal import remove
from pipegen.run.files.run_folder import RunFolder, earlier
from pipegen.run.journal import UnreadableJournalError, read
from pipegen.run.model import TaskId
from pipegen.structs import Struct

# How many of the last runs are looked at, and how many of them say how long a stage takes.
_RUNS, _SAMPLES = 10, 5
# Grows when what stands in the summary comes to mean something else.
_FORMAT = 2

# What took longer did not: so many seconds are more than thirty years.
_LONGEST = 1e9

# By pipeline and stage.
_Seconds: TypeAlias = dict[str, dict[str, float]]


class _Summary(Struct):
    """What the last runs told, by their names."""

    format: int
    runs: dict[str, _Seconds]


def known_durations(around: Path) -> dict[TaskId, float]:
    """Return how many seconds stages take, by the last runs in *around*: the median of the last few that ended well.

    A summary there saves reading journals again: it holds what each of the last runs told.
    """
    summary = around / "durations.json"
    told = _told(summary)
    runs = {run.path.name: run for run in earlier(around)[:_RUNS]}
    found = {name: told[name] if name in told else _seconds(run) for name, run in runs.items()}
    if found.keys() != told.keys():
        _write(summary, found)
    samples: dict[TaskId, list[float]] = {}
    for run in found.values():
        for pipeline, stages in run.items():
            for stage, seconds in stages.items():
                if 0 <= seconds <= _LONGEST:
                    samples.setdefault(TaskId(pipeline, stage), []).append(seconds)
    return {task: median(times[:_SAMPLES]) for task, times in samples.items()}


def _seconds(run: RunFolder) -> _Seconds:
    """Return what the journal of *run* tells; one that cannot be read as a whole tells nothing."""
    found: _Seconds = {}
    with contextlib.suppress(OSError, UnreadableJournalError):
        story = read(run.journal)
        for task, seconds in story.durations.items() if not story.lost else ():
            found.setdefault(task.pipeline, {})[task.stage] = round(seconds, 6)
    return found


def _told(summary: Path) -> dict[str, _Seconds]:
    """Return what *summary* holds, by run; nothing where it is not there as it was written."""
    try:
        data = opened(summary.read_bytes(), _Summary)
    except OSError:
        return {}
    return data.runs if data is not None and data.format == _FORMAT else {}


def _write(summary: Path, runs: Mapping[str, _Seconds]) -> None:
    """Write *summary* in one step; of several processes the last one wins, and nothing is lost by that."""
    with contextlib.suppress(OSError):
        handle, made = tempfile.mkstemp(prefix=f".{summary.name}.", dir=summary.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(with_checksum({"format": _FORMAT, "runs": runs}))
            if summary.is_dir():
                remove(summary)
            Path(made).replace(summary)
        finally:
            remove(Path(made))
