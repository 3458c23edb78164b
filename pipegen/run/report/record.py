"""The record of a run, stage by stage, for summaries and reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipegen.run.bounds import TaskPath, longest_path
from pipegen.run.events import Cause, Ended, PipelineEnded, Ready, RunEvent, Skipped, Started, Waiting
from pipegen.run.model import AttemptResult, Outcome, PipelineRun, Task, TaskId
from pipegen.run.status import Reason, Status
from pipegen.structs import MutableStruct, field


class AttemptRecord(MutableStruct):
    """An attempt, in seconds since the start of the run; *outcome* is None while it runs."""

    number: int
    started: float
    ended: float | None = None
    outcome: Outcome | None = None


class StageRecord(MutableStruct):
    """The record of a stage.

    *waits* is the cause of its current wait and *what* the name of the lock or label; *is_over* means that no attempt
    follows, *is_earlier* that it ended in the run that this run resumes.
    """

    task: Task
    ready: float | None = None
    attempts: list[AttemptRecord] = field(default_factory=list)
    skipped: Reason | None = None
    waits: Cause | None = None
    what: str = ""
    is_over: bool = False
    is_earlier: bool = False

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of its last attempt."""
        return self.attempts[-1].outcome if self.attempts else None

    @property
    def is_running(self) -> bool:
        """Whether an attempt runs."""
        return bool(self.attempts) and self.attempts[-1].ended is None

    @property
    def status(self) -> str:
        """The status: success, reused, failed, allowed, cancelled, skipped or earlier; "" until it has ended."""
        if self.is_earlier:
            return "earlier"
        if self.skipped is not None:
            return "skipped"
        outcome = self.outcome
        if not self.is_over or outcome is None:
            return ""
        return "allowed" if outcome.is_allowed(self.task.job) else outcome.result.value

    @property
    def elapsed(self) -> float:
        """The time from the start of the first attempt to the end of the last one, including waits."""
        ended = [attempt.ended for attempt in self.attempts if attempt.ended is not None]
        return max(ended) - self.attempts[0].started if ended else 0.0

    @property
    def seconds(self) -> float:
        """The sum of the durations of the attempts."""
        return sum(attempt.ended - attempt.started for attempt in self.attempts if attempt.ended is not None)


class RunRecord:
    """A listener that records *runs*; tasks in *earlier* ended in the run that this run resumes."""

    def __init__(self, runs: Sequence[PipelineRun], earlier: Collection[TaskId] = ()) -> None:
        self.runs = tuple(runs)
        self.entries: Mapping[TaskId, StageRecord] = {
            task.id: StageRecord(task, is_earlier=task.id in earlier, is_over=task.id in earlier)
            for run in runs
            for task in run.tasks
        }
        self.statuses: dict[str, Status] = {}
        self.events: list[RunEvent] = []
        self.seconds = 0.0

    def notify(self, event: RunEvent) -> None:
        """Handle *event*."""
        self.seconds = max(self.seconds, event.time)
        self.events.append(event)
        match event:
            case Ready(task=task):
                self.entries[task].ready = event.time
            case Waiting(task=task, cause=cause, what=what):
                self.entries[task].waits, self.entries[task].what = cause, what
            case Started(attempt=attempt):
                entry = self.entries[attempt.task.id]
                entry.waits, entry.what = None, ""
                entry.attempts.append(AttemptRecord(attempt.number, event.time))
            case Ended(attempt=attempt, outcome=outcome, is_final=is_final):
                entry = self.entries[attempt.task.id]
                if entry.attempts[-1].ended is None:
                    entry.attempts[-1].ended = event.time
                entry.attempts[-1].outcome = outcome
                entry.is_over = is_final
            case Skipped(task=task, reason=reason):
                self.entries[task].skipped = reason
                self.entries[task].is_over = True
            case PipelineEnded(pipeline=pipeline, status=status):
                self.statuses[pipeline] = status

    @property
    def is_success(self) -> bool:
        """Whether all pipelines have succeeded."""
        return all(self.statuses.get(run.name) is Status.SUCCESS for run in self.runs)

    def failures(self) -> tuple[StageRecord, ...]:
        """Return the stages that failed, including allowed failures, in the order in which they ended."""
        failed = [entry for entry in self.entries.values() if entry.status in ("failed", "allowed")]
        return tuple(sorted(failed, key=lambda entry: entry.attempts[-1].ended or 0.0))

    def durations(self) -> dict[TaskId, float]:
        """Return the seconds of the last attempts of stages that succeeded in this run."""
        return {
            task: last.ended - last.started
            for task, entry in self.entries.items()
            if entry.status == AttemptResult.SUCCESS.value and (last := entry.attempts[-1]).ended is not None
        }

    def critical_path(self) -> tuple[StageRecord, ...]:
        """Return the chain of stages that took longest: shortening the run means shortening one of these."""
        seconds = {task: entry.elapsed for task, entry in self.entries.items()}
        paths = (longest_path(run, seconds) for run in self.runs)
        path = max(paths, key=lambda path: path.seconds, default=TaskPath())
        return tuple(self.entries[task] for task in path.tasks if self.entries[task].attempts)
