"""Images whose name means something else tomorrow."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.version_pins import Pinned, images


def check(checked: Checked, report: Report) -> None:
    """Report images without a tag, and with one that moves; a digest pins, and what only the run knows may."""
    for image in images(checked):
        if image.pinned is Pinned.NOTHING:
            why = f'has the tag "{image.tag}", which moves' if image.tag is not None else "has no tag"
            report.add(
                codes.UNPINNED_IMAGE,
                f'image "{image.shown}" {why}',
                at=image.span,
                hint="name a version, or a digest: name@sha256:…",
            )
