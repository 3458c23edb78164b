"""The start times of pipelines."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from pipegen.fleet.arrivals import HOUR, WEEK_HOURS, Cron, Rates, Starts, times
from pipegen.plan.runs.cron import numbers

WEEK = WEEK_HOURS * HOUR


def source() -> Random:
    """Return a source with the same numbers each time."""
    return Random(1)  # noqa: S311 # a simulation


def cron(line: str) -> Cron:
    """Return the arrivals of a cron line."""
    return Cron(*numbers(line))


def test_rates_hold_in_each_hour() -> None:
    """On average, the number of starts in each hour of the week is the rate of this hour; there are none if it is 0."""
    by_hour = tuple(float(hour % 24) if hour < 48 else 0.0 for hour in range(WEEK_HOURS))
    counts = [0] * WEEK_HOURS
    for time in times(Rates(by_hour), 100 * WEEK, source()):
        counts[int(time // HOUR) % WEEK_HOURS] += 1

    assert all(abs(counts[hour] / 100 - rate) <= 4 * (rate / 100) ** 0.5 for hour, rate in enumerate(by_hour))


def test_gaps_are_exponential() -> None:
    """The share of gaps longer than the mean is that of an exponential distribution."""
    starts = list(times(Rates((60.0,) * WEEK_HOURS), WEEK, source()))
    gaps = [later - earlier for earlier, later in pairwise(starts)]

    assert abs(sum(gap > 60 for gap in gaps) / len(gaps) - 0.3679) < 0.01


def test_cron_lines() -> None:
    """The week begins on a Monday; the smallest of the hashed values counts."""
    assert list(times(cron("30 2 * * 2"), WEEK, source())) == [26.5 * HOUR]
    assert list(times(cron("H H(2-4) * * TUE"), WEEK, source())) == [26 * HOUR]
    assert list(times(cron("0 */12 * * 1,2"), WEEK, source())) == [0.0, 12 * HOUR, 24 * HOUR, 36 * HOUR]
    assert list(times(cron("0 0 3 * *"), WEEK, source())) == [48 * HOUR]


def test_recorded_starts_end_with_the_simulation() -> None:
    """Starts after the duration are left out."""
    assert list(times(Starts((1.0, 5.0, 9.0)), 6.0, source())) == [1.0, 5.0]
