"""What Jenkins cannot do for a stage: its machine, and tokens."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job
from pipegen.targets.jenkins.stages.images import is_plain


def check_machine(job: Job, report: Report) -> None:
    """Report what *job* asks for and Jenkins cannot hand out."""
    where = job.machine
    if where.resources is not None and where.image is None and not where.labels:
        report.add(
            codes.RESOURCES_BY_LABEL,
            f'Jenkins takes any agent for stage "{job.title}": it knows nothing of processors and memory',
            at=where.resources.span,
            hint='name the label of agents that are large enough: "agent: large"; with "image", the container gets it',
        )
    if where.services and where.image is None:
        report.add(
            codes.SERVICES_WITHOUT_IMAGE,
            f'on Jenkins, stage "{job.title}" needs an image to reach its services from',
            at=where.services[0].span,
            hint='say what it runs in: "image: python:3.12"',
        )
    if where.image is not None and where.image.entrypoint and not _fits(where.image.entrypoint):
        report.add(
            codes.LONG_ENTRYPOINT,
            f'Jenkins gives stage "{job.title}" an entrypoint of one plain word',
            at=where.image.span,
            hint='take the entrypoint of the image away: "entrypoint: []"',
        )
    for token in job.id_tokens:
        report.add(
            codes.NO_ID_TOKEN,
            f'Jenkins makes no token for "{token.variable}"',
            at=token.span,
            hint="let the plugin OpenID Connect Provider keep one as a credential, and read that as a secret text",
        )


def _fits(entrypoint: tuple[str, ...]) -> bool:
    return len(entrypoint) < 2 and all(map(is_plain, entrypoint))  # noqa: PLR2004 - one word
