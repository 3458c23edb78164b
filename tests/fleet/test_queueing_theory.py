"""Waiting times over a long run are those of queueing theory, within 2 percent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from math import factorial
from random import Random

import pytest
from fleet.fleets import DAY, fleet, load

from pipegen.fleet.arrivals import WEEK_HOURS, Rates, times
from pipegen.fleet.distributions import Exponential, FixedTime, sampler
from pipegen.fleet.model import Fleet
from pipegen.fleet.simulation import FleetSimulation

pytestmark = pytest.mark.robust

MINUTE = 60.0
# Starts per hour with which one machine is used for half of the time, by stages of a minute.
HALF = 30.0


def erlang_c(machines: int, load_: float) -> float:
    """Return the probability that a stage waits, with a *load_* of so many machines."""
    busy = load_**machines / factorial(machines) * machines / (machines - load_)
    return busy / (sum(load_**number / factorial(number) for number in range(machines)) + busy)


def mean_waits(simulated: Fleet, names: Sequence[str]) -> list[float]:
    """Return the mean waiting time of each load."""
    loads = FleetSimulation(simulated).run().loads
    return [sum(loads[name].waits) / len(loads[name].waits) for name in names]


def test_one_machine_with_exponential_times() -> None:
    """M/M/1 at half load: the mean wait is that of a stage."""
    simulated = fleet([load("a", HALF, Exponential(MINUTE))], 1, 300, warm_up=DAY)

    assert mean_waits(simulated, ["a"]) == [pytest.approx(MINUTE, rel=0.02)]


def plain_waits(rate: float, machines: int, days: float, seed: str) -> Iterator[tuple[float, float]]:
    """Yield the start of each stage of an exponential minute, and its wait: the first machine that is free takes it."""
    starts, seconds = (Random(f"{seed} {kind}") for kind in ("arrivals", "duration s0"))  # noqa: S311 - a simulation
    durations = sampler(Exponential(MINUTE), seconds)
    free = [0.0] * machines
    for ready in times(Rates((rate,) * WEEK_HOURS), days * DAY, starts):
        start = max(ready, heappop(free))
        heappush(free, start + durations())
        yield ready, start - ready


@pytest.mark.parametrize(("machines", "part"), [(2, 0.7), (5, 0.8), (20, 0.9)])
def test_several_machines(machines: int, part: float) -> None:
    """M/M/c: each wait is that of a plain model with the same numbers, whose mean is that of Erlang's formula.

    The plain model is fast enough for a run whose mean is exact to 2 percent.
    """
    rate = 60.0 * machines * part
    simulated = FleetSimulation(fleet([load("a", rate, Exponential(MINUTE))], machines, 30 / machines)).run().loads["a"]
    expected = erlang_c(machines, machines * part) * MINUTE / (machines * (1 - part))
    long_run = [wait for _, wait in plain_waits(rate, machines, 8_000 / machines, "long run")]

    pairs = zip(
        sorted(zip(simulated.ready, simulated.waits, strict=True)),
        plain_waits(rate, machines, 30 / machines, "1 a"),
        strict=True,
    )
    assert all(ready == plain_ready and abs(wait - plain) < 1e-6 for (ready, wait), (plain_ready, plain) in pairs)
    assert sum(long_run) / len(long_run) == pytest.approx(expected, rel=0.02)


def test_one_machine_with_equal_times() -> None:
    """M/D/1: half of the wait with exponential times, by the formula of Pollaczek and Khinchine."""
    simulated = fleet([load("a", HALF, FixedTime(MINUTE))], 1, 300, warm_up=DAY)

    assert mean_waits(simulated, ["a"]) == [pytest.approx(MINUTE / 2, rel=0.02)]


def test_priorities_without_preemption() -> None:
    """M/M/1 with two priorities: by the formula of Cobham."""
    loads = [load("high", 18.0, Exponential(MINUTE), priority=1), load("low", 18.0, Exponential(MINUTE))]
    simulated = fleet(loads, 1, 500, queue="q", warm_up=DAY)
    # The mean remaining time of the stage that runs is 0.6 minutes.
    expected = [0.6 * MINUTE / 0.7, 0.6 * MINUTE / (0.7 * 0.4)]

    assert mean_waits(simulated, ["high", "low"]) == pytest.approx(expected, rel=0.02)


def test_priorities_with_preemption() -> None:
    """The high priority does not notice the low one, whose stages start anew and lose their work."""
    loads = [
        load("high", 24.0, Exponential(MINUTE), priority=1),
        load("low", 6.0, FixedTime(MINUTE), interruptible=True),
    ]
    actions = ("enqueue", "allocate", "preempt", "backfill")
    simulated = fleet(loads, 1, 400, queue="q", warm_up=DAY, actions=actions)
    found = FleetSimulation(simulated).run().loads["low"]

    # An attempt of a minute is stopped with the probability 1 - exp(-0.4): so many attempts are expected.
    assert mean_waits(simulated, ["high"]) == [pytest.approx(0.4 * MINUTE / 0.6, rel=0.02)]
    assert found.preempted / len(found.results) == pytest.approx(2.718281828**0.4 - 1, rel=0.02)
