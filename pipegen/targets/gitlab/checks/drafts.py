"""The drafts of all stages, and the checks of what GitLab does not support."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.targets.gitlab.checks.unsupported import check_credentials, check_mail, check_plan
from pipegen.targets.gitlab.helper_jobs.built_images import builds_dockerfile
from pipegen.targets.gitlab.helper_jobs.finally_stages import check_outcomes
from pipegen.targets.gitlab.jobs.drafts import DraftJob, drafts, with_early_login
from pipegen.targets.gitlab.jobs.limits import check_limits, check_pipeline_timeout
from pipegen.targets.gitlab.jobs.tools import DOCKER
from pipegen.targets.gitlab.jobs.values.shell_variables import host
from pipegen.targets.gitlab.rules.build import check_changes
from pipegen.targets.gitlab.rules.runs import check_runs
from pipegen.targets.gitlab.settings import GitLabSettings
from pipegen.targets.texts import check_named_inputs

# Those that need only the plans.
_CHECKS = (check_credentials, check_outcomes, check_named_inputs, check_changes, check_runs)


def checked_drafts(plans: Sequence[Plan], settings: GitLabSettings, report: Report) -> list[list[DraftJob]]:
    """Return the drafts of all stages of *plans*; report what GitLab does not support."""
    check_mail(plans, settings, report)
    for check in _CHECKS:
        check(plans, report)
    drafted = [_drafts(plan, settings, report) for plan in plans]
    container_drafts = [draft for pipeline_drafts in drafted for draft in pipeline_drafts if draft.tools.kind == DOCKER]
    if all(draft.login for draft in container_drafts):
        return [[with_early_login(draft) for draft in pipeline_drafts] for pipeline_drafts in drafted]
    return drafted


def _drafts(plan: Plan, settings: GitLabSettings, report: Report) -> list[DraftJob]:
    environment = host(plan, settings)
    check_plan(plan, environment, report)
    check_pipeline_timeout(plan, report)
    drafted = drafts(plan, environment, settings, report)
    for job, draft in zip(plan.jobs, drafted, strict=True):
        # The limits of a build are those of its users.
        if not builds_dockerfile(job):
            check_limits(job, is_bridge=draft.is_bridge, report=report)
    return drafted
