"""Durations in words and marks on a time axis."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.run.chart.times import SECONDS, UNITS, Unit


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (0.25, "0.25 s"),
        (59.4, "59.4 s"),
        (59.999, "1 min"),
        (60, "1 min"),
        (61.4, "1 min 1 s"),
        (330.5, "5 min 31 s"),
        (3_599.6, "1 h"),
        (3_600, "1 h"),
        (5_400, "1 h 30 min"),
        (3_600_000, "1,000 h"),
    ],
)
def test_seconds_are_formatted_in_words(seconds: float, words: str) -> None:
    """Rounding never results in 60 s or 60 min."""
    assert SECONDS.words(seconds) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0"), (3, "3"), (0.5, "0.5"), (1_234.567, "1,234.57")])
def test_stage_counts_are_formatted_as_numbers(number: float, words: str) -> None:
    """Without durations, the unit of time is a stage."""
    assert UNITS.words(number) == words


@pytest.mark.parametrize(
    ("whole", "step"), [(10, 2), (100, 20), (130, 30), (0.3, 0.1), (600, 120), (4_000, 1_200), (86_400 * 20, 500_000)]
)
def test_axis_steps_are_round_numbers(whole: float, step: float) -> None:
    """Steps of minutes are not multiples of a hundred seconds."""
    assert SECONDS.step(whole, 5) == pytest.approx(step)


@settings(deadline=None)
@given(st.floats(1e-6, 1e9), st.integers(1, 12), st.sampled_from([SECONDS, UNITS]))
def test_marks_are_within_the_axis_and_the_limit(whole: float, most: int, unit: Unit) -> None:
    """This holds for any length of the axis."""
    marks = unit.marks(whole, most)

    words = [unit.words(mark) for mark in (0, *marks)]

    assert len(marks) <= most
    assert len(set(words)) == len(words)
    assert all(0 < mark <= whole * (1 + 1e-6) for mark in marks)
