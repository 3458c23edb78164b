"""Which stages have to run, or to be put back, for those that a user has asked for.

What a stage reads is needed only where its own result is not known: the others are neither made nor loaded.
(BuildKit asks for the target, and goes on to its inputs where the keys of the target lead nowhere: solver/edge.go.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipegen.run.events import Ended, RunEvent, Skipped
from pipegen.run.local.cache.results import Results
from pipegen.run.local.selection import read_stages
from pipegen.run.model import PipelineRun, Task, TaskId


class RequiredResults:
    """What is needed of *runs* for the stages that are *asked* for; it hears what becomes of them.

    What has *ended* in an earlier run needs nothing any more.
    """

    def __init__(
        self, results: Results, runs: Sequence[PipelineRun], asked: Collection[TaskId], ended: Collection[TaskId]
    ) -> None:
        self._results, self._asked = results, frozenset(asked)
        self._over = set(ended)
        self._left_out: set[TaskId] = set()
        self._runs = {run.name: run for run in runs}
        self._tasks = {task.id: task for run in runs for task in run.tasks}
        self._inputs = {
            task.id: [TaskId(task.plan.name, stage) for stage in sorted(read_stages(task.job))]
            for task in self._tasks.values()
        }

    def hear(self, event: RunEvent) -> None:
        """Take note of what is over."""
        if isinstance(event, Skipped):
            self._over.add(event.task)
        elif isinstance(event, Ended) and event.is_final:
            self._over.add(event.attempt.task.id)

    def is_asked_for(self, task: Task) -> bool:
        """Return whether the user wants the result of *task* itself."""
        return task.id in self._asked

    def needs(self, task: Task) -> bool:
        """Return whether the result of *task*, which nothing before it holds up, is needed."""
        is_needed = task.id in self._asked or task.id in self._needed(self._runs[task.plan.name])
        if not is_needed:
            self._left_out.add(task.id)
        return is_needed

    def lacks_inputs(self, task: Task) -> bool:
        """Return whether something that *task* reads was left out, since its own result was known."""
        return not self._left_out.isdisjoint(self._inputs[task.id])

    def _needed(self, run: PipelineRun) -> set[TaskId]:
        known = self._known(run)
        needed: set[TaskId] = set()
        waiting = [task.id for task in run.tasks if task.id in self._asked]
        while waiting:
            task = waiting.pop()
            if task not in needed and task not in self._over:
                needed.add(task)
                waiting += () if task in known else self._inputs[task]
        return needed

    def _known(self, run: PipelineRun) -> set[TaskId]:
        """Return the stages of *run* whose results are known.

        One that somebody asks for, and that has to run, may change what stages after it find: they are not asked about.
        """
        known: set[TaskId] = set()
        unsettled: set[str] = set()
        there = self._over - self._left_out
        for stage in run.graph.topological():
            task = TaskId(run.name, stage)
            if task in self._over:
                continue
            is_behind = not unsettled.isdisjoint(run.graph.predecessors(stage))
            if not is_behind and self._results.is_found(self._tasks[task], self._inputs[task], there):
                known.add(task)
            elif is_behind or task in self._asked:
                unsettled.add(stage)
        return known
