"""The loop of a run: it places and starts tasks that are ready, and handles the outcomes of attempts.

All state is here. It changes only in calls of the clock, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from types import MappingProxyType

from pipegen.plan.model import Failure
from pipegen.run.clock import Clock
from pipegen.run.events import Cause, Ended, Listener, PipelineEnded, Ready, RunEvent, Skipped, Started, Waiting
from pipegen.run.executors.base import Executor
from pipegen.run.model import Attempt, AttemptResult, Outcome, PipelineRun, Task, TaskId
from pipegen.run.progress import Progress, StatusChanges
from pipegen.run.scheduling.base import Placement, Refusal, Scheduler
from pipegen.run.status import Reason, Status
from pipegen.structs import MutableStruct, replace

# Seconds between the request to stop and the kill, as for a container of docker:
# https://docs.docker.com/reference/cli/docker/container/stop/
GRACE = 10.0

# Asks a person to approve a task; calls the second argument with the answer at most once, now or later.
Ask = Callable[[Task, Callable[[bool], None]], None]

# Returns why a placed task cannot start, None if it can. Calls the second argument, from the clock, when the task may
# queue again.
Hold = Callable[[Task, Callable[[], None]], Refusal | None]

_INTERRUPTED = 130  # the exit code of a process that SIGINT ended
_NOTHING: Mapping[TaskId, Outcome] = MappingProxyType({})


class StalledError(RuntimeError):
    """Tasks remain that no machine can ever run."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        names = ", ".join(f'"{task.id.stage}"' for task in tasks)
        super().__init__(f"nothing is left to wait for, but these stages have not run: {names}")
        self.tasks = tuple(tasks)


class _Phase(Enum):
    """The phase of a task in a run."""

    PENDING = "pending"
    ASKED = "asked"
    DELAYED = "delayed"
    QUEUED = "queued"
    HELD = "held"
    RUNNING = "running"
    RETRYING = "retrying"
    ENDED = "ended"


class _TaskRun(MutableStruct):
    """The state of a task.

    *attempt* and *outcome* are those of its last attempt; *late* is the limit that it exceeded, "" for none; *refusal*
    is the last reason that held it; *alarm* cancels its scheduled call.
    """

    task: Task
    progress: Progress
    phase: _Phase = _Phase.PENDING
    attempts: int = 0
    attempt: Attempt | None = None
    outcome: Outcome | None = None
    late: str = ""
    refusal: Refusal | None = None
    alarm: Callable[[], None] | None = None

    def cancel_alarm(self) -> None:
        """Cancel the scheduled call."""
        if self.alarm is not None:
            self.alarm()
            self.alarm = None


class _Pipeline(MutableStruct):
    """The run of a pipeline, with its tasks by stage."""

    run: PipelineRun
    progress: Progress
    task_runs: dict[str, _TaskRun]
    is_over: bool = False
    is_expired: bool = False


