"""Simulated runs for tests: short plans, a minimal scheduler with slots, and a record of all events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Deployment, Job, Limits, Plan, Selection, SharedResources, Timeout, Workspace
from pipegen.run.engine import Ask, Engine
from pipegen.run.events import Cause, Ended, Listener, PipelineEnded, Ready, RunEvent, Skipped, Started, Waiting
from pipegen.run.executors.simulated import SimulatedExecutor, VirtualClock
from pipegen.run.model import Attempt, AttemptResult, Outcome, PipelineRun, Task, TaskId
from pipegen.run.scheduling.base import Cycle, Placement, Refusal, Scheduler
from pipegen.run.status import Status
from pipegen.run.tasks import pipeline_run
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace

NOWHERE = Span(SourceFile("pipeline.yml", ""), 0, 0)
SUCCESS = Outcome(result=AttemptResult.SUCCESS)
FAILED = Outcome(result=AttemptResult.FAILED, exit_code=1)

# The properties of a stage in a test, besides its position in the order.
Limited = Mapping[str, Limits]


def job(stage: str, pipeline: str, *, is_final: bool, limits: Limits, deployment: Deployment) -> Job:
    """Return a job that does nothing."""
    return Job(
        stage=stage,
        pipeline=pipeline,
        slug=stage,
        span=NOWHERE,
        frame=None if is_final else 0,
        needs=(),
        reads=(),
        binds=(),
        inputs=(),
        outputs=(),
        files=(),
        artifacts=(),
        directory=".",
        steps=(),
        mail=None,
        shared=SharedResources(),
        limits=limits,
        deployment=deployment,
    )


def graph_plan(
    graph: ExecutionGraph,
    *,
    name: str = "p",
    final: Sequence[str] = (),
    limits: Limited | None = None,
    deployments: Mapping[str, Deployment] | None = None,
    is_fail_fast: bool = False,
    timeout: int | None = None,
) -> Plan:
    """Return a plan of *graph* whose stages do nothing."""
    return Plan(
        name=name,
        span=NOWHERE,
        graph=graph,
        frames=graph.stack(),
        jobs=tuple(
            job(
                stage,
                name,
                is_final=stage in final,
                limits=(limits or {}).get(stage, Limits()),
                deployment=(deployments or {}).get(stage, Deployment()),
            )
            for stage in (*graph.nodes, *final)
        ),
        fetch=None,
        workspace=Workspace.ISOLATED,
        workspace_span=None,
        selection=Selection.ALWAYS,
        folder="",
        is_fail_fast=is_fail_fast,
        timeout=Timeout(timeout, NOWHERE) if timeout is not None else None,
    )


class Slots:
    """The simplest scheduler: first come, first served, while a slot is free; a retry waits a second per failure."""

    def __init__(self, slots: int, machine: str = "m") -> None:
        self._free, self._machine = slots, machine
        self._queue: list[Task] = []
        self._parked: set[TaskId] = set()
        self._later: dict[TaskId, tuple[float, Task]] = {}

    def add(self, task: Task, now: float) -> None:
        """Add *task* to the queue."""
        del now
        self._queue.append(task)

    def retry(self, task: Task, failures: int, now: float) -> None:
        """Add *task* again after as many seconds as it has failed times."""
        self._later[task.id] = (now + failures, task)

    def cycle(self, now: float) -> Cycle:
        """Place as many tasks as there are free slots."""
        for time, task in sorted(self._later.values(), key=lambda entry: (entry[0], entry[1].order)):
            if time <= now:
                del self._later[task.id]
                self._queue.append(task)
        placed, self._queue = self._queue[: self._free], self._queue[self._free :]
        self._free -= len(placed)
        refused = [Refusal(task, Cause.SLOT, "") for task in self._queue if task.id not in self._parked]
        self._parked |= {refusal.task.id for refusal in refused}
        return Cycle([Placement(task, self._machine) for task in placed], refused)

    def release(self, task: TaskId, now: float) -> None:
        """Free a slot."""
        del task, now
        self._free += 1

    def drop(self, task: TaskId) -> None:
        """Remove *task* from the queue."""
        self._queue = [entry for entry in self._queue if entry.id != task]
        self._later.pop(task, None)

    def next_time(self) -> float | None:
        """Return when the next attempt may start."""
        return min((time for time, _ in self._later.values()), default=None)


class EventLog:
    """A record of all events, which calls *look* for each."""

    def __init__(self, look: Callable[[RunEvent], None] = lambda _: None) -> None:
        self.events: list[RunEvent] = []
        self._look = look

    def notify(self, event: RunEvent) -> None:
        """Record *event*."""
        self.events.append(event)
        self._look(event)

    def words(self) -> list[str]:
        """Return all events as text, with the time if it has changed."""
        words, time = [], 0.0
        for event in self.events:
            words.append(f"{'' if event.time == time else f'{event.time:g}: '}{_words(event)}")
            time = event.time
        return words


def _words(event: RunEvent) -> str:  # noqa: PLR0911 - one for each kind
    match event:
        case Ready():
            return f"{event.task.stage} ready"
        case Waiting():
            return f"{event.task.stage} waits for {event.cause.value}"
        case Started():
            return f"{event.attempt.task.id.stage} starts" + (
                f" ({event.attempt.number})" if event.attempt.number > 1 else ""
            )
        case Ended():
            text = event.outcome.failure.value if event.outcome.failure else event.outcome.result.value
            return f"{event.attempt.task.id.stage} {text}{'' if event.is_final else ', again'}"
        case Skipped():
            return f"{event.task.stage} skipped: {event.reason.name.lower()}"
        case PipelineEnded():
            return f"{event.pipeline} {event.status.value}"
    return ""


class ObservedClock(VirtualClock):
    """A virtual clock that calls `look` after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.look: Callable[[], None] = lambda: None

    def wait(self) -> bool:
        """Advance, then call `look`."""
        is_more = super().wait()
        self.look()
        return is_more


