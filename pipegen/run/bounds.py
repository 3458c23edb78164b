"""What no order of stages can undercut: the longest path, and the work that there is."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.run.model import PipelineRun, TaskId
from pipegen.run.tasks import can_run, delays, longest_behind
from pipegen.structs import Struct


class TaskPath(Struct):
    """Tasks of which each waits for the one before it, and how long all of them take, delays included."""

    tasks: tuple[TaskId, ...] = ()
    seconds: float = 0.0


def longest_path(run: PipelineRun, durations: Mapping[TaskId, float]) -> TaskPath:
    """Return the longest path through *run*; the first in the user's order among equals.

    A stage that can never run takes no time, and is no part of it.
    Finally stages come after all others, side by side: the longest of them is its end.
    """
    times = {task.id.stage: durations[task.id] if can_run(task.job) else 0.0 for task in run.tasks}
    put_off = delays(task.job for task in run.tasks)
    behind = longest_behind(run.graph, times, put_off)
    whole = {stage: put_off.get(stage, 0.0) + seconds for stage, seconds in behind.items()}
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
    jobs = {task.id.stage: task.job for task in run.tasks}
    return TaskPath(tuple(TaskId(run.name, stage) for stage in found if can_run(jobs[stage])), seconds)
