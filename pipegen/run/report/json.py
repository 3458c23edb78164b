"""The report of a run as a JSON document that is a contract: see docs/run.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pipegen.run.local.executors.local import log_of
from pipegen.run.outcome import Status
from pipegen.run.report.about import About
from pipegen.run.report.record import RunRecord, StageRecord

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
            {"pipeline": one.task.id.pipeline, "stage": one.task.id.stage, "seconds": _rounded(one.elapsed)}
            for one in record.critical_path()
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
                "number": one.number,
                "started": _rounded(one.started),
                "ended": _rounded(one.ended),
                "ending": one.outcome.ending.value if one.outcome is not None else None,
                "failure": one.outcome.failure.value if one.outcome is not None and one.outcome.failure else None,
                "exit_code": one.outcome.exit_code if one.outcome is not None else None,
                "reason": one.outcome.reason if one.outcome is not None else "",
                "log": _log(log_of(about.folder, entry.task.job, one.number)),
            }
            for one in entry.tries
        ],
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _log(path: Path) -> str | None:
    """Return the name of a log; None of one that is not there, as nothing was printed."""
    return str(path) if path.exists() else None
