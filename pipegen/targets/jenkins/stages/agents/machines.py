"""Checks for resources, services and tokens that Jenkins cannot provide."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job
from pipegen.targets.jenkins.stages.agents.images import is_plain


def check_machine(job: Job, report: Report) -> None:
    """Report requirements of *job* that Jenkins cannot provide."""
    machine = job.machine
    if machine.resources is not None and machine.image is None and not machine.labels:
        report.add(
            codes.RESOURCES_BY_LABEL,
            "Jenkins uses any agent: it does not consider processors and memory",
            at=machine.resources.span,
            hint='name the label of agents that are large enough, "agent: large", or add an image with these limits',
        )
    if machine.services and machine.image is None:
        report.add(
            codes.SERVICES_WITHOUT_IMAGE,
            f'on Jenkins, stage "{job.title}" needs an image to reach its services',
            at=machine.services[0].span,
            hint='add an image: "image: python:3.12"',
        )
    if machine.image is not None and machine.image.entrypoint and not _fits(machine.image.entrypoint):
        report.add(
            codes.LONG_ENTRYPOINT,
            "on Jenkins, the entrypoint of an image can only be one plain word",
            at=machine.image.span,
            hint='remove the entrypoint of the image: "entrypoint: []"',
        )
    for token in job.id_tokens:
        report.add(
            codes.NO_ID_TOKEN,
            f'Jenkins cannot create the ID token "{token.variable}"',
            at=token.span,
            hint="create it as a credential with the plugin OpenID Connect Provider, and read that as a secret text",
        )


def _fits(entrypoint: tuple[str, ...]) -> bool:
    return len(entrypoint) < 2 and all(map(is_plain, entrypoint))  # noqa: PLR2004 - one word