class ObservedRun:
    """A simulated run that a test can inspect."""

    def __init__(
        self,
        *plans: Plan,
        slots: int = 2,
        scheduler: Scheduler | None = None,
        durations: Mapping[str, float] | None = None,
        later: Mapping[str, float] | None = None,
        outcomes: Mapping[str, Sequence[Outcome]] | None = None,
        unwanted: Collection[str] = (),
        ask: Ask = lambda _, answer: answer(True),
        ended: Mapping[TaskId, Outcome] | None = None,
    ) -> None:
        """Use *outcomes* of a stage one after the other; without any, it succeeds.

        Without a *scheduler*, there are *slots*. A stage takes its duration, by default a second; from the second
        attempt on, it takes its duration in *later*, if it has one.
        """
        self.clock = ObservedClock()
        self.log = EventLog()
        # Listeners that receive each event before `log` does.
        self.listeners: list[Listener] = []
        self._outcomes = outcomes or {}
        self._times, self._later = durations or {}, later or {}
        self.runs = [_in_order(pipeline_run(plan, self._times), index) for index, plan in enumerate(plans)]
        self.engine = Engine(
            self.runs,
            clock=self.clock,
            executor=SimulatedExecutor(self.clock, self._duration, self._outcome),
            scheduler=scheduler or Slots(slots),
            listeners=[self],
            is_wanted=lambda task: task.id.stage not in unwanted,
            ask=ask,
            ended=ended or {},
        )

    def run(self) -> dict[str, Status]:
        """Run to the end."""
        return self.engine.run()

    def notify(self, event: RunEvent) -> None:
        """Pass *event* to all listeners."""
        for listener in (*self.listeners, self.log):
            listener.notify(event)

    def _duration(self, attempt: Attempt) -> float:
        stage = attempt.task.id.stage
        time = self._times.get(stage, 1.0)
        return self._later.get(stage, time) if attempt.number > 1 else time

    def _outcome(self, attempt: Attempt) -> Outcome:
        outcomes = self._outcomes.get(attempt.task.id.stage, [SUCCESS])
        return outcomes[min(attempt.number, len(outcomes)) - 1]


def _in_order(run: PipelineRun, index: int) -> PipelineRun:
    """Return *run* with its tasks ordered after those of *index* earlier runs."""
    return replace(run, tasks=tuple(replace(task, order=index * 1_000 + task.order) for task in run.tasks))
