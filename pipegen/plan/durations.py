"""Durations as the user writes them, in seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.source.tree import Scalar, ScalarKind

_PART = r"([0-9]+)\s*([a-z]*)"
# By the first letter of the unit, which is unique.
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def length(duration: Scalar) -> int:
    """Return *duration* in seconds; the schema has checked its form."""
    # YAML also allows integers such as 0x1F.
    written = str(duration.value) if duration.kind is ScalarKind.INTEGER else duration.text
    return sum(int(number) * _UNITS[unit[:1]] for number, unit in re.findall(_PART, written))


def seconds(duration: Scalar, report: Report) -> int:
    """Return *duration* in seconds; a duration of zero is reported."""
    total = length(duration)
    if total == 0:
        report.add(
            codes.INVALID_VALUE,
            f'"{duration.text.strip()}" is not a duration above zero',
            at=duration.span,
            hint='give at least one second, such as "90s" or "20 minutes"',
        )
    return total


def assumed_words(stages: Sequence[str], seconds: float) -> str:
    """Return the words for the names of *stages* whose durations are unknown, so that each takes *seconds*."""
    noun, verb = ("stage", "takes") if len(stages) == 1 else ("stages", "take")
    return f"{noun} {listed(stages)}, which {verb} {round(seconds, 2):g} s here"
