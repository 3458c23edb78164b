"""Simulated runs: the duration on given machines, and the waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.run.bounds import TaskPath, longest_path
from pipegen.run.engine import Engine
from pipegen.run.events import Cause
from pipegen.run.executors.simulated import SimulatedExecutor, VirtualClock
from pipegen.run.model import PipelineRun, RunMachine, TaskId
from pipegen.run.scheduling.base import Scheduler
from pipegen.run.tasks import can_run
from pipegen.run.timeline import Bar, Timeline
from pipegen.structs import Struct, replace
from pipegen.visible import visible


class Simulation(Struct, kw_only=True):
    """The result of a simulated run.

    Attributes:
        pipelines: the names of the pipelines.
        machines: the machines.
        bars: the attempts in the order in which they started.
        makespan: the end of the last attempt.
        work: the sum over all stages of slots times duration.
        path: the longest path of all pipelines.
    """

    pipelines: tuple[str, ...]
    machines: tuple[RunMachine, ...]
    bars: tuple[Bar, ...]
    makespan: float
    work: float
    path: TaskPath

    def name(self, task: TaskId) -> str:
        """Return the name of the stage of *task*, with its pipeline if there are several."""
        return task.display_name(several=len(self.pipelines) > 1)

    @property
    def title(self) -> str:
        """The pipelines and the machines, in words."""
        return f"{', '.join(map(visible, self.pipelines))} on {self._executors_text}"

    @property
    def _executors_text(self) -> str:
        machines, slots = len(self.machines), self.slots
        if slots is None:
            return "unlimited executors"
        if machines in (1, slots):
            return counted(slots, "executor")
        return f"{counted(machines, 'executor')} with {counted(slots, 'slot')}"

    @property
    def slots(self) -> int | None:
        """The number of slots of all machines; None is unlimited."""
        counts = [machine.slots for machine in self.machines]
        return None if None in counts else sum(count for count in counts if count is not None)

    @property
    def stages(self) -> int:
        """The number of stages that ran."""
        return len({bar.task.id for bar in self.bars})

    @property
    def shared_work(self) -> float:
        """The duration of the work if no slot is ever idle."""
        return self.work / self.slots if self.slots else 0.0

    @property
    def lower_bound(self) -> float:
        """The duration that no order of these stages on these machines can beat."""
        return max(self.path.seconds, self.shared_work)

    @property
    def utilisation(self) -> float | None:
        """The fraction of the time of all slots that was used; None for unlimited slots or no duration."""
        return self.work / (self.slots * self.makespan) if self.slots and self.makespan else None

    def waiting(self) -> dict[tuple[Cause, str], list[tuple[TaskId, float]]]:
        """Return the stages that waited, with their seconds, longest first, by cause and name in order of causes."""
        seconds_by_cause: dict[tuple[Cause, str], dict[TaskId, float]] = {}
        for bar in self.bars:
            for wait in bar.waits:
                times = seconds_by_cause.setdefault((wait.cause, wait.what), {})
                times[bar.task.id] = times.get(bar.task.id, 0.0) + wait.seconds
        order = list(Cause)
        return {
            key: sorted(seconds_by_cause[key].items(), key=lambda item: -item[1])
            for key in sorted(seconds_by_cause, key=lambda key: (order.index(key[0]), key[1]))
        }


def counted(number: int, noun: str) -> str:
    """Return *number* with its *noun*."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def simulate(
    runs: Sequence[PipelineRun], durations: Mapping[TaskId, float], machines: Sequence[RunMachine], scheduler: Scheduler
) -> Simulation:
    """Return the simulation of *runs* in parallel on *machines*, placed by a *scheduler* for these machines.

    Every stage succeeds, also after its timeout, and every approval is given at once; only stages whose condition can
    never hold are skipped.
    """
    runs = [_without_timeouts(run) for run in runs]
    clock, timeline = VirtualClock(), Timeline()
    engine = Engine(
        runs,
        clock=clock,
        executor=SimulatedExecutor(clock, lambda attempt: durations[attempt.task.id]),
        scheduler=scheduler,
        listeners=[timeline],
        is_wanted=lambda task: can_run(task.job),
    )
    engine.run()
    bars = timeline.bars()
    return Simulation(
        pipelines=tuple(run.name for run in runs),
        machines=tuple(machines),
        bars=bars,
        makespan=clock.now(),
        work=sum(bar.seconds * bar.task.demand.slots for bar in bars),
        path=max((longest_path(run, durations) for run in runs), key=lambda path: path.seconds, default=TaskPath()),
    )


def _without_timeouts(run: PipelineRun) -> PipelineRun:
    tasks = tuple(
        [
            task
            if task.job.limits.timeout is None
            else replace(task, job=replace(task.job, limits=replace(task.job.limits, timeout=None)))
            for task in run.tasks
        ]
    )
    return replace(run, tasks=tasks, timeout=None)
