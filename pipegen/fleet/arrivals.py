"""The times at which pipelines start, from the beginning of the simulated week."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import log
from random import Random

from pipegen.structs import Struct

HOUR, WEEK_HOURS = 3600.0, 168
# The first second of a simulation, a Monday; only cron lines with days or months depend on the year.
START = datetime(2024, 1, 1, tzinfo=UTC)


class Rates(Struct):
    """Random starts (a Poisson process), with a rate per hour for each hour of the week, from Monday 0:00."""

    by_hour: tuple[float, ...]


class Cron(Struct):
    """Starts at the times of a cron line, as the numbers that each of its five fields matches."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]


class Starts(Struct):
    """Recorded starts, in seconds from the beginning, ascending."""

    seconds: tuple[float, ...]


Arrivals = Rates | Cron | Starts


def times(arrivals: Arrivals, duration: float, random: Random) -> Iterator[float]:
    """Yield the starts before *duration*, ascending."""
    match arrivals:
        case Rates(by_hour):
            return _poisson(by_hour, duration, random)
        case Cron():
            return _scheduled(arrivals, duration)
        case Starts(seconds):
            return (second for second in seconds if second < duration)


def expected(arrivals: Arrivals, duration: float) -> float:
    """Return how many starts before *duration* are expected."""
    match arrivals:
        case Rates(by_hour):
            weeks, rest = divmod(duration / HOUR, WEEK_HOURS)
            parts = (rate * max(0.0, min(1.0, rest - hour)) for hour, rate in enumerate(by_hour))
            return weeks * sum(by_hour) + sum(parts)
        case Cron(minutes, hours):
            return len(minutes) * len(hours) * duration / (24 * HOUR)
        case Starts(seconds):
            return sum(second < duration for second in seconds)


def _poisson(by_hour: tuple[float, ...], duration: float, random: Random) -> Iterator[float]:
    """Yield starts by inversion of the integrated rate: each needs one random number."""
    if not any(by_hour):
        return
    hour, within = 0, 0.0
    while True:
        needed = -log(1.0 - random.random())
        while needed > (available := by_hour[hour % WEEK_HOURS] * (1.0 - within)):
            needed, within, hour = needed - available, 0.0, hour + 1
            if hour * HOUR >= duration:
                return
        within += needed / by_hour[hour % WEEK_HOURS]
        if (time := (hour + within) * HOUR) >= duration:
            return
        yield time


def _scheduled(cron: Cron, duration: float) -> Iterator[float]:
    for day in range(int(duration // (24 * HOUR)) + 1):
        date = START + timedelta(days=day)
        if date.month in cron.months and date.day in cron.days and date.isoweekday() % 7 in cron.weekdays:
            for hour in sorted(cron.hours):
                for minute in sorted(cron.minutes):
                    if (time := day * 24 * HOUR + hour * HOUR + minute * 60.0) < duration:
                        yield time
