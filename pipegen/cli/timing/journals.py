"""Durations of stages from earlier local runs."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.cli.exits import WrongUsage
from pipegen.config.files.load import repository_root
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.durations import assumed_words
from pipegen.plan.model import Job, Plan
from pipegen.run.files.run_folder import home
from pipegen.run.local.durations import known_durations
from pipegen.run.model import TaskId

# The value of `--durations` for earlier runs instead of a file.
JOURNAL = "journal"


def journal_durations(plans: Mapping[str, Plan], environment: Mapping[str, str], report: Report) -> dict[TaskId, float]:
    """Return the seconds of the stages of *plans*, by the names of their runs, from the last local runs.

    Stages without durations take the mean of the others, and are reported.
    """
    durations: dict[TaskId, float] = {}
    missing: list[tuple[TaskId, Job]] = []
    for run, plan in plans.items():
        config = plan.span.file.absolute_path
        times = known_durations(home(repository_root(config), environment)) if config is not None else {}
        for job in plan.jobs:
            seconds = times.get(TaskId(plan.name, job.stage))
            if seconds is None:
                missing.append((TaskId(run, job.stage), job))
            else:
                durations[TaskId(run, job.stage)] = seconds
    if not durations:
        raise WrongUsage(
            'no earlier run has durations of these stages: run "pipegen run", or name a file with --durations'
        )
    mean = sum(durations.values()) / len(durations)
    _report_missing([job for _, job in missing], mean, report)
    return durations | {task: mean for task, _ in missing}


def _report_missing(jobs: list[Job], mean: float, report: Report) -> None:
    # Stages that stop an environment do not run.
    reported = [job for job in jobs if not job.deployment.stops_environment]
    if reported:
        words = assumed_words([job.stage for job in reported], mean)
        report.add(
            codes.MISSING_DURATION,
            f"no earlier run has durations of {words}, the mean of the others",
            at=reported[0].span,
            hint='run them once with "pipegen run", or give a file of durations',
        )
