"""The stages that must run, or whose results must be restored, for the requested stages.

The inputs of a stage are needed only if its own result is not known; other results are neither computed nor loaded.
(BuildKit starts at the target, and continues with its inputs if the keys of the target are not found: solver/edge.go.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipegen.run.events import Ended, RunEvent, Skipped, Started
from pipegen.run.local.cache.results import Results
from pipegen.run.local.selection import read_stages
from pipegen.run.model import PipelineRun, Task, TaskId


class RequiredResults:
    """The required results of *runs* for the *requested* stages; a listener of the run.

    Stages that *ended* in an earlier run have no needs.
    """

    def __init__(
        self, results: Results, runs: Sequence[PipelineRun], requested: Collection[TaskId], ended: Collection[TaskId]
    ) -> None:
        self._results, self._requested = results, frozenset(requested)
        self._over = set(ended)
        self._left_out: set[TaskId] = set()
        self._runs = {run.name: run for run in runs}
        # By run, until a stage starts or ends; one that is left out changes nothing.
        self._needed: dict[str, set[TaskId]] = {}
        self._tasks = {task.id: task for run in runs for task in run.tasks}
        self._inputs = {
            task.id: [TaskId(task.plan.name, stage) for stage in sorted(read_stages(task.job))]
            for task in self._tasks.values()
        }

    def notify(self, event: RunEvent) -> None:
        """Handle *event*."""
        if isinstance(event, Skipped):
            self._over.add(event.task)
        elif isinstance(event, Ended) and event.is_final:
            self._over.add(event.attempt.task.id)
        if isinstance(event, Started | Ended) or (isinstance(event, Skipped) and event.task not in self._left_out):
            self._needed.clear()

    def is_requested(self, task: Task) -> bool:
        """Return whether the user requested *task*."""
        return task.id in self._requested

    def needs(self, task: Task) -> bool:
        """Return whether the result of *task*, whose predecessors have ended, is needed."""
        pipeline = task.plan.name
        if pipeline not in self._needed:
            self._needed[pipeline] = self._find_needed(self._runs[pipeline])
        is_needed = task.id in self._requested or task.id in self._needed[pipeline]
        if not is_needed:
            self._left_out.add(task.id)
        return is_needed

    def lacks_inputs(self, task: Task) -> bool:
        """Return whether an input of *task* was left out because the result of *task* was known."""
        return not self._left_out.isdisjoint(self._inputs[task.id])

    def _find_needed(self, run: PipelineRun) -> set[TaskId]:
        known = self._known(run)
        needed: set[TaskId] = set()
        waiting = [task.id for task in run.tasks if task.id in self._requested]
        while waiting:
            task = waiting.pop()
            if task not in needed and task not in self._over:
                needed.add(task)
                waiting += () if task in known else self._inputs[task]
        return needed

    def _known(self, run: PipelineRun) -> set[TaskId]:
        """Return the stages of *run* whose results are known.

        Successors of a requested stage that must run are not examined: it may change their inputs.
        """
        known: set[TaskId] = set()
        unsettled: set[str] = set()
        available = self._over - self._left_out
        for stage in run.graph.topological():
            task = TaskId(run.name, stage)
            if task in self._over:
                continue
            follows_unsettled = not unsettled.isdisjoint(run.graph.predecessors(stage))
            if not follows_unsettled and self._results.has_result(self._tasks[task], self._inputs[task], available):
                known.add(task)
            elif follows_unsettled or task in self._requested:
                unsettled.add(stage)
        return known
