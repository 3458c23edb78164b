"""Images whose name means something else tomorrow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Bare, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.plan.model import Machine, Pull

# Tags that follow a branch or a channel, whatever is released; also as the first or last word of a tag.
_MOVING = "latest|edge|nightly|canary|rolling|snapshot|head|main|master|trunk|develop|dev|unstable"
_MOVES = re.compile(rf"(?:{_MOVING})(?:-.*)?|.*-(?:latest|nightly|snapshot)", re.IGNORECASE)
# The tag of a name: a colon before a slash belongs to a port.
_TAG = re.compile(r":(?P<tag>[^/:@]*)$")


def check(checked: Checked, report: Report) -> None:
    """Report images without a tag, and with one that moves; a digest pins, and what only the run knows may."""
    for work in checked.work():
        for name in _names(work.job.machine):
            text = "".join(part if isinstance(part, str) else "$" for part in name.parts)
            tag = _TAG.search(text)
            if "@" in text or (tag is None and text.endswith("$")) or (tag is not None and "$" in tag["tag"]):
                continue
            if tag is None or _MOVES.fullmatch(tag["tag"]):
                why = f'has the tag "{tag["tag"]}", which moves' if tag is not None else "has no tag"
                report.add(
                    codes.UNPINNED_IMAGE,
                    f'image "{_shown(name)}" {why}',
                    at=name.span,
                    hint="name a version, or a digest: name@sha256:…",
                )


def _names(machine: Machine) -> Iterator[Text]:
    """Yield the names of the images that the engine pulls."""
    if machine.image is not None and machine.image.pull is not Pull.NEVER:
        yield machine.image.name
    yield from (service.image for service in machine.services)


def _shown(name: Text) -> str:
    return "".join(
        part if isinstance(part, str) else part.source if isinstance(part, Bare) else "${…}" for part in name.parts
    )
