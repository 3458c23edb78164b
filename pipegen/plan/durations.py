"""Times as the user writes them, in seconds."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Scalar, ScalarKind

_PART = r"([0-9]+)\s*([a-z]*)"
# By the first letter of a unit, which no two share.
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def seconds(duration: Scalar, report: Report) -> int:
    """Return the seconds of *duration*, whose form the schema has checked; one of no length is reported."""
    # A number may be written as YAML has it, 0x1F too.
    written = str(duration.value) if duration.kind is ScalarKind.INTEGER else duration.text
    found = sum(int(number) * _UNITS[unit[:1]] for number, unit in re.findall(_PART, written))
    if found == 0:
        report.add(
            codes.INVALID_VALUE,
            f'"{duration.text.strip()}" is no time at all',
            at=duration.span,
            hint='give at least a second, such as "90s" or "20 minutes"',
        )
    return found
