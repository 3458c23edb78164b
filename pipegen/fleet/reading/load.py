"""The load in the file of a fleet: configs, their arrivals, and the times of their stages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TypeVar

from pipegen.compiler import analyse
from pipegen.config.files.load import load, repository_root
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.fleet.distributions import Distribution, FixedTime, typical
from pipegen.fleet.model import Load, MachineGroup
from pipegen.fleet.reading.arrivals import read_arrivals
from pipegen.fleet.reading.named_files import FleetFolder
from pipegen.fleet.reading.values import amounts, distribution, flag, fraction, mapping, time_of, whole
from pipegen.fleet.workflow import StageTimes, workflow
from pipegen.plan.durations import assumed_words
from pipegen.plan.model import Job, Plan, Selection
from pipegen.run.files.run_folder import home
from pipegen.run.local.durations import known_durations
from pipegen.run.model import TaskId
from pipegen.run.scheduling.amounts import Amounts, fits
from pipegen.run.scheduling.nodes import node
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Scalar, written_text
from pipegen.source.tree import Mapping as TreeMapping

V = TypeVar("V")

# The duration of stages without any other information.
_MINUTE = 60.0
_AT_ONCE = FixedTime(0.0)


class LoadReader:
    """Reads the load of a fleet whose file is at *path*; a config that several loads use is compiled once."""

    def __init__(
        self,
        path: Path,
        groups: Sequence[MachineGroup],
        queues: Sequence[str],
        environment: Mapping[str, str],
        report: Report,
    ) -> None:
        self._folder = FleetFolder(path.parent, repository_root(path))
        self._limits = [node(group.machine, 0).limits for group in groups]
        self._queues = queues
        self._environment = environment
        self._report = report
        self._plans: dict[Path, tuple[Plan, ...]] = {}

    def read(self, item: TreeMapping) -> tuple[Load, Plan] | None:
        """Return the load of *item*, and its plan; None if it has errors."""
        report = self._report
        plan = self._plan(item)
        if plan is None:
            return None
        queue = item.get("queue")
        if isinstance(queue, Scalar) and queue.text not in self._queues:
            report_unknown("queue", queue, self._queues, report)
        services = {service.alias for job in plan.jobs for service in job.machine.services}
        service_amounts = {
            entry.key.text: self._service(entry) for entry in _known(item, "services", services, "service", report)
        }
        load = Load(
            name=written_text(item.get("name"), plan.name),
            queue=written_text(queue, self._queues[0]),
            priority=whole(item.get("priority"), 0),
            workflow=workflow(plan, self._times(item, plan), service_amounts),
            arrivals=read_arrivals(mapping(item.get("arrivals"), item), self._folder, report),
            waiting_time=time_of(item.get("waiting_time"), inf),
            may_preempt=flag(item.get("may_preempt")),
        )
        return load, plan

    def _service(self, entry: Entry) -> Amounts:
        """Return the resources of a service; report it if no machine has as much."""
        requested = amounts(entry.value, self._report)
        if not any(fits(requested, limits) for limits in self._limits):
            self._report.add(
                codes.INVALID_FLEET_VALUE,
                f'no machine has room for the service "{entry.key.text}"',
                at=entry.value.span,
                hint="request less, or use a larger machine",
            )
        return requested

    def _plan(self, item: TreeMapping) -> Plan | None:
        config, name = item.get("config"), item.get("pipeline")
        if not isinstance(config, Scalar):
            return None
        path = self._folder.file(config, "config", self._report)
        if path is None:
            return None
        if path not in self._plans:
            self._plans[path] = self._compiled(path, config)
        plans = {plan.name: plan for plan in self._plans[path]}
        always = [plan for plan in plans.values() if plan.selection is Selection.ALWAYS] or list(plans.values())
        if isinstance(name, Scalar):
            if plans and name.text not in plans:
                report_unknown("pipeline", name, plans, self._report)
            return plans.get(name.text)
        if len(always) > 1:
            self._report.add(
                codes.INVALID_FLEET_VALUE,
                f'"{config.text}" has several pipelines: {listed([plan.name for plan in always])}',
                at=config.span,
                hint='choose one with "pipeline"',
            )
        return always[0] if len(always) == 1 else None

    def _compiled(self, path: Path, shown: Scalar) -> tuple[Plan, ...]:
        """Return the plans of the config at *path*; raise `Stopped` if it has errors."""
        report = Report()
        try:
            file = load(path, report, shown=shown.text, within=self._folder.root)
            report.stop_if_errors()
            return analyse(file, (), report).plans
        finally:
            self._report.take(report)

    def _times(self, item: TreeMapping, plan: Plan) -> Mapping[str, StageTimes]:
        """Return the times of all stages of *plan*; those without a duration take the mean of the others."""
        report = self._report
        names = {name for job in plan.jobs for name in (job.stage, job.title)}
        durations = self._durations(item, plan)
        approvals = {
            entry.key.text: _approval(entry, plan, report)
            for entry in _known(item, "approvals", names, "stage", report)
        }
        failures = {entry.key.text: fraction(entry.value) for entry in _known(item, "failures", names, "stage", report)}
        typical_times = [typical(duration) for duration in durations.values()]
        mean = sum(typical_times) / len(typical_times) if typical_times else _MINUTE
        missing = [job for job in plan.jobs if job.stage not in durations and not job.deployment.stops_environment]
        if missing:
            _report_missing(missing, mean, item.span, report)
        return {
            job.stage: StageTimes(
                duration=durations.get(job.stage, FixedTime(mean)),
                approval=_of(job, approvals, _AT_ONCE),
                failure=_of(job, failures, 0.0),
            )
            for job in plan.jobs
        }

    def _durations(self, item: TreeMapping, plan: Plan) -> dict[str, Distribution]:
        node, report = item.get("durations"), self._report
        if isinstance(node, Scalar):
            config = plan.span.file.absolute_path
            known = known_durations(home(repository_root(config), self._environment)) if config is not None else {}
            times = {job.stage: known.get(TaskId(plan.name, job.stage)) for job in plan.jobs}
            return {stage: FixedTime(seconds) for stage, seconds in times.items() if seconds is not None}
        names = {name for job in plan.jobs for name in (job.stage, job.title)}
        distributions = {
            entry.key.text: distribution(entry.value, report)
            for entry in _known(item, "durations", names, "stage", report)
        }
        times_by_stage = {job.stage: _of(job, distributions, None) for job in plan.jobs}
        return {stage: time for stage, time in times_by_stage.items() if time is not None}


def _approval(entry: Entry, plan: Plan, report: Report) -> Distribution:
    """Return the time until an approval; report it if no stage of this name needs one."""
    jobs = [job for job in plan.jobs if entry.key.text in (job.stage, job.title)]
    time = distribution(entry.value, report)
    if jobs and time != _AT_ONCE and not any(job.deployment.approval for job in jobs):
        report.add(
            codes.IGNORED_FLEET_KEY,
            f'the approval of "{entry.key.text}" has no effect, because the stage needs none',
            at=entry.key.span,
            hint='write "approve: true" for the stage in its config, or remove this time',
        )
    return time


def report_unknown(kind: str, name: Scalar, known: Iterable[str], report: Report) -> None:
    """Report that there is no *kind* with this *name*."""
    similar = suggestion(name.text, known := tuple(known))
    report.add(
        codes.UNKNOWN_FLEET_NAME,
        f'there is no {kind} "{name.text}"',
        at=name.span,
        hint=f'rename it to "{similar}"' if similar else f"choose one of {listed(known)}" if known else "remove it",
    )


def _known(item: TreeMapping, key: str, names: Collection[str], kind: str, report: Report) -> Iterator[Entry]:
    """Yield the entries of the map under *key*; report those with unknown *names*."""
    for entry in mapping(item.get(key), item).entries:
        if entry.key.text not in names:
            report_unknown(kind, entry.key, sorted(names), report)
        yield entry


def _of(job: Job, by_name: Mapping[str, V], default: V) -> V:
    """Return the value of *job*: of its name, or of its stage with a matrix."""
    return by_name.get(job.stage, by_name.get(job.title, default))


def _report_missing(jobs: Sequence[Job], mean: float, span: Span, report: Report) -> None:
    report.add(
        codes.MISSING_DURATION,
        f"no duration for {assumed_words([job.stage for job in jobs], mean)}",
        at=span,
        hint='add them to "durations", so that the figures are correct',
    )
