"""A local run, from its folder to its cleanup."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Self

from pipegen.plan.model import Workspace
from pipegen.run.clocks.real import RealClock
from pipegen.run.engine import Ask, Engine
from pipegen.run.events import Listener
from pipegen.run.files.run_folder import RunFolder, locks
from pipegen.run.local import shell_variables as names
from pipegen.run.local.cache.demand import RequiredResults
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.executors.container import NETWORK, Containers, common_folder
from pipegen.run.local.executors.local import LocalExecutor
from pipegen.run.local.executors.locking import LockingExecutor
from pipegen.run.local.executors.process import Invocation, Process
from pipegen.run.local.executors.reusing import ReusingExecutor
from pipegen.run.local.prepare import Prepared, RunRequest
from pipegen.run.local.reuse import results
from pipegen.run.local.scripts import as_text
from pipegen.run.local.selection import SelectedPipeline
from pipegen.run.local.watchdog import Guard, clean, kill_rest
from pipegen.run.local.workspace import InPlace, Isolated, forget_secrets
from pipegen.run.model import Demand, Outcome, PipelineRun, RunMachine, Task, TaskId
from pipegen.run.scheduling.base import Refusal, Scheduler
from pipegen.run.status import Status
from pipegen.run.tasks import pipeline_run
from pipegen.shell.teardown import teardown
from pipegen.structs import replace

_NOTHING: Mapping[TaskId, Outcome] = MappingProxyType({})


class Execution:
    """Runs *prepared* stages in *folder*, and removes everything else at the end."""

    def __init__(
        self,
        selected: Sequence[SelectedPipeline],
        prepared: Prepared,
        *,
        checkout: LocalCheckout,
        request: RunRequest,
        folder: RunFolder,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._selected, self._prepared, self._folder = selected, prepared, folder
        self.clock = RealClock()
        self._guard = Guard(folder.id, prepared.program)
        self.is_interrupted = False
        self._is_done = self._has_torn_down = False
        self._trees = _trees(selected, prepared, checkout, request, folder, warn)
        self._variables = {
            **prepared.variables,
            names.RUN: folder.id,
            names.VALUES: str(folder.values),
        }
        local = LocalExecutor(
            clock=self.clock,
            folder=folder,
            trees=self._trees,
            hosts=prepared.hosts,
            work=prepared.work,
            environment=prepared.environment,
            variables=self._variables,
            containers=None if request.is_on_host or not prepared.program else self._containers(checkout, request),
            warn=warn,
        )
        results_cache = results(selected, prepared, request, self._trees, prepared.variables, warn)
        reusing = (
            None
            if results_cache is None
            else ReusingExecutor(local, results_cache, self.clock, is_forced=request.ignores_cache, warn=warn)
        )
        self._reusing = reusing
        self._kept = None if request.ignores_cache else results_cache
        self._requested = frozenset(
            TaskId(selection.plan.name, job.stage)
            for selection in selected
            for job in selection.jobs
            if job.stage in request.stages or job.title in request.stages
        )
        self._executor = LockingExecutor(reusing or local, locks(request.environment), self.clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(
        self,
        runs: Sequence[PipelineRun],
        *,
        scheduler: Scheduler,
        listeners: Sequence[Listener] = (),
        is_wanted: Callable[[Task], bool] = lambda _: True,
        ask: Ask = lambda _, answer: answer(True),
        interrupted: Callable[[bool], None] = lambda _: None,
        ended: Mapping[TaskId, Outcome] = _NOTHING,
    ) -> Mapping[str, Status]:
        """Run to the end; return the status of each pipeline. Tasks that *ended* in an earlier run are not repeated.

        After the first interrupt, only finally stages start; the second one kills, as TERM does. *interrupted* is
        called for each, with whether it kills.
        """
        demand = self._demand(runs, ended)
        engine = Engine(
            runs,
            clock=self.clock,
            executor=self._executor,
            scheduler=scheduler,
            listeners=listeners if demand is None else (demand, *listeners),
            is_wanted=is_wanted,
            is_needed=self._reusing.needs if self._reusing is not None else lambda _: True,
            ask=ask,
            hold=self._hold,
            ended=ended,
        )
        for task in (task for run in runs for task in run.tasks if task.id in ended):
            self._trees.bind(task.job, ended[task.id].outputs)

        def stop(*, kill: bool) -> None:
            kill, self.is_interrupted = kill or self.is_interrupted, True
            interrupted(kill)
            engine.stop(kill=kill)

        self.clock.on_signal(signal.SIGINT, lambda: stop(kill=False))
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.clock.on_signal(number, lambda: stop(kill=True))
        statuses = engine.run()
        self._tear_down()
        self._has_torn_down = not self.is_interrupted
        self._is_done = all(status is Status.SUCCESS for status in statuses.values())
        return statuses

    def close(self) -> None:
        """Remove processes, containers and files that remain."""
        self._executor.close()
        kill_rest(self._folder.id)
        if not self._has_torn_down and self._prepared.program:
            clean(self._folder.id, self._prepared.program)
        self._guard.close()
        self.clock.close()
        if not self._is_done:
            forget_secrets(self._folder, self._prepared.redactor)
        self._folder.close(is_done=self._is_done)

    def _demand(self, runs: Sequence[PipelineRun], ended: Collection[TaskId]) -> RequiredResults | None:
        """Return the required results if only some stages are requested and results are reused, else None."""
        if self._reusing is None or self._kept is None or not self._requested:
            return None
        self._reusing.demand = RequiredResults(self._kept, runs, self._requested, ended)
        return self._reusing.demand

    def _hold(self, task: Task, free: Callable[[], None]) -> Refusal | None:
        """Return why *task* cannot start: an equal stage runs, or another run holds a lock."""
        refused = self._reusing.hold(task, free) if self._reusing is not None else None
        return refused or self._executor.hold(task, free)

    def _tear_down(self) -> None:
        """Remove the images, containers and releases that stages shared."""
        if not any(work.script.uses_containers for work in self._prepared.work.values()):
            return
        commands = [
            command
            for pipeline in self._selected
            for command in teardown(pipeline.jobs, self._prepared.hosts[pipeline.plan.name])
        ]
        if not commands:
            return
        invocation = Invocation(
            arguments=("/bin/sh", "-c", as_text(commands)),
            environment={**self._prepared.environment, **self._variables},
            folder="/",
            log=str(self._folder.logs / "teardown.log"),
            redactor=self._prepared.redactor,
        )
        ended: list[int] = []
        Process(invocation, self.clock, ended.append)
        while not ended and self.clock.wait():
            pass

    def _containers(self, checkout: LocalCheckout, request: RunRequest) -> Containers:
        git_folder = common_folder(checkout.root)
        # A copy uses the objects of the user's repository.
        read_only = (git_folder or str(checkout.root / ".git"),) if request.is_isolated else ()
        return Containers(
            program=self._prepared.program,
            values=str(self._folder.values),
            after_values=str(self._folder.after_values),
            mounts=(git_folder,) if git_folder and not request.is_isolated else (),
            reads=(str(self._folder.scripts), *read_only),
            has_host_network=request.environment.get(NETWORK) == "host",
        )


def pipeline_runs(
    selected: Sequence[SelectedPipeline],
    durations: Callable[[str, str], float],
    machine: RunMachine,
    is_fail_fast: bool | None,  # noqa: FBT001 - three values
) -> tuple[PipelineRun, ...]:
    """Return the runs of *selected* on *machine*; *is_fail_fast* overrides the plans unless it is None.

    As there is only one machine, labels are removed, and a stage that requests more than it has takes all of it.
    """
    runs: list[PipelineRun] = []
    for selection in selected:
        known = {job.stage: durations(selection.plan.name, job.stage) for job in selection.jobs}
        first = sum(len(run.tasks) for run in runs)
        run = pipeline_run(selection.plan, known, graph=selection.graph, first=first, priorities=selection.priorities)
        stages = {job.stage for job in selection.jobs}
        runs.append(
            replace(
                run,
                tasks=tuple(
                    replace(task, demand=_demand_on(machine, task.demand))
                    for task in run.tasks
                    if task.id.stage in stages
                ),
                is_fail_fast=run.is_fail_fast if is_fail_fast is None else is_fail_fast,
            )
        )
    return tuple(runs)


def _demand_on(machine: RunMachine, demand: Demand) -> Demand:
    return replace(
        demand,
        cpu=demand.cpu if machine.cpu is None else min(demand.cpu, machine.cpu),
        memory=demand.memory if machine.memory is None else min(demand.memory, machine.memory),
        labels=(),
    )


def _trees(
    selected: Sequence[SelectedPipeline],
    prepared: Prepared,
    checkout: LocalCheckout,
    request: RunRequest,
    folder: RunFolder,
    warn: Callable[[str], None],
) -> InPlace | Isolated:
    if not request.is_isolated:
        return InPlace(checkout.root, folder)
    carried = {(task.pipeline, task.stage): local_task.script.carries for task, local_task in prepared.work.items()}
    plans = [selection.plan for selection in selected]
    shared = frozenset(plan.name for plan in plans if plan.workspace is Workspace.SHARED)
    trees = Isolated(checkout, folder, carried, shared, warn)
    trees.prepare(plans)
    return trees
