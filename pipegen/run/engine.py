"""The one loop of a run: what may start is placed and started, what ends is judged, and what follows from that happens.

All state is here, and all of it changes in calls of the clock, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from types import MappingProxyType

from pipegen.plan.model import Failure
from pipegen.run.clock import Clock
from pipegen.run.events import Cause, Ended, Listener, Over, Parked, Ready, RunEvent, Skipped, Started
from pipegen.run.executors.base import Executor
from pipegen.run.model import Attempt, AttemptResult, Outcome, PipelineRun, Task, TaskId
from pipegen.run.outcome import Reason, RunMoment, State, Status
from pipegen.run.progress import Progress, StatusChanges
from pipegen.run.scheduling.base import Placement, Refusal, Scheduler
from pipegen.structs import MutableStruct, field, replace

# What stops in good order has as long as docker gives a container before it is killed:
# https://docs.docker.com/reference/cli/docker/container/stop/
GRACE = 10.0

# Asks a person about a task; the answer is called once, now or later, or never.
Ask = Callable[[Task, Callable[[bool], None]], None]

# Asked about a task that has got its place: why it cannot start after all, None where it can. What it waits for is told
# by the call that is given, from the clock; it then queues again.
Hold = Callable[[Task, Callable[[], None]], Refusal | None]

_NOTHING: Mapping[TaskId, Outcome] = MappingProxyType({})


class StalledError(RuntimeError):
    """Tasks are left, and nothing that could happen would let them start: no machine can ever take them."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        names = ", ".join(f'"{task.id.stage}"' for task in tasks)
        super().__init__(f"nothing is left to wait for, and yet these have not run: {names}")
        self.tasks = tuple(tasks)


class _Place(Enum):
    """Where a task is that has not come to its end."""

    BEFORE = "before"
    ASKED = "asked"
    DELAYED = "delayed"
    QUEUED = "queued"
    HELD = "held"
    RUNNING = "running"
    AGAIN = "again"
    OVER = "over"


class _Course(MutableStruct):
    """A task, and how far it is.

    *attempt* and *outcome* are those of its last try; *held* is what it was held by last; *alarm* takes back what the
    clock shall do for it.
    """

    task: Task
    progress: Progress
    place: _Place = _Place.BEFORE
    tries: int = 0
    attempt: Attempt | None = None
    outcome: Outcome | None = None
    is_late: bool = False
    held: Refusal | None = None
    alarm: Callable[[], None] | None = None

    def calm(self) -> None:
        """Take back what the clock shall do."""
        if self.alarm is not None:
            self.alarm()
            self.alarm = None


class _Pipeline(MutableStruct):
    """A pipeline's run, its tasks by stage."""

    run: PipelineRun
    progress: Progress
    courses: dict[str, _Course] = field(default_factory=dict)
    is_over: bool = False


