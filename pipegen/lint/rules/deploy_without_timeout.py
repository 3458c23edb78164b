"""Deployments without a timeout."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.effects import deploys
from pipegen.plan.model import Commands


def check(config: CheckedConfig, report: Report) -> None:
    """Report stages that deploy by a script and have no timeout; the step `deploy` has its own."""
    for stage in config.stages():
        job = stage.job
        is_script = any(isinstance(step, Commands) for step in job.steps)
        if is_script and deploys(job) and job.limits.timeout is None and job.deployment.environment is not None:
            report.add(
                codes.DEPLOY_WITHOUT_TIMEOUT,
                f'stage "{stage.config.display_name}" deploys without a timeout',
                at=job.deployment.environment.span,
                hint="set a limit: timeout: 15 minutes",
            )
