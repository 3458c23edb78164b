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
from pipegen.structs import Struct


class _Needs(Struct):
    """The *needed* stages of a run, those with *known* results, and those that are *unsettled*.

    An unsettled stage is requested and must run, or follows one that is unsettled.
    """

    needed: set[TaskId]
    known: set[TaskId]
    unsettled: set[TaskId]


class RequiredResults:
    """The required results of *runs* for the *requested* stages; a listener of the run.

    Stages that *ended* in an earlier run have no needs.
    """

    def __init__(
        self, results: Results, runs: Sequence[PipelineRun], requested: Collection[TaskId], ended: Collection[TaskId]
    ) -> None:
        self._results, self._requested = results, frozenset(requested)
        # Stages that are over, and those of them that were not left out.
        self._over, self._available = set(ended), set(ended)
        self._left_out: set[TaskId] = set()
        self._runs = {run.name: run for run in runs}
        self._needs: dict[str, _Needs] = {}
        # By run, the stages that started or ended since its needs were found; one that is left out changes nothing.
        self._changed: dict[str, list[TaskId]] = {run.name: [] for run in runs}
        self._tasks = {task.id: task for run in runs for task in run.tasks}
        self._inputs = {
            task.id: [TaskId(task.plan.name, stage) for stage in sorted(read_stages(task.job))]
            for task in self._tasks.values()
        }
        # The stages that read each one, without finally stages, whose results are not stored.
        self._readers: dict[TaskId, list[TaskId]] = {}
        for task in self._tasks.values():
            for earlier in self._inputs[task.id] if not task.job.is_final else ():
                self._readers.setdefault(earlier, []).append(task.id)

    def notify(self, event: RunEvent) -> None:
        """Handle *event*."""
        if isinstance(event, Skipped):
            self._change(event.task, is_over=True)
        elif isinstance(event, Started | Ended):
            self._change(event.attempt.task.id, is_over=isinstance(event, Ended) and event.is_final)

    def is_requested(self, task: Task) -> bool:
        """Return whether the user requested *task*."""
        return task.id in self._requested

    def needs(self, task: Task) -> bool:
        """Return whether the result of *task*, whose predecessors have ended, is needed."""
        pipeline = task.plan.name
        run, needs, changed = self._runs[pipeline], self._needs.get(pipeline), self._changed[pipeline]
        if needs is None or any(self._has_changed(run, needs, other) for other in changed):
            needs = self._needs[pipeline] = self._find_needs(run)
        changed.clear()
        is_needed = task.id in self._requested or task.id in needs.needed
        if not is_needed:
            self._left_out.add(task.id)
        return is_needed

    def lacks_inputs(self, task: Task) -> bool:
        """Return whether an input of *task* was left out because the result of *task* was known."""
        return not self._left_out.isdisjoint(self._inputs[task.id])

    def _change(self, task: TaskId, *, is_over: bool) -> None:
        if is_over:
            self._over.add(task)
        if task not in self._left_out:
            self._changed[task.pipeline].append(task)
            if is_over:
                self._available.add(task)

    def _has_changed(self, run: PipelineRun, needs: _Needs, task: TaskId) -> bool:
        """Return whether *needs* of *run* may differ since *task* started or ended.

        Only the stages that read *task* are examined: to examine all of them for each stage would take quadratic time.
        """
        return (
            task in needs.known
            or task in needs.unsettled
            or any(
                self._is_known(run, reader, needs.unsettled) or self._results.has_keys(reader)
                for reader in self._readers.get(task, ())
                if reader not in self._over and reader not in needs.known
            )
        )

    def _find_needs(self, run: PipelineRun) -> _Needs:
        known: set[TaskId] = set()
        unsettled: set[TaskId] = set()
        for stage in run.graph.topological():
            task = TaskId(run.name, stage)
            if task in self._over:
                continue
            if self._is_known(run, task, unsettled):
                known.add(task)
            elif task in self._requested or _follows(run, task, unsettled):
                unsettled.add(task)
        needed: set[TaskId] = set()
        waiting = [task.id for task in run.tasks if task.id in self._requested]
        while waiting:
            task = waiting.pop()
            if task not in needed and task not in self._over:
                needed.add(task)
                waiting += () if task in known else self._inputs[task]
        return _Needs(needed, known, unsettled)

    def _is_known(self, run: PipelineRun, task: TaskId, unsettled: Collection[TaskId]) -> bool:
        """Return whether the result of *task* is known.

        Successors of a requested stage that must run are not examined: it may change their inputs.
        """
        return not _follows(run, task, unsettled) and self._results.has_result(
            self._tasks[task], self._inputs[task], self._available
        )


def _follows(run: PipelineRun, task: TaskId, unsettled: Collection[TaskId]) -> bool:
    """Return whether *task* of *run* directly follows any of the *unsettled* stages."""
    return bool(unsettled) and any(TaskId(run.name, stage) in unsettled for stage in run.graph.predecessors(task.stage))