class Engine:
    """Runs pipelines side by side, to their ends.

    Args:
        runs: the pipelines.
        clock: what it waits with.
        executor: what runs tries.
        scheduler: what places tasks.
        listeners: who hears of all that happens, in this order.
        is_wanted: whether the condition of a task holds; asked once nothing before it is left to wait for.
        is_needed: whether its result is needed; asked after that.
        ask: how a person is asked; without it, everything is approved.
        hold: what keeps tasks from starting that have got their places; without it, nothing.
        ended: what came of tasks in an earlier run that this one goes on with.
    """

    def __init__(
        self,
        runs: Iterable[PipelineRun],
        *,
        clock: Clock,
        executor: Executor,
        scheduler: Scheduler,
        listeners: Sequence[Listener] = (),
        is_wanted: Callable[[Task], bool] = lambda _: True,
        is_needed: Callable[[Task], bool] = lambda _: True,
        ask: Ask = lambda _, answer: answer(True),
        hold: Hold = lambda _task, _free: None,
        ended: Mapping[TaskId, Outcome] = _NOTHING,
    ) -> None:
        self._clock, self._executor, self._scheduler = clock, executor, scheduler
        self._listeners = tuple(listeners)
        self._ask, self._hold, self._ended = ask, hold, ended
        self._pipelines = {run.name: _pipeline(run, is_wanted, is_needed) for run in runs}
        self._courses = {course.task.id: course for one in self._pipelines.values() for course in one.courses.values()}
        self._left = len(self._pipelines)
        self._is_stopped = False
        self._is_looking = False
        self._next_look: tuple[float, Callable[[], None]] | None = None

    def run(self) -> dict[str, Status]:
        """Run to the end; return what came of each pipeline."""
        for pipeline in self._pipelines.values():
            self._begin(pipeline)
        while self._left:
            if not self._clock.wait():
                raise StalledError([one.task for one in self._courses.values() if one.place is not _Place.OVER])
        return {name: pipeline.progress.result for name, pipeline in self._pipelines.items()}

    def stop(self, *, kill: bool = False) -> None:
        """Let nothing new start but finally stages; or *kill* what runs, and let nothing start at all."""
        self._is_stopped = True
        for pipeline in self._pipelines.values():
            self._follow(pipeline, pipeline.progress.kill() if kill else pipeline.progress.stop())
        for course in self._courses.values():
            if course.place is _Place.AGAIN:
                self._scheduler.drop(course.task.id)
                self._judge(course, is_final=True)
            elif course.place is _Place.RUNNING and kill and course.attempt is not None:
                self._executor.stop(course.attempt, kill=True)

    def moment(self, pipeline: str) -> RunMoment:
        """Return where *pipeline* is, in the words of the rules."""
        return self._pipelines[pipeline].progress.moment()

    # What follows from a change

    def _begin(self, pipeline: _Pipeline) -> None:
        before = {
            stage: self._ended[course.task.id]
            for stage, course in pipeline.courses.items()
            if course.task.id in self._ended
        }
        for stage in before:
            pipeline.courses[stage].place = _Place.OVER
        states = {stage: _state(outcome) for stage, outcome in before.items()}
        allowed = [stage for stage, outcome in before.items() if outcome.is_allowed(pipeline.courses[stage].task.job)]
        self._follow(pipeline, pipeline.progress.begin(states, allowed))

    def _follow(self, pipeline: _Pipeline, news: StatusChanges) -> None:
        """Do what *news* of *pipeline* ask for."""
        for stage, reason in news.skipped:
            self._skip(pipeline.courses[stage], reason)
        for course in sorted((pipeline.courses[stage] for stage in news.ready), key=lambda one: one.task.order):
            self._open(course)
        if pipeline.progress.is_over and not pipeline.is_over:
            pipeline.is_over = True
            self._left -= 1
            self._tell(Over(self._clock.now(), pipeline.run.name, pipeline.progress.result))

    def _skip(self, course: _Course, reason: Reason) -> None:
        course.calm()
        if course.place is _Place.QUEUED:
            self._scheduler.drop(course.task.id)
        course.place = _Place.OVER
        self._tell(Skipped(self._clock.now(), course.task.id, reason))

    # Before a try

    def _open(self, course: _Course) -> None:
        """Take a task that nothing before it holds up: somebody may have to be asked, or some time to pass."""
        task, now = course.task, self._clock.now()
        self._tell(Ready(now, task.id))
        if task.job.deployment.approval is not None:
            course.place = _Place.ASKED
            self._tell(Parked(now, task.id, Cause.APPROVAL))
            # An answer that comes at once is no other than one that comes late.
            self._ask(task, lambda is_yes: self._soon(partial(self._answer, course, is_yes=is_yes)))
        else:
            self._delay(course)

    def _answer(self, course: _Course, *, is_yes: bool) -> None:
        if course.place is not _Place.ASKED:
            return
        if is_yes:
            self._delay(course)
        else:
            pipeline = self._pipelines[course.task.id.pipeline]
            self._follow(pipeline, pipeline.progress.refuse(course.task.id.stage))

    def _delay(self, course: _Course) -> None:
        delay, now = course.task.job.deployment.delay, self._clock.now()
        if delay is None:
            self._queue(course)
            return
        course.place = _Place.DELAYED
        self._tell(Parked(now, course.task.id, Cause.DELAY))
        course.alarm = self._clock.at(now + delay.seconds, partial(self._queue, course))

    def _queue(self, course: _Course) -> None:
        course.place = _Place.QUEUED
        self._scheduler.add(course.task, self._clock.now())
        self._look_soon()

    def _look_soon(self) -> None:
        """Look at the queue once all that happens at this time has happened."""
        if not self._is_looking:
            self._is_looking = True
            self._soon(self._look)

    def _look(self) -> None:
        self._is_looking = False
        now = self._clock.now()
        cycle = self._scheduler.cycle(now)
        for placement in cycle.placed:
            self._start(placement)
        for refusal in cycle.refused:
            self._tell(Parked(now, refusal.task.id, refusal.cause, refusal.what))
        self._look_again(self._scheduler.next_time())

    def _look_again(self, time: float | None) -> None:
        """Look at the queue at *time*, and at no other that was arranged."""
        if self._next_look is not None:
            if self._next_look[0] == time:
                return
            self._next_look[1]()
        self._next_look = None if time is None else (time, self._clock.at(time, self._look_now))

    def _look_now(self) -> None:
        self._next_look = None
        self._look_soon()

    # A try

    def _start(self, placement: Placement) -> None:
        course = self._courses[placement.task.id]
        task, progress, now = course.task, course.progress, self._clock.now()
        held = self._hold(task, partial(self._go_free, course))
        if held is not None:
            self._put_back(course, held)
            return
        course.tries += 1
        course.is_late = False
        course.place = _Place.RUNNING
        statuses = tuple((stage, progress.status(stage)) for stage in task.job.statuses)
        attempt = course.attempt = Attempt(task, course.tries, placement.machine, statuses)
        progress.start(task.id.stage)
        self._tell(Started(now, attempt))
        if task.job.limits.timeout is not None:
            course.alarm = self._clock.at(now + task.job.limits.timeout.seconds, partial(self._time_out, course))
        self._executor.start(attempt, self._end)

    def _put_back(self, course: _Course, held: Refusal) -> None:
        """Let *course* wait without a place; that it waits for the same thing again is not told again."""
        now = self._clock.now()
        course.place = _Place.HELD
        self._scheduler.release(course.task.id, now)
        self._look_soon()
        if held != course.held:
            course.held = held
            self._tell(Parked(now, held.task.id, held.cause, held.what))

    def _go_free(self, course: _Course) -> None:
        if course.place is _Place.HELD:
            self._queue(course)

    def _time_out(self, course: _Course) -> None:
        course.is_late = True
        course.alarm = self._clock.at(self._clock.now() + GRACE, partial(self._halt, course, kill=True))
        self._halt(course, kill=False)

    def _halt(self, course: _Course, *, kill: bool) -> None:
        if course.attempt is not None:
            self._executor.stop(course.attempt, kill=kill)

    def _end(self, attempt: Attempt, outcome: Outcome) -> None:
        """Take what came of *attempt*: what executors call."""
        course = self._courses[attempt.task.id]
        course.calm()
        course.outcome = _late(attempt, outcome) if course.is_late else outcome
        self._scheduler.release(attempt.task.id, self._clock.now())
        self._look_soon()
        self._judge(course, is_final=self._is_stopped or not _is_tried_again(attempt, course.outcome))

    def _judge(self, course: _Course, *, is_final: bool) -> None:
        """Go on after a try: with another one, or with what follows."""
        attempt, outcome, now = course.attempt, course.outcome, self._clock.now()
        if attempt is None or outcome is None:
            raise RuntimeError("a task without a try cannot be judged")
        self._tell(Ended(now, attempt, outcome, is_final))
        if not is_final:
            course.place = _Place.AGAIN
            self._scheduler.retry(course.task, attempt.number, now)
            return
        course.place = _Place.OVER
        pipeline = self._pipelines[course.task.id.pipeline]
        is_allowed = outcome.is_allowed(course.task.job)
        self._follow(pipeline, course.progress.end(course.task.id.stage, _state(outcome), is_allowed=is_allowed))

    # Words and times

    def _soon(self, call: Callable[[], None]) -> None:
        self._clock.at(self._clock.now(), call)

    def _tell(self, event: RunEvent) -> None:
        for listener in self._listeners:
            listener.hear(event)


