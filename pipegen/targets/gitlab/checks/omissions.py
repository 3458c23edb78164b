"""What is left out of the file because the settings do not say how GitLab shall do it."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.codes import MAIL_WITHOUT_SERVER
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan, TriggerJob
from pipegen.targets.gitlab.settings import GitLabSettings


def check_mail(plans: Sequence[Plan], settings: GitLabSettings, report: Report) -> None:
    """Report that mails cannot be sent, once."""
    mails = [job.mail for plan in plans for job in plan.jobs if job.mail is not None]
    if mails and settings.mail is None:
        report.add(
            MAIL_WITHOUT_SERVER,
            "mails are left out: GitLab does not know how to send them",
            at=mails[0].span,
            hint="add to the file: targets: { gitlab: { mail: {} } }; the CI/CD variables SMTP_URL and SMTP_FROM "
            "then say how",
        )


def notes(plans: Sequence[Plan], settings: GitLabSettings) -> tuple[str, ...]:
    """Return a line for the file's header about each thing that is left out."""
    found = []
    for plan in plans:
        for job in plan.jobs:
            found += [
                f'Left out: trigger "{step.name.value}" of stage "{job.title}"; no project is set for it.'
                for step in job.steps
                if isinstance(step, TriggerJob) and step.name.value not in settings.projects
            ]
    if settings.mail is None and any(job.mail for plan in plans for job in plan.jobs):
        found.append("Left out: mails about failed stages; no mail server is set.")
    return tuple(found)
