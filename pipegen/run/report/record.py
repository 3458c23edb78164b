"""What happened in a run, stage by stage: what summaries and reports tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipegen.run.bounds import TaskPath, longest_path
from pipegen.run.events import Cause, Ended, Over, Parked, Ready, RunEvent, Skipped, Started
from pipegen.run.model import Outcome, PipelineRun, RunMachine, Task, TaskId
from pipegen.run.outcome import Reason, Status
from pipegen.run.simulation import Simulation
from pipegen.run.timeline import Timeline
from pipegen.structs import MutableStruct, field


class Try(MutableStruct):
    """One try, in seconds since the run began; what came of it is None while it runs."""

    number: int
    started: float
    ended: float | None = None
    outcome: Outcome | None = None


class StageRecord(MutableStruct):
    """What has become of a stage.

    *waits* is what it waits for now, and *what* names it; *is_over* says that no other try follows, *is_earlier* that
    it ended in the run that this one goes on with.
    """

    task: Task
    ready: float | None = None
    tries: list[Try] = field(default_factory=list)
    skipped: Reason | None = None
    waits: Cause | None = None
    what: str = ""
    is_over: bool = False
    is_earlier: bool = False

    @property
    def outcome(self) -> Outcome | None:
        """What came of its last try."""
        return self.tries[-1].outcome if self.tries else None

    @property
    def is_running(self) -> bool:
        """Whether a try of it runs."""
        return bool(self.tries) and self.tries[-1].ended is None

    @property
    def status(self) -> str:
        """What came of it: success, reused, failed, allowed, cancelled, skipped or earlier; "" while that is open."""
        if self.is_earlier:
            return "earlier"
        if self.skipped is not None:
            return "skipped"
        if not self.is_over or self.outcome is None:
            return ""
        return "allowed" if self.outcome.is_allowed(self.task.job) else self.outcome.ending.value

    @property
    def elapsed(self) -> float:
        """How long it was from its first try to the end of its last one: waits between them count."""
        ended = [one.ended for one in self.tries if one.ended is not None]
        return max(ended) - self.tries[0].started if ended else 0.0

    @property
    def seconds(self) -> float:
        """How long its tries took, together."""
        return sum(one.ended - one.started for one in self.tries if one.ended is not None)


class RunRecord:
    """Hears of all that happens in *runs*; those *earlier* have ended in the run that this one goes on with."""

    def __init__(self, runs: Sequence[PipelineRun], earlier: Collection[TaskId] = ()) -> None:
        self.runs = tuple(runs)
        self.entries: Mapping[TaskId, StageRecord] = {
            task.id: StageRecord(task, is_earlier=task.id in earlier, is_over=task.id in earlier)
            for run in runs
            for task in run.tasks
        }
        self.statuses: dict[str, Status] = {}
        self._timeline = Timeline()
        self.seconds = 0.0

    def hear(self, event: RunEvent) -> None:
        """Take note of *event*."""
        self.seconds = max(self.seconds, event.time)
        self._timeline.hear(event)
        match event:
            case Ready(task=task):
                self.entries[task].ready = event.time
            case Parked(task=task, cause=cause, what=what):
                self.entries[task].waits, self.entries[task].what = cause, what
            case Started(attempt=attempt):
                entry = self.entries[attempt.task.id]
                entry.waits, entry.what = None, ""
                entry.tries.append(Try(attempt.number, event.time))
            case Ended(attempt=attempt, outcome=outcome, is_final=is_final):
                entry = self.entries[attempt.task.id]
                if entry.tries[-1].ended is None:
                    entry.tries[-1].ended = event.time
                entry.tries[-1].outcome = outcome
                entry.is_over = is_final
            case Skipped(task=task, reason=reason):
                self.entries[task].skipped = reason
                self.entries[task].is_over = True
            case Over(pipeline=pipeline, status=status):
                self.statuses[pipeline] = status

    @property
    def is_success(self) -> bool:
        """Whether all pipelines have succeeded."""
        return all(self.statuses.get(run.name) is Status.SUCCESS for run in self.runs)

    def failures(self) -> tuple[StageRecord, ...]:
        """Return the stages that have failed, also those that may, in the order in which they ended."""
        found = [one for one in self.entries.values() if one.status in ("failed", "allowed")]
        return tuple(sorted(found, key=lambda one: one.tries[-1].ended or 0.0))

    def critical_path(self) -> tuple[StageRecord, ...]:
        """Return the chain of stages, each after the one before, that took longest: one of these to shorten."""
        seconds = {task: entry.elapsed for task, entry in self.entries.items()}
        paths = (longest_path(run, seconds) for run in self.runs)
        path = max(paths, key=lambda one: one.seconds, default=TaskPath())
        return tuple(self.entries[task] for task in path.tasks if self.entries[task].tries)

    def picture(self, machines: Sequence[RunMachine]) -> Simulation:
        """Return the run on *machines* as a run on paper is told, for its charts."""
        bars = self._timeline.bars()
        path = self.critical_path()
        return Simulation(
            pipelines=tuple(run.name for run in self.runs),
            machines=tuple(machines),
            bars=bars,
            makespan=self.seconds,
            work=sum(bar.seconds * bar.task.demand.slots for bar in bars),
            path=TaskPath(tuple(one.task.id for one in path), sum(one.elapsed for one in path)),
        )
