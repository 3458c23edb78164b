"""The journal of a run: its events, one per line, to resume the run and to time later ones.

Each line is a JSON object with a checksum, written at once before the engine continues. An attempt has one line, when
it has ended: a resumed run repeats the others. Readers ignore a line that was cut off by a kill, and count lines that
were damaged later. A resumed run appends to the same file after a new header line. Times are seconds since the last
header line.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from pipegen.plan.model import Failure, Plan
from pipegen.run.checksum import verified, with_checksum
from pipegen.run.events import Ended, PipelineEnded, RunEvent, Skipped, Started
from pipegen.run.model import AttemptResult, Outcome, TaskId
from pipegen.run.status import Status
from pipegen.structs import MutableStruct, Struct, field, replace

# Incremented when the meaning of the lines changes.
FORMAT = 2


class _Line(Struct, kw_only=True):
    """The content of a line of any kind."""

    journal: int | None = None
    plan: str = ""
    event: str = ""
    time: float = 0.0
    started: float | None = None
    pipeline: str = ""
    stage: str = ""
    status: str = ""
    is_final: bool = False
    is_kept: bool = False
    ending: str = ""
    failure: str | None = None
    exit_code: int | None = None
    reason: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)


class UnreadableJournalError(ValueError):
    """The file is not a journal, or has another format."""


class Journal:
    """Appends events to *path*; *plan* is a digest of the pipelines that run.

    If writing fails, the journal ends, the run continues, and *warn* is called. Outcomes with values that contain a
    secret, as *hides* says, are not stored.
    """

    def __init__(
        self,
        path: Path,
        plan: str,
        warn: Callable[[str], None] = lambda _: None,
        hides: Callable[[bytes], bool] = lambda _: False,
    ) -> None:
        self._hides = hides
        self._path, self._warn, self._is_full = path, warn, False
        self._started: dict[TaskId, float] = {}
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        _end_line(path, self._file)
        self._write({"journal": FORMAT, "plan": plan})

    def notify(self, event: RunEvent) -> None:
        """Write *event* if a later run needs it."""
        match event:
            case Started():
                self._started[event.attempt.task.id] = event.time
            case Ended():
                task = event.attempt.task.id
                common = {**_event_data("ended", event, task), "started": self._started.get(task)}
                outcome = event.outcome
                has_secret = any(self._hides(value) for _, value in outcome.outputs)
                stored = replace(outcome, outputs=()) if has_secret else outcome
                is_kept = not has_secret and not outcome.is_waiting
                self._write({**common, "is_final": event.is_final, "is_kept": is_kept, **_outcome_data(stored)})
            case Skipped():
                self._write({**_event_data("skipped", event, event.task), "reason": event.reason.name})
            case PipelineEnded():
                self._write(
                    {"event": "over", "time": event.time, "pipeline": event.pipeline, "status": event.status.name}
                )

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, data: Mapping[str, object]) -> None:
        if self._is_full:
            return
        try:
            self._put(with_checksum(data) + b"\n")
        except OSError as error:
            self._is_full = True
            self._warn(f"{self._path}: {error.strerror}: --resume will repeat the stages that end from now on")

    def _put(self, line: bytes) -> None:
        while line:
            line = line[os.write(self._file, line) :]


class JournalContent(MutableStruct):
    """The content of a journal.

    Attributes:
        plan: the digest of the pipelines that ran.
        ended: the outcomes of stages that ended without being cancelled.
        durations: the seconds of the last attempts of stages that succeeded.
        over: the statuses of pipelines that ended.
        lost: the number of damaged lines.
    """

    plan: str
    ended: dict[TaskId, Outcome] = field(default_factory=dict)
    durations: dict[TaskId, float] = field(default_factory=dict)
    over: dict[str, Status] = field(default_factory=dict)
    lost: int = 0


def read(path: Path) -> JournalContent:
    """Return the content of the journal at *path*; raise `UnreadableJournalError` if it is not a journal."""
    content: JournalContent | None = None
    lost = 0
    for line in _lines(path):
        if line is None:
            lost += 1
        elif line.journal is not None:
            if line.journal != FORMAT:
                raise UnreadableJournalError(f"a journal of format {line.journal}, not {FORMAT}")
            content = JournalContent(line.plan) if content is None else content
            content.over.clear()
        elif content is None:
            break
        elif not _is_taken(line, content):
            lost += 1
    if content is None:
        raise UnreadableJournalError("not a journal of a run")
    content.lost = lost
    return content


def finished(content: JournalContent, plans: Iterable[Plan]) -> dict[TaskId, Outcome]:
    """Return the outcomes that a resumed run keeps: stages of *plans* that succeeded or were allowed to fail.

    Finally stages depend on the whole pipeline, so they run again unless the pipeline succeeded.
    """
    outcomes = {}
    for plan in plans:
        is_over = content.over.get(plan.name) is Status.SUCCESS
        for job in plan.jobs:
            outcome = content.ended.get(TaskId(plan.name, job.stage))
            if outcome is None or (job.is_final and not is_over):
                continue
            if outcome.result is not AttemptResult.FAILED or outcome.is_allowed(job):
                outcomes[TaskId(plan.name, job.stage)] = outcome
    return outcomes


def _is_taken(line: _Line, content: JournalContent) -> bool:
    """Add *line* to *content*; return False, and add nothing, if the line is invalid."""
    try:
        _take(line, content)
    except (KeyError, ValueError):
        return False
    return True


def _take(line: _Line, content: JournalContent) -> None:
    if line.event == "over":
        content.over[line.pipeline] = Status[line.status]
        return
    if line.event == "ended" and line.is_final and line.ending != AttemptResult.CANCELLED.name:
        task = TaskId(line.pipeline, line.stage)
        outcome = _outcome(line)
        if line.is_kept:
            content.ended[task] = outcome
        # A reused result says nothing about the duration.
        if line.started is not None and outcome.result is AttemptResult.SUCCESS:
            content.durations[task] = line.time - line.started


def _lines(path: Path) -> Iterator[_Line | None]:
    """Yield valid lines, and None for damaged ones, except for a last line that was cut off."""
    with path.open("rb") as file:
        for line in file:
            data = verified(line, _Line)
            if data is not None or line.endswith(b"\n"):
                yield data


def _end_line(path: Path, file: int) -> None:
    """End the last line, or remove it if it was cut off, so that the next one starts on its own line."""
    with path.open("rb") as lines:
        last = b""
        for line in lines:
            last = line
        if last and not last.endswith(b"\n"):
            if verified(last, _Line) is not None:
                os.write(file, b"\n")
            else:
                os.ftruncate(file, lines.tell() - len(last))


def _event_data(kind: str, event: RunEvent, task: TaskId) -> dict[str, object]:
    return {"event": kind, "time": event.time, "pipeline": task.pipeline, "stage": task.stage}


def _outcome_data(outcome: Outcome) -> dict[str, object]:
    return {
        "ending": outcome.result.name,
        "failure": outcome.failure.name if outcome.failure is not None else None,
        "exit_code": outcome.exit_code,
        "reason": outcome.reason,
        "outputs": {name: base64.b64encode(value).decode() for name, value in outcome.outputs},
    }


def _outcome(line: _Line) -> Outcome:
    return Outcome(
        result=AttemptResult[line.ending],
        failure=Failure[line.failure] if line.failure is not None else None,
        exit_code=line.exit_code,
        reason=line.reason,
        outputs=tuple((name, base64.b64decode(value)) for name, value in line.outputs.items()),
    )
