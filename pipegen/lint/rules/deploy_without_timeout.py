"""Deployments that may hang for as long as the engine lets them."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.effects import deploys
from pipegen.plan.model import Commands


def check(checked: Checked, report: Report) -> None:
    """Report stages that deploy by a script and have no timeout; the step `deploy` has one of its own."""
    for work in checked.work():
        job = work.job
        is_script = any(isinstance(step, Commands) for step in job.steps)
        if is_script and deploys(job) and job.limits.timeout is None and job.deployment.environment is not None:
            report.add(
                codes.DEPLOY_WITHOUT_TIMEOUT,
                f'stage "{work.stage.said}" deploys, and has no timeout',
                at=job.deployment.environment.span,
                hint="say how long it may take at most: timeout: 15 minutes",
            )
