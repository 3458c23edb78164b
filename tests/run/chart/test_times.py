"""Tests of times in words and on an axis."""

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
def test_seconds_in_words(seconds: float, words: str) -> None:
    """As people say them; no unit comes out full."""
    assert SECONDS.words(seconds) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0"), (3, "3"), (0.5, "0.5"), (1_234.567, "1,234.57")])
def test_what_is_no_second_is_a_number(number: float, words: str) -> None:
    """It counts stages."""
    assert UNITS.words(number) == words


@pytest.mark.parametrize(
    ("whole", "step"), [(10, 2), (100, 20), (130, 30), (0.3, 0.1), (600, 120), (4_000, 1_200), (86_400 * 20, 500_000)]
)
def test_marks_stand_where_people_count(whole: float, step: float) -> None:
    """Minutes are no hundreds of seconds."""
    assert SECONDS.step(whole, 5) == pytest.approx(step)


@settings(deadline=None)
@given(st.floats(1e-6, 1e9), st.integers(1, 12), st.sampled_from([SECONDS, UNITS]))
def test_marks_are_few_and_on_the_axis(whole: float, most: int, unit: Unit) -> None:
    """Whatever the axis is."""
    marks = unit.marks(whole, most)

    assert len(marks) <= most
    assert all(0 < mark <= whole * (1 + 1e-6) for mark in marks)