class Engine:
    """Runs pipelines in parallel until all have ended.

    Args:
        runs: the pipelines.
        clock: the clock to wait with.
        executor: runs attempts.
        scheduler: places tasks.
        listeners: receive all events, in this order.
        is_wanted: whether the condition of a task holds; called when its predecessors have ended.
        is_needed: whether the result of a task is needed; called after *is_wanted*.
        ask: asks a person for approvals; without it, everything is approved.
        hold: keeps placed tasks from starting; without it, none.
        ended: outcomes of tasks in the earlier run that this run resumes.
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
        self._task_runs = {
            task_run.task.id: task_run
            for pipeline in self._pipelines.values()
            for task_run in pipeline.task_runs.values()
        }
        self._remaining = len(self._pipelines)
        self._is_stopped = False
        self._is_scheduled = False
        self._next_cycle: tuple[float, Callable[[], None]] | None = None

    def run(self) -> dict[str, Status]:
        """Run to the end; return the status of each pipeline."""
        for pipeline in self._pipelines.values():
            self._begin(pipeline)
        while self._remaining:
            if not self._clock.wait():
                raise StalledError(
                    [task_run.task for task_run in self._task_runs.values() if task_run.phase is not _Phase.ENDED]
                )
        return {name: pipeline.progress.result for name, pipeline in self._pipelines.items()}

    def stop(self, *, kill: bool = False) -> None:
        """Start only finally stages from now on; with *kill*, kill running attempts and start nothing."""
        self._is_stopped = True
        for pipeline in self._pipelines.values():
            self._apply(pipeline, pipeline.progress.kill() if kill else pipeline.progress.stop())
        for task_run in self._task_runs.values():
            if task_run.phase is _Phase.RETRYING:
                self._scheduler.drop(task_run.task.id)
                self._finish_attempt(task_run, is_final=True)
            elif task_run.phase is _Phase.RUNNING and kill and task_run.attempt is not None:
                self._executor.stop(task_run.attempt, kill=True)

    # Status changes

    def _begin(self, pipeline: _Pipeline) -> None:
        outcomes = {
            stage: self._ended[task_run.task.id]
            for stage, task_run in pipeline.task_runs.items()
            if task_run.task.id in self._ended
        }
        if pipeline.run.timeout is not None:
            self._clock.at(self._clock.now() + pipeline.run.timeout, partial(self._expire, pipeline))
        for stage in outcomes:
            pipeline.task_runs[stage].phase = _Phase.ENDED
        statuses = {stage: _status(outcome) for stage, outcome in outcomes.items()}
        allowed = [
            stage for stage, outcome in outcomes.items() if outcome.is_allowed(pipeline.task_runs[stage].task.job)
        ]
        self._apply(pipeline, pipeline.progress.begin(statuses, allowed))

    def _apply(self, pipeline: _Pipeline, changes: StatusChanges) -> None:
        """Apply *changes* of *pipeline*."""
        for stage, reason in changes.skipped:
            self._skip(pipeline.task_runs[stage], reason)
        ready = [pipeline.task_runs[stage] for stage in changes.ready]
        for task_run in sorted(ready, key=lambda task_run: task_run.task.order):
            self._take(task_run)
        if pipeline.progress.is_over and not pipeline.is_over:
            pipeline.is_over = True
            self._remaining -= 1
            self._notify(PipelineEnded(self._clock.now(), pipeline.run.name, pipeline.progress.result))

    def _skip(self, task_run: _TaskRun, reason: Reason) -> None:
        task_run.cancel_alarm()
        if task_run.phase is _Phase.QUEUED:
            self._scheduler.drop(task_run.task.id)
        task_run.phase = _Phase.ENDED
        self._notify(Skipped(self._clock.now(), task_run.task.id, reason))

    # Before an attempt

    def _take(self, task_run: _TaskRun) -> None:
        """Take a task whose predecessors have ended; it may need an approval or a delay."""
        task, now = task_run.task, self._clock.now()
        self._notify(Ready(now, task.id))
        if task.job.deployment.approval is not None:
            task_run.phase = _Phase.ASKED
            self._notify(Waiting(now, task.id, Cause.APPROVAL))
            # Immediate and late answers take the same path.
            self._ask(task, lambda is_yes: self._call_soon(partial(self._answer, task_run, is_yes=is_yes)))
        else:
            self._delay(task_run)

    def _answer(self, task_run: _TaskRun, *, is_yes: bool) -> None:
        if task_run.phase is not _Phase.ASKED:
            return
        if is_yes:
            self._delay(task_run)
        else:
            pipeline = self._pipelines[task_run.task.id.pipeline]
            approval = task_run.task.job.deployment.approval
            is_optional = approval is not None and approval.is_optional
            self._apply(pipeline, pipeline.progress.refuse(task_run.task.id.stage, is_optional=is_optional))

    def _delay(self, task_run: _TaskRun) -> None:
        delay, now = task_run.task.job.deployment.delay, self._clock.now()
        if delay is None:
            self._queue(task_run)
            return
        task_run.phase = _Phase.DELAYED
        self._notify(Waiting(now, task_run.task.id, Cause.DELAY))
        task_run.alarm = self._clock.at(now + delay.seconds, partial(self._queue, task_run))

    def _queue(self, task_run: _TaskRun) -> None:
        task_run.phase = _Phase.QUEUED
        self._scheduler.add(task_run.task, self._clock.now())
        self._schedule_soon()

    def _schedule_soon(self) -> None:
        """Schedule tasks after all other calls that are due now."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self._call_soon(self._schedule)

    def _schedule(self) -> None:
        self._is_scheduled = False
        now = self._clock.now()
        cycle = self._scheduler.cycle(now)
        for placement in cycle.placed:
            self._start(placement)
        for refusal in cycle.refused:
            self._notify(Waiting(now, refusal.task.id, refusal.cause, refusal.what))
        self._schedule_at(self._scheduler.next_time())

    def _schedule_at(self, time: float | None) -> None:
        """Schedule tasks at *time* instead of at the time set before."""
        if self._next_cycle is not None:
            if self._next_cycle[0] == time:
                return
            self._next_cycle[1]()
        self._next_cycle = None if time is None else (time, self._clock.at(time, self._schedule_due))

    def _schedule_due(self) -> None:
        self._next_cycle = None
        self._schedule_soon()

    # An attempt

    def _start(self, placement: Placement) -> None:
        task_run = self._task_runs[placement.task.id]
        task, progress, now = task_run.task, task_run.progress, self._clock.now()
        refusal = self._hold(task, partial(self._requeue, task_run))
        if refusal is not None:
            self._hold_back(task_run, refusal)
            return
        task_run.attempts += 1
        task_run.late = ""
        task_run.phase = _Phase.RUNNING
        statuses = tuple([(stage, progress.status(stage)) for stage in task.job.statuses])
        attempt = task_run.attempt = Attempt(task, task_run.attempts, placement.machine, statuses)
        progress.start(task.id.stage)
        self._notify(Started(now, attempt))
        if task.job.limits.timeout is not None:
            task_run.alarm = self._clock.at(now + task.job.limits.timeout.seconds, partial(self._time_out, task_run))
        self._executor.start(attempt, self._end)

    def _hold_back(self, task_run: _TaskRun, refusal: Refusal) -> None:
        """Release the place of *task_run*; report the reason only if it changed."""
        now = self._clock.now()
        task_run.phase = _Phase.HELD
        self._scheduler.release(task_run.task.id, now)
        self._schedule_soon()
        if refusal != task_run.refusal:
            task_run.refusal = refusal
            self._notify(Waiting(now, refusal.task.id, refusal.cause, refusal.what))

    def _requeue(self, task_run: _TaskRun) -> None:
        if task_run.phase is _Phase.HELD:
            self._queue(task_run)

    def _time_out(self, task_run: _TaskRun) -> None:
        timeout = task_run.task.job.limits.timeout
        self._stop_late(task_run, f"it took more than {timeout.seconds} s" if timeout is not None else "")

    def _expire(self, pipeline: _Pipeline) -> None:
        """Fail *pipeline*, whose time is over: its stages are stopped, and only finally stages start."""
        if pipeline.is_over:
            return
        pipeline.is_expired = True
        running = [
            task_run
            for task_run in pipeline.task_runs.values()
            if task_run.phase in (_Phase.RUNNING, _Phase.RETRYING) and not task_run.task.job.is_final
        ]
        self._apply(pipeline, pipeline.progress.expire())
        for task_run in running:
            if task_run.phase is _Phase.RETRYING:
                self._scheduler.drop(task_run.task.id)
                self._finish_attempt(task_run, is_final=True)
            elif not task_run.late:
                task_run.cancel_alarm()
                self._stop_late(task_run, f"the pipeline took more than {pipeline.run.timeout} s")

    def _stop_late(self, task_run: _TaskRun, reason: str) -> None:
        task_run.late = reason
        task_run.alarm = self._clock.at(self._clock.now() + GRACE, partial(self._halt, task_run, kill=True))
        self._halt(task_run, kill=False)

    def _halt(self, task_run: _TaskRun, *, kill: bool) -> None:
        if task_run.attempt is not None:
            self._executor.stop(task_run.attempt, kill=kill)

    def _end(self, attempt: Attempt, outcome: Outcome) -> None:
        """Handle the *outcome* of *attempt*; executors call this."""
        task_run = self._task_runs[attempt.task.id]
        task_run.cancel_alarm()
        if self._is_stopped and outcome.exit_code == _INTERRUPTED:
            # Ctrl-C also reaches a process that is just starting.
            outcome = replace(outcome, result=AttemptResult.CANCELLED, failure=None, reason="")
        task_run.outcome = _timed_out(outcome, task_run.late) if task_run.late else outcome
        self._scheduler.release(attempt.task.id, self._clock.now())
        self._schedule_soon()
        is_ended = self._is_stopped or self._pipelines[attempt.task.id.pipeline].is_expired
        self._finish_attempt(task_run, is_final=is_ended or not _is_retried(attempt, task_run.outcome))

    def _finish_attempt(self, task_run: _TaskRun, *, is_final: bool) -> None:
        """Continue after an attempt: with the next attempt, or with the successors of the task."""
        attempt, outcome, now = task_run.attempt, task_run.outcome, self._clock.now()
        if attempt is None or outcome is None:
            raise RuntimeError("the task has had no attempt")
        self._notify(Ended(now, attempt, outcome, is_final))
        if not is_final:
            task_run.phase = _Phase.RETRYING
            self._scheduler.retry(task_run.task, attempt.number, now)
            return
        task_run.phase = _Phase.ENDED
        pipeline = self._pipelines[task_run.task.id.pipeline]
        is_allowed = outcome.is_allowed(task_run.task.job)
        self._apply(pipeline, task_run.progress.end(task_run.task.id.stage, _status(outcome), is_allowed=is_allowed))

    # Events and calls

    def _call_soon(self, call: Callable[[], None]) -> None:
        self._clock.at(self._clock.now(), call)

    def _notify(self, event: RunEvent) -> None:
        for listener in self._listeners:
            listener.notify(event)


