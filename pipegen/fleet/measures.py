"""Measures of a simulated fleet: waits and results in arrays, use and shares by hour."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from math import ceil

from pipegen.fleet.arrivals import HOUR
from pipegen.run.scheduling.amounts import Amounts
from pipegen.structs import MutableStruct, Struct, field


def last_hour(end: float) -> int:
    """Return the last hour of a time that ends at *end*: no part of it is in an hour that begins then."""
    return max(0, ceil(end / HOUR) - 1)


class ByHour:
    """The time integral of a value by hour, in units of the value times seconds."""

    __slots__ = ("_since", "hours", "value")

    def __init__(self) -> None:
        self.hours = array("d")
        self.value = 0.0
        self._since = 0.0

    def change(self, value: float, now: float) -> None:
        """Note that the value is *value* from *now* on."""
        since, old = self._since, self.value
        if old and now > since:
            hour, last = int(since // HOUR), last_hour(now)
            if last >= len(self.hours):
                self.hours.extend([0.0] * (last + 1 - len(self.hours)))
            while hour < last:
                end = (hour + 1) * HOUR
                self.hours[hour] += old * (end - since)
                since, hour = end, hour + 1
            self.hours[hour] += old * (now - since)
        self.value, self._since = value, now


class LoadMeasures(MutableStruct):
    """The measures of a load.

    Attributes:
        ready: for each attempt of a stage that ended, of a pipeline after the warm-up, when it was first ready.
        waits: the seconds that it waited in its queue, in all: before its first start and after each preemption.
        results: for each pipeline after the warm-up that ended, the seconds from its start to its end.
        unfinished: the number of pipelines that have started and not ended.
        failures: the number of pipelines after the warm-up that failed.
        preempted: how many times a stage was preempted, also in the warm-up.
        lost: the seconds of work that were lost by that.
    """

    ready: array[float] = field(default_factory=lambda: array("d"))
    waits: array[float] = field(default_factory=lambda: array("d"))
    results: array[float] = field(default_factory=lambda: array("d"))
    unfinished: int = 0
    failures: int = 0
    preempted: int = 0
    lost: float = 0.0


class MachineUse(MutableStruct):
    """The seconds in which tasks with equal *requests*, of one load, ran on the machines of one group, by hour."""

    load: str
    queue: str
    group: str
    requests: Amounts
    hours: array[float] = field(default_factory=lambda: array("d"))

    def add(self, start: float, end: float) -> None:
        """Add the time from *start* to *end*."""
        hour, last, hours = int(start // HOUR), last_hour(end), self.hours
        if last >= len(hours):
            hours.extend([0.0] * (last + 1 - len(hours)))
        while hour < last:
            hour += 1
            hours[hour - 1] += hour * HOUR - start
            start = hour * HOUR
        hours[last] += end - start


class Measures(Struct):
    """All measures of a simulation.

    Attributes:
        loads: by the name of the load.
        running: the machines that run, by the name of their group.
        uses: the use of machines by tasks.
        end: the time when the last pipeline ended.
        starts: the number of starts of stages, again after failures and preemptions.
    """

    loads: Mapping[str, LoadMeasures]
    running: Mapping[str, ByHour]
    uses: tuple[MachineUse, ...]
    end: float
    starts: int


class Summary(Struct):
    """A number of values, and their mean, median and percentiles; 0 without values."""

    count: int
    mean: float
    median: float
    p95: float
    p99: float
    longest: float


def summary(values: Iterable[float]) -> Summary:
    """Return the summary of *values*; a percentile is the smallest value that is not below that part of the others."""
    ordered = sorted(values)
    if not ordered:
        return Summary(0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Summary(
        len(ordered),
        sum(ordered) / len(ordered),
        percentile(ordered, 50),
        percentile(ordered, 95),
        percentile(ordered, 99),
        ordered[-1],
    )


def percentile(ordered: list[float], percent: float) -> float:
    """Return the smallest of the *ordered* values that is not below *percent* percent of them; 0 without values."""
    if not ordered:
        return 0.0
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]