def _pipeline(run: PipelineRun, is_wanted: Callable[[Task], bool], is_needed: Callable[[Task], bool]) -> _Pipeline:
    tasks = {task.id.stage: task for task in run.tasks}
    progress = Progress(
        run.graph,
        tuple(stage for stage, task in tasks.items() if task.job.is_final),
        is_wanted=lambda stage: is_wanted(tasks[stage]),
        is_needed=lambda stage: is_needed(tasks[stage]),
        is_fail_fast=run.is_fail_fast,
    )
    return _Pipeline(run, progress, {stage: _Course(task, progress) for stage, task in tasks.items()})


def _state(outcome: Outcome) -> State:
    return State.SUCCESS if outcome.ending in (AttemptResult.SUCCESS, AttemptResult.REUSED) else State.FAILED


def _late(attempt: Attempt, outcome: Outcome) -> Outcome:
    """Return what a try that took too long comes to: it has failed, even when its script ends well on being stopped."""
    timeout = attempt.task.job.limits.timeout
    reason = f"it took more than {timeout.seconds} s" if timeout else outcome.reason
    return replace(
        outcome, ending=AttemptResult.FAILED, failure=Failure.TIMEOUT, exit_code=None, reason=reason, outputs=()
    )


def _is_tried_again(attempt: Attempt, outcome: Outcome) -> bool:
    retry = attempt.task.job.limits.retry
    if retry is None or outcome.ending is not AttemptResult.FAILED or attempt.number > retry.count:
        return False
    return (outcome.failure or Failure.SCRIPT) in retry.on
