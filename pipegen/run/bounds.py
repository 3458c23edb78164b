"""What no order of stages can undercut: the longest path, and the work that there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pipegen.run.model import PipelineRun, TaskId
from pipegen.run.tasks import longest_behind


@dataclass(frozen=True, slots=True)
class Path:
    """Tasks of which each waits for the one before it, and how long all of them take, delays included."""

    tasks: tuple[TaskId, ...] = ()
    seconds: float = 0.0


def longest_path(run: PipelineRun, durations: Mapping[TaskId, float]) -> Path:
    """Return the longest path through *run*; the first in the user's order among equals.

    Finally stages come after all others, side by side: the longest of them is its end.
    """
    times = {task.id.stage: durations[task.id] for task in run.tasks}
    delays = {task.id.stage: float(task.job.gate.delay.seconds) for task in run.tasks if task.job.gate.delay}
    behind = longest_behind(run.graph, times, delays)
    whole = {stage: delays.get(stage, 0.0) + seconds for stage, seconds in behind.items()}
    found: list[str] = []
    choices = run.graph.roots
    while choices:
        found.append(max(choices, key=whole.__getitem__))
        choices = run.graph.successors(found[-1])
    last = max((task.id.stage for task in run.tasks if task.job.is_final), key=times.__getitem__, default=None)
    seconds = whole[found[0]] if found else 0.0
    if last is not None:
        found.append(last)
        seconds += times[last]
    return Path(tuple(TaskId(run.name, stage) for stage in found), seconds)
