"""The report of a run as a JSON document; the format is documented in docs/run.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pipegen.run.local.executors.local import log_of
from pipegen.run.report.formats import About
from pipegen.run.report.record import RunRecord, StageRecord
from pipegen.run.status import Status

VERSION = 1


def render(record: RunRecord, about: About) -> str:
    """Return the document; times are seconds since the run began."""
    data = {
        "version": VERSION,
        "run": about.folder.id,
        "config": about.config,
        "started": f"{about.started:%Y-%m-%dT%H:%M:%SZ}",
        "seconds": _rounded(record.seconds),
        "status": about.status,
        "pipelines": [
            {
                "name": run.name,
                "status": record.statuses.get(run.name, Status.UNKNOWN).value,
                "stages": [_stage(record.entries[task.id], about) for task in run.tasks],
            }
            for run in record.runs
        ],
        "longest_path": [
            {"pipeline": entry.task.id.pipeline, "stage": entry.task.id.stage, "seconds": _rounded(entry.elapsed)}
            for entry in record.critical_path()
        ],
    }
    return json.dumps(data, indent=2) + "\n"


def _stage(entry: StageRecord, about: About) -> Mapping[str, object]:
    return {
        "name": entry.task.id.stage,
        "status": entry.status or "not run",
        "skipped": entry.skipped.value if entry.skipped is not None else None,
        "ready": _rounded(entry.ready),
        "seconds": _rounded(entry.seconds),
        "tries": [
            {
                "number": attempt.number,
                "started": _rounded(attempt.started),
                "ended": _rounded(attempt.ended),
                "ending": attempt.outcome.result.value if attempt.outcome is not None else None,
                "failure": attempt.outcome.failure.value
                if attempt.outcome is not None and attempt.outcome.failure
                else None,
                "exit_code": attempt.outcome.exit_code if attempt.outcome is not None else None,
                "reason": attempt.outcome.reason if attempt.outcome is not None else "",
                "log": _log(log_of(about.folder, entry.task.job, attempt.number)),
            }
            for attempt in entry.attempts
        ],
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _log(path: Path) -> str | None:
    """Return the path of a log; None if there is none because nothing was printed."""
    return str(path) if path.exists() else None
