"""A run on paper: how long it takes on given machines, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.run.bounds import TaskPath, longest_path
from pipegen.run.clocks.virtual import VirtualClock
from pipegen.run.engine import Engine
from pipegen.run.events import Cause
from pipegen.run.executors.simulated import SimulatedExecutor
from pipegen.run.model import PipelineRun, RunMachine, TaskId
from pipegen.run.scheduling.base import Scheduler
from pipegen.run.tasks import can_run
from pipegen.run.timeline import Bar, Timeline
from pipegen.structs import Struct
from pipegen.visible import visible


class Simulation(Struct, kw_only=True):
    """What a run on paper came to.

    Attributes:
        pipelines: the names of those that ran.
        machines: where it ran.
        bars: the attempts of stages in the order in which they started.
        makespan: when the last one ended.
        work: the slots of all stages, each times its duration.
        path: the longest path of all pipelines.
    """

    pipelines: tuple[str, ...]
    machines: tuple[RunMachine, ...]
    bars: tuple[Bar, ...]
    makespan: float
    work: float
    path: TaskPath

    def name(self, task: TaskId) -> str:
        """Return the name of *task*: the stage's, after the pipeline's where there are several."""
        return f"{task.pipeline}: {task.stage}" if len(self.pipelines) > 1 else task.stage

    @property
    def title(self) -> str:
        """What ran where, in words."""
        return f"{', '.join(map(visible, self.pipelines))} on {self._place}"

    @property
    def _place(self) -> str:
        machines, slots = len(self.machines), self.slots
        if slots is None:
            return "executors without bound"
        if machines in (1, slots):
            return counted(slots, "executor")
        return f"{counted(machines, 'executor')} with {counted(slots, 'slot')}"

    @property
    def slots(self) -> int | None:
        """All slots together; None without bound."""
        counts = [machine.slots for machine in self.machines]
        return None if None in counts else sum(count for count in counts if count is not None)

    @property
    def stages(self) -> int:
        """How many stages ran, each once however often it was attempted."""
        return len({bar.task.id for bar in self.bars})

    @property
    def shared_work(self) -> float:
        """The time that the work takes where no slot is ever idle."""
        return self.work / self.slots if self.slots else 0.0

    @property
    def lower_bound(self) -> float:
        """What no order of these stages on these machines undercuts."""
        return max(self.path.seconds, self.shared_work)

    @property
    def utilisation(self) -> float | None:
        """The share of all slots' time that was used; None where slots are without bound, or no time passed."""
        return self.work / (self.slots * self.makespan) if self.slots and self.makespan else None

    def waiting(self) -> dict[tuple[Cause, str], list[tuple[TaskId, float]]]:
        """Return, by what stages waited for, who did for how long: longer first, causes in their own order."""
        found: dict[tuple[Cause, str], dict[TaskId, float]] = {}
        for bar in self.bars:
            for wait in bar.waits:
                times = found.setdefault((wait.cause, wait.what), {})
                times[bar.task.id] = times.get(bar.task.id, 0.0) + wait.seconds
        order = list(Cause)
        return {
            key: sorted(found[key].items(), key=lambda one: -one[1])
            for key in sorted(found, key=lambda one: (order.index(one[0]), one[1]))
        }


def counted(number: int, noun: str) -> str:
    """Return *number* with its *noun*."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def simulate(
    runs: Sequence[PipelineRun], durations: Mapping[TaskId, float], machines: Sequence[RunMachine], scheduler: Scheduler
) -> Simulation:
    """Return what *runs* side by side come to on *machines*, placed by *scheduler*, which knows these.

    Every stage runs and succeeds, and nobody has to be waited for; only one whose condition can never hold is skipped.
    """
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
