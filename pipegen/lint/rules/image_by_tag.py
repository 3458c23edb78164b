"""Images that are named by a version: whoever owns the name can give it to another image."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.lint.base import Checked
from pipegen.lint.version_pins import ImageName, Pinned, images


def check(checked: Checked, report: Report) -> None:
    """Report, in one go, the images that a tag names and no digest."""
    found: dict[str, ImageName] = {}
    for image in images(checked):
        if image.pinned is Pinned.TAG:
            found.setdefault(image.shown, image)
    if not found:
        return
    first, *others = found.values()
    what = f"images {listed(tuple(found))} are" if others else f'image "{first.shown}" is'
    report.add(
        codes.IMAGE_BY_TAG,
        f"{what} named by a tag, which can be moved; a digest cannot",
        at=first.span,
        also=[Label(image.span) for image in others],
        hint=f"write the digest behind the tag, {first.shown}@sha256:…: docker buildx imagetools inspect tells it",
    )
