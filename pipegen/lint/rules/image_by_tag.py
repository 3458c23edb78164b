"""Images that are pinned by a tag: the owner of the name can move it to another image."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.lint.base import CheckedConfig
from pipegen.lint.version_pins import ImageName, PinLevel, images


def check(config: CheckedConfig, report: Report) -> None:
    """Report, in one diagnostic, the images with a tag and no digest."""
    by_name: dict[str, ImageName] = {}
    for image in images(config):
        if image.pin is PinLevel.TAG:
            by_name.setdefault(image.shown, image)
    if not by_name:
        return
    first, *others = by_name.values()
    subject = f"images {listed(tuple(by_name))} are" if others else f'image "{first.shown}" is'
    report.add(
        codes.IMAGE_BY_TAG,
        f"{subject} pinned by a tag, which can move; a digest cannot",
        at=first.span,
        related=[Label(image.span) for image in others],
        hint=f'add the digest after the tag, {first.shown}@sha256:…; "docker buildx imagetools inspect" prints it',
    )
