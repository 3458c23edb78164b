"""A run on this machine, from its folder to what is left of it."""

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
from pipegen.run.model import Outcome, PipelineRun, Task, TaskId
from pipegen.run.outcome import Status
from pipegen.run.scheduling.base import Refusal, Scheduler
from pipegen.run.tasks import pipeline_run
from pipegen.shell.teardown import teardown
from pipegen.structs import replace

_NOTHING: Mapping[TaskId, Outcome] = MappingProxyType({})


class Execution:
    """Runs what was *prepared* in *folder*, and leaves nothing behind but that, however it ends."""

    def __init__(
        self,
        chosen: Sequence[SelectedPipeline],
        prepared: Prepared,
        *,
        checkout: LocalCheckout,
        wish: RunRequest,
        folder: RunFolder,
        complain: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._chosen, self._prepared, self._folder = chosen, prepared, folder
        self.clock = RealClock()
        self._guard = Guard(folder.id, prepared.program)
        self.is_interrupted = False
        self._is_done = False
        self._trees = _trees(chosen, prepared, checkout, wish, folder, complain)
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
            containers=None if wish.is_on_host or not prepared.program else self._containers(checkout, wish),
            complain=complain,
        )
        kept = results(chosen, prepared, wish, self._trees, prepared.variables, complain)
        reusing = (
            None
            if kept is None
            else ReusingExecutor(local, kept, self.clock, is_forced=wish.is_made_anew, complain=complain)
        )
        self._reusing = reusing
        self._kept = None if wish.is_made_anew else kept
        self._asked = frozenset(
            TaskId(one.plan.name, job.stage)
            for one in chosen
            for job in one.jobs
            if job.stage in wish.stages or job.title in wish.stages
        )
        self._executor = LockingExecutor(reusing or local, locks(wish.environment), self.clock)

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
        """Run to the end; return what came of each pipeline. What has *ended* in an earlier run is not repeated.

        The first interrupt lets nothing new start but finally stages, a second one kills, as TERM does; *interrupted*
        hears of each, and whether it kills.
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
        found = engine.run()
        self._tear_down()
        self._is_done = all(status is Status.SUCCESS for status in found.values())
        return found

    def close(self) -> None:
        """Remove what is left."""
        self._executor.close()
        kill_rest(self._folder.id)
        if self.is_interrupted and self._prepared.program:
            clean(self._folder.id, self._prepared.program)
        self._guard.close()
        self.clock.close()
        if not self._is_done:
            forget_secrets(self._folder, self._prepared.redactor)
        self._folder.close(is_done=self._is_done)

    def _demand(self, runs: Sequence[PipelineRun], ended: Collection[TaskId]) -> RequiredResults | None:
        """Return what says which stages are needed, where not all are asked for and some have results."""
        if self._reusing is None or self._kept is None or not self._asked:
            return None
        self._reusing.demand = RequiredResults(self._kept, runs, self._asked, ended)
        return self._reusing.demand

    def _hold(self, task: Task, free: Callable[[], None]) -> Refusal | None:
        """Return what keeps *task* from starting: an equal stage that runs, or a lock that another run has."""
        refused = self._reusing.hold(task, free) if self._reusing is not None else None
        return refused or self._executor.hold(task, free)

    def _tear_down(self) -> None:
        """Remove the images, containers and releases that stages kept for each other."""
        if not any(one.script.uses_containers for one in self._prepared.work.values()):
            return
        commands = [
            command for one in self._chosen for command in teardown(one.jobs, self._prepared.hosts[one.plan.name])
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

    def _containers(self, checkout: LocalCheckout, wish: RunRequest) -> Containers:
        common = common_folder(checkout.root)
        # A copy borrows the objects of the user's repository.
        borrowed = (common or str(checkout.root / ".git"),) if wish.is_isolated else ()
        return Containers(
            program=self._prepared.program,
            values=str(self._folder.values),
            kept=str(self._folder.kept),
            mounts=(common,) if common and not wish.is_isolated else (),
            reads=(str(self._folder.scripts), *borrowed),
            has_host_network=wish.environment.get(NETWORK) == "host",
        )


def pipeline_runs(
    chosen: Sequence[SelectedPipeline], durations: Callable[[str, str], float], *, is_fail_fast: bool | None
) -> tuple[PipelineRun, ...]:
    """Return *chosen* as the engine takes it; *is_fail_fast* stands in for what the plans say, where it is not None.

    There is one machine, so no stage asks for labels of another.
    """
    found: list[PipelineRun] = []
    for one in chosen:
        known = {job.stage: durations(one.plan.name, job.stage) for job in one.jobs}
        run = pipeline_run(one.plan, known, graph=one.graph, first=sum(len(run.tasks) for run in found))
        wanted = {job.stage for job in one.jobs}
        found.append(
            replace(
                run,
                tasks=tuple(
                    replace(task, demand=replace(task.demand, labels=()))
                    for task in run.tasks
                    if task.id.stage in wanted
                ),
                is_fail_fast=run.is_fail_fast if is_fail_fast is None else is_fail_fast,
            )
        )
    return tuple(found)


def _trees(
    chosen: Sequence[SelectedPipeline],
    prepared: Prepared,
    checkout: LocalCheckout,
    wish: RunRequest,
    folder: RunFolder,
    complain: Callable[[str], None],
) -> InPlace | Isolated:
    if not wish.is_isolated:
        return InPlace(checkout.root, folder)
    carried = {(task.pipeline, task.stage): one.script.carries for task, one in prepared.work.items()}
    plans = [one.plan for one in chosen]
    shared = frozenset(plan.name for plan in plans if plan.workspace is Workspace.SHARED)
    trees = Isolated(checkout, folder, carried, shared, complain)
    trees.prepare(plans)
    return trees
