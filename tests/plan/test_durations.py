"""Durations."""

from __future__ import annotations

import pytest

from pipegen.diagnostics.report import Report
from pipegen.plan.durations import seconds
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Scalar, ScalarKind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90", 90),
        ("90s", 90),
        (" 20 minutes ", 1_200),
        ("1h 30m", 5_400),
        ("1h30m", 5_400),
        ("2days 1 hour 5 mins 3 secs", 176_703),
        ("1 day", 86_400),
    ],
)
def test_durations_are_sums_of_numbers_with_units(text: str, expected: int) -> None:
    """A unit is a letter or a word; a number without a unit is in seconds."""
    report = Report()

    assert seconds(_scalar(text), report) == expected
    assert report.diagnostics() == ()


def test_zero_is_reported() -> None:
    """Zero of any unit is not a valid duration."""
    report = Report()

    assert seconds(_scalar("0m 0s"), report) == 0
    assert [diagnostic.message for diagnostic in report.diagnostics()] == ['"0m 0s" is not a duration above zero']


def _scalar(text: str) -> Scalar:
    return Scalar(text, Span(SourceFile("pipegen.yaml", text), 0, len(text)), ScalarKind.TEXT)