def _pipeline(run: PipelineRun, is_wanted: Callable[[Task], bool], is_needed: Callable[[Task], bool]) -> _Pipeline:
    tasks = {task.id.stage: task for task in run.tasks}
    progress = Progress(
        run.graph,
        {stage: task.job.on_status for stage, task in tasks.items() if task.job.is_final},
        is_wanted=lambda stage: is_wanted(tasks[stage]),
        is_needed=lambda stage: is_needed(tasks[stage]),
        is_fail_fast=run.is_fail_fast,
    )
    return _Pipeline(run, progress, {stage: _TaskRun(task, progress) for stage, task in tasks.items()})


def _status(outcome: Outcome) -> Status:
    return Status.SUCCESS if outcome.result in (AttemptResult.SUCCESS, AttemptResult.REUSED) else Status.FAILED


def _timed_out(outcome: Outcome, late: str) -> Outcome:
    """Return the outcome of an attempt that was *late*: it failed, even if its script succeeded after the signal."""
    location = outcome.reason if outcome.result is AttemptResult.CANCELLED else ""
    reason = f"{late} {location}".rstrip()
    return replace(
        outcome, result=AttemptResult.FAILED, failure=Failure.TIMEOUT, exit_code=None, reason=reason, outputs=()
    )


def _is_retried(attempt: Attempt, outcome: Outcome) -> bool:
    retry = attempt.task.job.limits.retry
    if retry is None or outcome.result is not AttemptResult.FAILED or attempt.number > retry.count:
        return False
    return (outcome.failure or Failure.SCRIPT) in retry.on
