"""How long stages take, as earlier runs on this machine have told."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.cli.exits import WrongUsage
from pipegen.config.files.load import repository_root
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.model import Job, Plan
from pipegen.run.files.run_folder import home
from pipegen.run.local.durations import known_durations
from pipegen.run.model import TaskId

# What `--durations` is given in place of a file.
JOURNAL = "journal"


def journal_durations(plans: Mapping[str, Plan], environment: Mapping[str, str], report: Report) -> dict[TaskId, float]:
    """Return the seconds that the stages of *plans* take, by the names of their runs, as the last runs here took.

    What none of them has timed takes as long as the others on average, and is reported.
    """
    found: dict[TaskId, float] = {}
    missing: list[tuple[TaskId, Job]] = []
    for run, plan in plans.items():
        place = plan.span.file.absolute_path
        times = known_durations(home(repository_root(place), environment)) if place is not None else {}
        for job in plan.jobs:
            seconds = times.get(TaskId(plan.name, job.stage))
            if seconds is None:
                missing.append((TaskId(run, job.stage), job))
            else:
                found[TaskId(run, job.stage)] = seconds
    if not found:
        raise WrongUsage('no run here has timed these stages yet: "pipegen run" does, or name a file for --durations')
    rest = sum(found.values()) / len(found)
    _report_missing([job for _, job in missing], rest, report)
    return found | {task: rest for task, _ in missing}


def _report_missing(jobs: list[Job], rest: float, report: Report) -> None:
    # What takes an environment down is in no run.
    told = [job for job in jobs if job.deployment.environment is None or not job.deployment.environment.stops]
    if told:
        noun, verb = ("stage", "takes") if len(told) == 1 else ("stages", "take")
        report.add(
            codes.MISSING_DURATION,
            f"no run here has timed {noun} {listed([job.stage for job in told])}, "
            f"which {verb} {round(rest, 2):g} s here, the mean of the others",
            at=told[0].span,
            hint='run them once with "pipegen run", or give a file of durations',
        )
