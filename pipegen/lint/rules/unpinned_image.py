"""Images without a pinned version."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.version_pins import PinLevel, images


def check(config: CheckedConfig, report: Report) -> None:
    """Report images without a tag, or with a tag that moves; tags known only at run time are not reported."""
    for image in images(config):
        if image.pin is PinLevel.NOTHING:
            problem = f'has the tag "{image.tag}", which moves' if image.tag is not None else "has no tag"
            report.add(
                codes.UNPINNED_IMAGE,
                f'image "{image.shown}" {problem}',
                at=image.span,
                hint="use a version or a digest: name@sha256:…",
            )
