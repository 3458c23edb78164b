"""Configs as runs on paper: which pipelines run, in whose order, and how long their stages take."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipegen.cli.timing.durations import check_timeouts, load_durations
from pipegen.cli.timing.journals import JOURNAL, journal_durations
from pipegen.cli.timing.orders import EngineOrder, enforced
from pipegen.compiler import Analysed
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Job, Plan, Selection
from pipegen.run.chart.times import SECONDS, UNITS, Unit
from pipegen.run.model import Demand, PipelineRun, RunMachine, TaskId
from pipegen.run.scheduling.scheduler import scheduler
from pipegen.run.simulation import Simulation, simulate
from pipegen.run.tasks import pipeline_run, running
from pipegen.structs import Struct, replace


class Paper(Struct, kw_only=True):
    """Pipelines that run side by side, how long their stages take, and in which order they are placed."""

    runs: tuple[PipelineRun, ...]
    durations: Mapping[TaskId, float]
    unit: Unit
    order: str

    def on(self, machines: Sequence[RunMachine]) -> Simulation:
        """Return what the run comes to on *machines*."""
        return simulate(self.runs, self.durations, machines, scheduler(machines, order=self.order))


def on_paper(
    configs: Sequence[Analysed], durations: str | None, target: EngineOrder | None, order: str, report: Report
) -> Paper:
    """Return the pipelines of *configs* that run when nobody chooses, in the order of *target*, or of their arcs.

    *durations* names a file, or the journals of earlier runs here. Without it, each stage takes 1, and delays nothing:
    they are seconds.
    """
    plans, graphs = _running(configs, target, report)
    if durations is not None:
        is_told = durations == JOURNAL
        times = (
            journal_durations(plans, os.environ, report) if is_told else load_durations(Path(durations), plans, report)
        )
        check_timeouts(plans, times, report)
    else:
        times = {TaskId(name, job.stage): 1.0 for name, plan in plans.items() for job in plan.jobs}
    report.stop_if_errors()
    runs: list[PipelineRun] = []
    for name, plan in plans.items():
        own = {job.stage: times[TaskId(name, job.stage)] for job in plan.jobs}
        first = sum(len(run.tasks) for run in runs)
        known = replace(plan, name=name) if durations is not None else replace(plan, name=name, jobs=_at_once(plan))
        runs.append(pipeline_run(known, own, graph=graphs[name], first=first))
    unit = SECONDS if durations is not None else UNITS
    return Paper(runs=tuple(runs), durations=times, unit=unit, order=order)


def _at_once(plan: Plan) -> tuple[Job, ...]:
    """Return the jobs of *plan* without delays."""
    return tuple(replace(job, deployment=replace(job.deployment, delay=None)) for job in plan.jobs)


def anywhere(paper: Paper) -> Paper:
    """Return *paper* with stages that any executor can take; locks are locks all the same."""
    runs = (
        replace(run, tasks=tuple(replace(task, demand=Demand(locks=task.demand.locks)) for task in run.tasks))
        for run in paper.runs
    )
    return replace(paper, runs=tuple(runs))


def _running(
    configs: Sequence[Analysed], target: EngineOrder | None, report: Report
) -> tuple[dict[str, Plan], dict[str, ExecutionGraph]]:
    """Return the pipelines that run, and the order of their stages, by the names of their runs.

    A name that several configs have stands after the path of its config.
    """
    homes: dict[str, set[str]] = {}
    for config in configs:
        for plan in _chosen(config):
            homes.setdefault(plan.name, set()).add(config.file.path)
    plans: dict[str, Plan] = {}
    graphs: dict[str, ExecutionGraph] = {}
    for config in configs:
        orders = enforced(config, target, report) if target is not None else {}
        for plan in _chosen(config):
            is_shared = len(homes[plan.name]) > 1
            name = _free(f"{config.file.path}: {plan.name}" if is_shared else plan.name, plans)
            plans[name] = plan
            graphs[name] = running(plan, orders.get(plan.name, plan.graph))
    return plans, graphs


def _chosen(config: Analysed) -> tuple[Plan, ...]:
    """Return the pipelines that run: those chosen, or all that do not wait to be asked for, if there are any."""
    always = tuple(plan for plan in config.plans if plan.selection is Selection.ALWAYS)
    return config.plans if config.selected else always or config.plans


def _free(name: str, taken: Mapping[str, Plan]) -> str:
    """Return *name*, numbered where it is *taken*: a config that is given twice runs twice."""
    number = 2
    while name in taken and f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})" if name in taken else name
