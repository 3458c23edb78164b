"""The journal of a run: what happened, line by line, so that a run that was killed can go on, and the next be timed.

Each line is a JSON object with a seal, written in one piece, before the engine goes on; a line that was cut short when
the process was killed is as if it had never been, and so is one that was damaged later, which is counted. A run that
goes on writes into the same file, behind a line that says so. Times are seconds since the line that begins the run, or
goes on with it.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from pipegen.plan.model import Failure, Plan
from pipegen.run.checksum import opened, with_checksum
from pipegen.run.events import Ended, Over, RunEvent, Skipped, Started
from pipegen.run.model import AttemptResult, Outcome, TaskId
from pipegen.run.outcome import Status
from pipegen.structs import MutableStruct, Struct, field, replace

# Grows when the lines come to mean something else.
FORMAT = 2


class _Line(Struct, kw_only=True):
    """What stands in a line, of whatever kind it is."""

    journal: int | None = None
    plan: str = ""
    event: str = ""
    time: float = 0.0
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
    """A file that is no journal, or one of another format."""


class Journal:
    """Writes what it hears to the end of *path*; *plan* is a digest of what is run.

    Where the disk takes no more, the journal ends, and not the run: *complain* is told. What came of a stage that bound
    a value which *hides* something is not kept.
    """

    def __init__(
        self,
        path: Path,
        plan: str,
        complain: Callable[[str], None] = lambda _: None,
        hides: Callable[[bytes], bool] = lambda _: False,
    ) -> None:
        self._hides = hides
        self._path, self._complain, self._is_full = path, complain, False
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        _end_line(path, self._file)
        self._write({"journal": FORMAT, "plan": plan})

    def hear(self, event: RunEvent) -> None:
        """Write *event* where somebody will want to know of it."""
        match event:
            case Started():
                self._write({**_told("started", event, event.attempt.task.id), "try": event.attempt.number})
            case Ended():
                about = _told("ended", event, event.attempt.task.id)
                outcome = event.outcome
                has_secret = any(self._hides(value) for _, value in outcome.outputs)
                kept = replace(outcome, outputs=()) if has_secret else outcome
                is_kept = not has_secret and not outcome.is_waiting
                self._write({**about, "is_final": event.is_final, "is_kept": is_kept, **_outcome_data(kept)})
            case Skipped():
                self._write({**_told("skipped", event, event.task), "reason": event.reason.name})
            case Over():
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
            self._complain(f"{self._path}: {error.strerror}: --resume will repeat what comes to an end from now on")

    def _put(self, line: bytes) -> None:
        while line:
            line = line[os.write(self._file, line) :]


class JournalContent(MutableStruct):
    """What a journal tells.

    Attributes:
        plan: the digest of what was run.
        ended: what came of the stages that came to an end of their own, well or not.
        durations: how many seconds the last tries took of those that ended well.
        over: the pipelines whose runs have ended, and how.
        lost: how many lines are not what was written.
    """

    plan: str
    ended: dict[TaskId, Outcome] = field(default_factory=dict)
    durations: dict[TaskId, float] = field(default_factory=dict)
    over: dict[str, Status] = field(default_factory=dict)
    lost: int = 0


def read(path: Path) -> JournalContent:
    """Return what the journal at *path* tells; raise `UnreadableJournalError` where it is none."""
    story: JournalContent | None = None
    started: dict[TaskId, float] = {}
    lost = 0
    for line in _lines(path):
        if line is None:
            lost += 1
        elif line.journal is not None:
            if line.journal != FORMAT:
                raise UnreadableJournalError(f"a journal of format {line.journal}, not {FORMAT}")
            story = JournalContent(line.plan) if story is None else story
            story.over.clear()
            started.clear()
        elif story is None:
            break
        elif not _is_taken(line, story, started):
            lost += 1
    if story is None:
        raise UnreadableJournalError("no journal of a run")
    story.lost = lost
    return story


def finished(story: JournalContent, plans: Iterable[Plan]) -> dict[TaskId, Outcome]:
    """Return what a run that goes on need not repeat: the stages of *plans* that succeeded or were allowed to fail.

    Finally stages tell of the whole, so they run again unless all has ended well.
    """
    found = {}
    for plan in plans:
        is_over = story.over.get(plan.name) is Status.SUCCESS
        for job in plan.jobs:
            outcome = story.ended.get(TaskId(plan.name, job.stage))
            if outcome is None or (job.is_final and not is_over):
                continue
            if outcome.ending is not AttemptResult.FAILED or outcome.is_allowed(job):
                found[TaskId(plan.name, job.stage)] = outcome
    return found


def _is_taken(line: _Line, story: JournalContent, started: dict[TaskId, float]) -> bool:
    """Add what *line* tells to *story*; return False, with nothing added, where no journal tells that."""
    try:
        _take(line, story, started)
    except (KeyError, ValueError):
        return False
    return True


def _take(line: _Line, story: JournalContent, started: dict[TaskId, float]) -> None:
    if line.event == "over":
        story.over[line.pipeline] = Status[line.status]
        return
    task = TaskId(line.pipeline, line.stage)
    if line.event == "started":
        started[task] = line.time
    elif line.event == "ended" and line.is_final and line.ending != AttemptResult.CANCELLED.name:
        outcome = _outcome(line)
        if line.is_kept:
            story.ended[task] = outcome
        # What was taken from the cache says nothing of the time it takes.
        if task in started and outcome.ending is AttemptResult.SUCCESS:
            story.durations[task] = line.time - started[task]


def _lines(path: Path) -> Iterator[_Line | None]:
    """Yield the lines that are whole, None for one that is not, but for the last: it was cut short by a kill."""
    with path.open("rb") as file:
        for line in file:
            data = opened(line, _Line)
            if data is not None or line.endswith(b"\n"):
                yield data


def _end_line(path: Path, file: int) -> None:
    """End the last line, or remove it where it was cut short, so that the next one stands by itself."""
    with path.open("rb") as written:
        last = b""
        for line in written:
            last = line
        if last and not last.endswith(b"\n"):
            if opened(last, _Line) is not None:
                os.write(file, b"\n")
            else:
                os.ftruncate(file, written.tell() - len(last))


def _told(what: str, event: RunEvent, task: TaskId) -> dict[str, object]:
    return {"event": what, "time": event.time, "pipeline": task.pipeline, "stage": task.stage}


def _outcome_data(outcome: Outcome) -> dict[str, object]:
    return {
        "ending": outcome.ending.name,
        "failure": outcome.failure.name if outcome.failure is not None else None,
        "exit_code": outcome.exit_code,
        "reason": outcome.reason,
        "outputs": {name: base64.b64encode(value).decode() for name, value in outcome.outputs},
    }


def _outcome(line: _Line) -> Outcome:
    return Outcome(
        ending=AttemptResult[line.ending],
        failure=Failure[line.failure] if line.failure is not None else None,
        exit_code=line.exit_code,
        reason=line.reason,
        outputs=tuple((name, base64.b64decode(value)) for name, value in line.outputs.items()),
    )
