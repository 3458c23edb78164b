"""What only one job at a time may use."""

from __future__ import annotations

import re

from pipegen.diagnostics.codes import SEVERAL_LOCKS
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job
from pipegen.targets.fitted import fitted

# https://docs.gitlab.com/ci/yaml/#resource_group; `$` would begin a variable.
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_/. -]")


def resource_group(job: Job, report: Report) -> str:
    """Return the resource group of *job*, "" for none; GitLab knows one for each job."""
    locks = job.gate.locks
    if len(locks) > 1:
        report.add(
            SEVERAL_LOCKS,
            f'stage "{job.title}" takes {len(locks)} locks, and a job of GitLab is in one resource group',
            at=locks[1].span,
            hint="take one lock that stands for both, in all stages that take one of them",
        )
    return fitted(locks[0].name, _NOT_ALLOWED, edges="/ ") if locks else ""
