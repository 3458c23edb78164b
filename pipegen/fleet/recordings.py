"""Recorded runs of engines as load: arrivals, durations and failures from answers of their APIs, saved in files.

GitLab: https://docs.gitlab.com/api/jobs/#list-project-jobs. Jenkins: `api/json` of a job, and `wfapi/runs` of the
Pipeline: REST API plugin, https://plugins.jenkins.io/pipeline-rest-api/.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from typing import Any

from pipegen.config.files.load import load
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Value, write
from pipegen.fleet.measures import percentile
from pipegen.run.chart.times import SECONDS
from pipegen.run.simulation import counted
from pipegen.source.text import SourceFile, Span
from pipegen.structs import MutableStruct, field

_LARGEST = 64 * 1024 * 1024
_MILLI = 0.001
# The year 2200, in milliseconds: later times are invalid.
_LATEST = 7.3e12
_DAY = 86_400
# The file of a fleet takes no longer times.
_LONGEST = 30 * 365 * _DAY
# Shorter times keep a decimal.
_SHORT = 10
_HINT = (
    "save the answer of projects/ID/jobs of GitLab's API, or of job/NAME/wfapi/runs or "
    "job/NAME/api/json?tree=allBuilds[number,timestamp] of Jenkins"
)
# What GitLab and Jenkins call the ends of jobs and stages.
_SUCCESSES, _FAILURES = frozenset({"success", "SUCCESS", "UNSTABLE"}), frozenset({"failed", "FAILED"})


def read_recordings(paths: Sequence[Path], report: Report) -> str:
    """Return the load that the files at *paths* recorded together."""
    recording = Recording()
    for path in paths:
        recording.read(path, report)
    report.stop_if_errors()
    return _as_load(recording)


class Recording(MutableStruct):
    """Recorded runs: the *starts* of pipelines by their numbers, in seconds of Unix time, and their stages by name."""

    starts: dict[str, float] = field(default_factory=dict)
    durations: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    waits: list[float] = field(default_factory=list)
    # The jobs and runs that were read: pages of an answer can overlap.
    _known: set[str] = field(default_factory=set)

    def read(self, path: Path, report: Report) -> None:
        """Add the runs in the file at *path*; report a file that is not a recording."""
        file = load(path, report, largest=_LARGEST)
        report.stop_if_errors()
        try:
            self._add(json.loads(file.text))
        except json.JSONDecodeError as error:
            _report("the file is not valid JSON", file, error.pos, report)
        except ValueError:  # numbers with thousands of digits
            _report("the file is not valid JSON", file, 0, report)
        except RecursionError:
            _report("the file is nested too deeply", file, 0, report)
        except _RecordError as error:
            _report(str(error), file, 0, report)

    def _add(self, answer: object) -> None:
        if isinstance(answer, dict):
            if "stages" in answer:
                self._add_run(answer)
            self._add_builds(answer)
        elif isinstance(answer, list):
            self._add_records(answer, lambda row: self._add_run(row) if "stages" in row else self._add_job(row))
        if not self.starts:
            message = "the file has no jobs, builds or runs"
            raise _RecordError(message)
        if max(self.starts.values()) - min(self.starts.values()) > _LONGEST:
            message = "the pipelines started more than 30 years apart"
            raise _RecordError(message)

    @staticmethod
    def _add_records(records: Sequence[object], add: Callable[[Mapping[str, Any]], None]) -> None:
        for number, record in enumerate(records, start=1):
            try:
                add(_mapping(record, "it"))
            except _RecordError as error:
                message = f"record {number} of the file is invalid: {error}"
                raise _RecordError(message) from None

    def _add_job(self, job: Mapping[str, Any]) -> None:
        """Add a job of GitLab."""
        pipeline = "pipeline " + _identity(_mapping(job.get("pipeline"), 'its "pipeline"'), "id")
        created = _time(job, "created_at")
        self.starts[pipeline] = min(created, self.starts.get(pipeline, created))
        if self._is_new(f"job {_identity(job, 'id')}"):
            self._add_stage(_job_name(job), str(job.get("status")), _number(job, "duration"))
            if job.get("queued_duration") is not None:
                self.waits.append(_number(job, "queued_duration"))

    def _add_builds(self, job: Mapping[str, Any], path: str = "") -> None:
        """Add the builds of a job of Jenkins, or of the jobs in a multibranch project or folder at *path*."""
        # Jenkins has the last 100 builds in `builds`, and all of them, if they are requested, in `allBuilds`
        # (hudson.model.Job, getNewBuilds and getBuilds).
        builds, jobs = job.get("allBuilds") or job.get("builds"), job.get("jobs")
        if isinstance(builds, list):
            self._add_records(builds, lambda build: self._add_build(build, path))
        if isinstance(jobs, list):
            self._add_records(jobs, lambda inner: self._add_builds(inner, f"{path}{_name(inner)}/"))

    def _add_build(self, build: Mapping[str, Any], path: str) -> None:
        """Add a build of the job at *path*, whose record says nothing of its stages."""
        start = _number(build, "timestamp", is_required=True) * _MILLI
        self.starts[f"build {path}{_identity(build, 'number')}"] = start

    def _add_run(self, run: Mapping[str, Any]) -> None:
        """Add a run of Jenkins with its stages."""
        build = f"build {_identity(run, 'id')}"
        self.starts[build] = _number(run, "startTimeMillis", is_required=True) * _MILLI
        stages = run["stages"]
        if self._is_new(build) and isinstance(stages, list):
            for stage in (_mapping(stage, "a stage") for stage in stages):
                # A person who approves takes no machine.
                seconds = (_number(stage, "durationMillis") - _number(stage, "pauseDurationMillis")) * _MILLI
                self._add_stage(_name(stage), str(stage.get("status")), max(seconds, 0.0))

    def _add_stage(self, name: str, status: str, seconds: float) -> None:
        if seconds > _LONGEST:
            message = "a stage took more than 30 years"
            raise _RecordError(message)
        if status in _SUCCESSES:
            self.durations[name].append(seconds)
        elif status in _FAILURES:
            self.failures[name] += 1

    def _is_new(self, key: str) -> bool:
        is_new = key not in self._known
        self._known.add(key)
        return is_new


class _RecordError(Exception):
    """A record without a necessary value."""


def _as_load(recording: Recording) -> str:
    """Return *recording* as a part of the file of a fleet: its load, and the duration of the simulation."""
    starts = sorted(recording.starts.values())
    monday = _monday(starts[0])
    times = [round(start - monday) for start in starts]
    load_: dict[str, Value] = {
        "config": "pipegen.yaml",
        "arrivals": {"times": times},
        **({"durations": _durations(recording)} if recording.durations else {}),
        **({"failures": _failures(recording)} if recording.failures else {}),
    }
    document: dict[str, Value] = {"duration": f"{max(7, ceil((times[-1] + 1) / _DAY))} days", "load": [load_]}
    return write(document, _header(recording, monday))


def _header(recording: Recording, monday: float) -> Iterable[str]:
    first = datetime.fromtimestamp(monday, UTC)
    yield f"{counted(len(recording.starts), 'recorded pipeline')}, in seconds after Monday {first:%Y-%m-%d} 0:00 UTC."
    if recording.waits:
        waits = sorted(recording.waits)
        words = [SECONDS.words(round(percentile(waits, percent), 1)) for percent in (50, 95)]
        yield f"{counted(len(waits), 'job')} waited {words[0]} (median), {words[1]} (p95)."


def _durations(recording: Recording) -> dict[str, Value]:
    durations: dict[str, Value] = {}
    for name, seconds in sorted(recording.durations.items()):
        ordered = sorted(seconds)
        median, p95 = _rounded(percentile(ordered, 50)), _rounded(percentile(ordered, 95))
        durations[name] = {"median": median, "p95": p95} if 0 < median < p95 else median
    return durations


def _failures(recording: Recording) -> dict[str, Value]:
    return {
        name: round(count / (count + len(recording.durations.get(name, ()))), 4)
        for name, count in sorted(recording.failures.items())
    }


def _rounded(seconds: float) -> float:
    return round(seconds, 1) if seconds < _SHORT else round(seconds)


def _monday(time: float) -> float:
    """Return the beginning of the week of *time*, in UTC."""
    date = datetime.fromtimestamp(time, UTC)
    midnight = date.replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - timedelta(days=date.weekday())).timestamp()


# Values of records


def _job_name(job: Mapping[str, Any]) -> str:
    """Return the name of the job before `parallel` made several of it: `test 1/3`, `test: [3.12, linux]`."""
    name = _name(job).partition(": [")[0]
    first, _, last = name.rpartition(" ")
    return first if first and last.replace("/", "", 1).isdigit() and "/" in last else name


def _name(record: Mapping[str, Any]) -> str:
    name = record.get("name")
    if not isinstance(name, str) or not name:
        message = 'it has no "name"'
        raise _RecordError(message)
    # JSON can escape halves of characters.
    return name.encode(errors="replace").decode()


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        message = f"{what} is not an object"
        raise _RecordError(message)
    return value


def _identity(record: Mapping[str, Any], key: str) -> str:
    """Return the number of *record* on its engine."""
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, int | str):
        message = f'it has no "{key}"'
        raise _RecordError(message)
    return str(value)


def _number(record: Mapping[str, Any], key: str, *, is_required: bool = False) -> float:
    value = record.get(key)
    if value is None and not is_required:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LATEST:
        message = f'it has no valid "{key}"'
        raise _RecordError(message)
    return float(value)


def _time(record: Mapping[str, Any], key: str) -> float:
    try:
        time = datetime.fromisoformat(record.get(key, "")).timestamp()
    except (TypeError, ValueError, OverflowError):
        time = -1.0
    if time < 0:
        message = f'it has no valid "{key}"'
        raise _RecordError(message)
    return time


def _report(message: str, file: SourceFile, offset: int, report: Report) -> None:
    report.add(codes.INVALID_RECORDING, message, at=Span(file, offset, offset), hint=_HINT)
