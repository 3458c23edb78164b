"""Simulated scenarios: the pipelines of configs, the order of their stages, and durations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipegen.cli.parameters import existing
from pipegen.cli.timing.durations import check_timeouts, load_durations
from pipegen.cli.timing.journals import JOURNAL, journal_durations
from pipegen.cli.timing.orders import EngineOrder, enforced
from pipegen.compiler import Analysed
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.numbering import unique_name
from pipegen.plan.model import Job, Plan, Selection
from pipegen.run.chart.times import SECONDS, UNITS, Unit
from pipegen.run.model import Demand, PipelineRun, RunMachine, TaskId
from pipegen.run.priorities import check_stages, priorities
from pipegen.run.scheduling.scheduler import scheduler
from pipegen.run.simulation import Simulation, simulate
from pipegen.run.tasks import pipeline_run, running
from pipegen.structs import Struct, replace


class Scenario(Struct, kw_only=True):
    """Pipelines that run in parallel, the durations of their stages, and the scheduling order."""

    runs: tuple[PipelineRun, ...]
    durations: Mapping[TaskId, float]
    unit: Unit
    order: str
    first: tuple[str, ...]

    def on(self, machines: Sequence[RunMachine]) -> Simulation:
        """Return the simulation on *machines*."""
        return simulate(self.runs, self.durations, machines, scheduler(machines, order=self.order))


def scenario_of(
    configs: Sequence[Analysed],
    durations: str | None,
    target: EngineOrder | None,
    order: str,
    first: tuple[str, ...],
    report: Report,
) -> Scenario:
    """Return the scenario of *configs*, in the order of *target*, or of their arcs.

    *durations* is a file or "journal". Without it, each stage takes 1, and delays, which are in seconds, take 0. The
    stages *first* have priorities.
    """
    plans, graphs = _running(configs, target, report)
    if first:
        jobs = (job for name, plan in plans.items() for job in plan.jobs if job.is_final or job.stage in graphs[name])
        check_stages("--first", first, jobs, configs[0].file, report)
    if durations is not None:
        uses_journal = durations == JOURNAL
        seconds_by_task = (
            journal_durations(plans, os.environ, report)
            if uses_journal
            else load_durations(existing(Path(durations)), plans, report)
        )
        check_timeouts(plans, seconds_by_task, report)
    else:
        seconds_by_task = {TaskId(name, job.stage): 1.0 for name, plan in plans.items() for job in plan.jobs}
    report.stop_if_errors()
    runs: list[PipelineRun] = []
    for name, plan in plans.items():
        durations_by_stage = {job.stage: seconds_by_task[TaskId(name, job.stage)] for job in plan.jobs}
        tasks_before = sum(len(run.tasks) for run in runs)
        run_plan = (
            replace(plan, name=name)
            if durations is not None
            else replace(plan, name=name, jobs=_jobs_without_delays(plan))
        )
        runs.append(
            pipeline_run(
                run_plan,
                durations_by_stage,
                graph=graphs[name],
                first=tasks_before,
                priorities=priorities(graphs[name], plan.jobs, first),
            )
        )
    unit = SECONDS if durations is not None else UNITS
    return Scenario(runs=tuple(runs), durations=seconds_by_task, unit=unit, order=order, first=first)


def _jobs_without_delays(plan: Plan) -> tuple[Job, ...]:
    """Return the jobs of *plan* without delays."""
    return tuple(replace(job, deployment=replace(job.deployment, delay=None)) for job in plan.jobs)


def without_demands(scenario: Scenario) -> Scenario:
    """Return *scenario* with stages that fit on any executor; locks are kept."""
    runs = (
        replace(run, tasks=tuple(replace(task, demand=Demand(locks=task.demand.locks)) for task in run.tasks))
        for run in scenario.runs
    )
    return replace(scenario, runs=tuple(runs))


def _running(
    configs: Sequence[Analysed], target: EngineOrder | None, report: Report
) -> tuple[dict[str, Plan], dict[str, ExecutionGraph]]:
    """Return the pipelines that run, and the order of their stages, by the names of their runs.

    A name that several configs share is prefixed with the path of the config.
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
            # A config that is named twice runs twice.
            name = unique_name(
                f"{config.file.path}: {plan.name}" if is_shared else plan.name, {*plans}, "{} ({})".format
            )
            plans[name] = plan
            graphs[name] = running(plan, orders.get(plan.name, plan.graph))
    return plans, graphs


def _chosen(config: Analysed) -> tuple[Plan, ...]:
    """Return the pipelines that run: those selected, else those that always run, else all."""
    always = tuple(plan for plan in config.plans if plan.selection is Selection.ALWAYS)
    return config.plans if config.selected else always or config.plans
