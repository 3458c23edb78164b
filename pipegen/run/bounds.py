"""The longest path of a run: a lower bound for its duration."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.run.model import PipelineRun, TaskId
from pipegen.run.status import Status
from pipegen.run.tasks import can_run, delays, longest_behind
from pipegen.structs import Struct


class TaskPath(Struct):
    """A chain of tasks that wait for each other, and its duration including delays."""

    tasks: tuple[TaskId, ...] = ()
    seconds: float = 0.0


def longest_path(run: PipelineRun, durations: Mapping[TaskId, float]) -> TaskPath:
    """Return the longest path through *run*; of equal paths, the first in the user's order.

    A stage that can never run takes no time and is not part of the path.
    Finally stages run in parallel after all others, so the longest of them that runs after a success ends the path.
    """
    times = {task.id.stage: durations[task.id] if can_run(task.job) else 0.0 for task in run.tasks}
    delay_of = delays(task.job for task in run.tasks)
    remaining = longest_behind(run.graph, times, delay_of)
    lengths = {stage: delay_of.get(stage, 0.0) + seconds for stage, seconds in remaining.items()}
    stages: list[str] = []
    choices = run.graph.roots
    while choices:
        stages.append(max(choices, key=lengths.__getitem__))
        choices = run.graph.successors(stages[-1])
    final = [task for task in run.tasks if task.job.is_final and task.job.follows(Status.SUCCESS.value)]
    last_final = max((task.id.stage for task in final), key=times.__getitem__, default=None)
    seconds = lengths[stages[0]] if stages else 0.0
    if last_final is not None:
        stages.append(last_final)
        seconds += times[last_final]
    jobs = {task.id.stage: task.job for task in run.tasks}
    return TaskPath(tuple(TaskId(run.name, stage) for stage in stages if can_run(jobs[stage])), seconds)
