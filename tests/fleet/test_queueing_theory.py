"""Waiting times over a long run are those of queueing theory, within 2 percent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush, merge
from math import exp, log
from random import Random
from statistics import NormalDist

import pytest
from benchmarks.queueing_theory import batches, cobham, erlang, pollaczek_khinchine, preemptive_repeat, repair
from fleet.fleets import DAY, fleet, load

from pipegen.fleet.answers.results import results
from pipegen.fleet.arrivals import HOUR, WEEK_HOURS, Cron, Rates, Starts, times
from pipegen.fleet.distributions import Distribution, Exponential, FixedTime, LogNormal, sampler
from pipegen.fleet.model import Fleet, MachineGroup
from pipegen.fleet.simulation import FleetSimulation
from pipegen.fleet.workflow import FleetPipeline
from pipegen.run.model import RunMachine
from pipegen.structs import replace

pytestmark = pytest.mark.robust

MINUTE = 60.0


def arrivals(rate: float, duration: Distribution, days: float, seed: str) -> Iterator[tuple[float, float]]:
    """Yield the time when each stage of a load is ready, and its duration: those of a simulation with the same seed."""
    starts, seconds = (Random(f"{seed} {kind}") for kind in ("arrivals", "duration s0"))  # noqa: S311 - a simulation
    next_duration = sampler(duration, seconds)
    return ((ready, next_duration()) for ready in times(Rates((rate,) * WEEK_HOURS), days * DAY, starts))


def plain_waits(stages: Iterable[tuple[float, float]], machines: int) -> Iterator[tuple[float, float]]:
    """Yield the time when each stage is ready, and its wait: it runs on the machine that is free first."""
    free = [0.0] * machines
    for ready, duration in stages:
        start = max(ready, heappop(free))
        heappush(free, start + duration)
        yield ready, start - ready


def plain_waits_by_priority(
    high: Iterable[tuple[float, float]], low: Iterable[tuple[float, float]]
) -> Iterator[tuple[int, float, float]]:
    """Yield the load of each stage (0 is *high*), the time when it is ready, and its wait: high ones come first."""
    coming = merge(
        ((ready, 0, duration) for ready, duration in high), ((ready, 1, duration) for ready, duration in low)
    )
    waiting: list[tuple[int, float, float]] = []
    now = 0.0
    for ready, load_number, duration in coming:
        while waiting and now < ready:
            first, since, seconds = heappop(waiting)
            yield first, since, now - since
            now += seconds
        now = max(now, ready)
        heappush(waiting, (load_number, ready, duration))


def simulated_waits(simulated: Fleet) -> dict[str, list[tuple[float, float]]]:
    """Return the times when the stages of each load are ready, in this order, and their waits."""
    loads = FleetSimulation(simulated).run().loads
    return {name: sorted(zip(result.ready, result.waits, strict=True)) for name, result in loads.items()}


def assert_same(simulated: Sequence[tuple[float, float]], plain: Sequence[tuple[float, float]]) -> None:
    """Check that both models have the same stages, and the same wait for each."""
    assert len(simulated) == len(plain)
    pairs = zip(simulated, plain, strict=True)
    assert all(ready == same and abs(wait - plain_wait) < 1e-6 for (ready, wait), (same, plain_wait) in pairs)


@pytest.mark.parametrize(
    ("machines", "part", "duration"),
    [
        (1, 0.5, Exponential(MINUTE)),
        (1, 0.5, FixedTime(MINUTE)),
        (2, 0.7, Exponential(MINUTE)),
        (5, 0.8, Exponential(MINUTE)),
        (20, 0.9, Exponential(MINUTE)),
    ],
)
def test_one_queue(machines: int, part: float, duration: Distribution) -> None:
    """M/M/c and M/D/1: each wait is that of a plain model with the same numbers, whose mean is that of the formulas.

    The plain model is fast enough for a run whose mean is exact to 2 percent.
    """
    rate = 60.0 * machines * part
    days = 15 / machines
    expected = erlang(machines, rate / HOUR, MINUTE)
    if isinstance(duration, FixedTime):
        expected = pollaczek_khinchine(rate / HOUR, MINUTE, MINUTE**2)
    simulated = simulated_waits(fleet([load("a", rate, duration)], machines, days))["a"]

    assert_same(simulated, list(plain_waits(arrivals(rate, duration, days, "1 a"), machines)))
    long_run = [wait for _, wait in plain_waits(arrivals(rate, duration, 2_000 / machines, "long run"), machines)]
    assert sum(long_run) / len(long_run) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(("median", "p95", "part"), [(40.0, 120.0, 0.6), (50.0, 75.0, 0.8)])
def test_durations_by_median_and_p95(median: float, p95: float, part: float) -> None:
    """M/G/1 with log-normal durations: the mean wait of the formula of Pollaczek and Khinchine."""
    variance = (log(p95 / median) / NormalDist().inv_cdf(0.95)) ** 2
    mean, square = median * exp(variance / 2), median**2 * exp(2 * variance)
    duration, rate = LogNormal(median, p95), HOUR * part / mean
    simulated = simulated_waits(fleet([load("a", rate, duration)], 1, 15))["a"]

    assert_same(simulated, list(plain_waits(arrivals(rate, duration, 15, "1 a"), 1)))
    long_run = [wait for _, wait in plain_waits(arrivals(rate, duration, 1_000, "long run"), 1)]
    expected = pollaczek_khinchine(rate / HOUR, mean, square)
    assert sum(long_run) / len(long_run) == pytest.approx(expected, rel=0.02)


def test_priorities_without_preemption() -> None:
    """M/M/1 with two priorities: each wait is that of a plain model, whose means are those of Cobham's formula."""

    def plain(days: float, seed: str) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        loads: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
        streams = (arrivals(18.0, Exponential(MINUTE), days, f"{seed} {name}") for name in ("high", "low"))
        for number, ready, wait in plain_waits_by_priority(*streams):
            loads[number].append((ready, wait))
        return loads

    loads = [load("high", 18.0, Exponential(MINUTE), priority=1), load("low", 18.0, Exponential(MINUTE))]
    simulated = simulated_waits(fleet(loads, 1, 20, queue="q"))
    for name, waits in zip(("high", "low"), plain(20, "1"), strict=True):
        # The plain model stops when the last stage arrives.
        assert_same(simulated[name][: len(waits)], sorted(waits))
    expected = cobham(18 / HOUR, 18 / HOUR, MINUTE, 2 * MINUTE**2)
    means = [sum(wait for _, wait in waits) / len(waits) for waits in plain(2_000, "long run")]
    assert means == pytest.approx(list(expected), rel=0.02)


def test_priorities_with_preemption() -> None:
    """The high priority is not affected by the low one, whose stages start again, and wait as Gaver's formula says."""
    loads = [
        load("high", 24.0, Exponential(MINUTE), priority=1),
        load("low", 6.0, FixedTime(MINUTE), interruptible=True),
    ]
    actions = ("enqueue", "allocate", "preempt", "backfill")
    simulated = FleetSimulation(fleet(loads, 1, 400, queue="q", actions=actions)).run().loads
    high, low = simulated["high"], simulated["low"]
    expected = preemptive_repeat(24 / HOUR, 6 / HOUR, MINUTE, MINUTE)

    waits = sorted(zip(high.ready, high.waits, strict=True))
    assert_same(waits, list(plain_waits(arrivals(24.0, Exponential(MINUTE), 400, "1 high"), 1)))
    assert [sum(high.waits) / len(high.waits), sum(low.waits) / len(low.waits)] == pytest.approx(
        list(expected), rel=0.02
    )
    # An attempt of a minute is stopped with the probability 1 - exp(-0.4), which gives the expected number of attempts.
    assert low.preempted / len(low.results) == pytest.approx(exp(0.4) - 1, rel=0.02)


def test_batches() -> None:
    """Pipelines of four stages that are ready at once: the wait of the formula for batches."""
    single = load("a", 9.0, Exponential(MINUTE))
    stage = single.workflow.stages[0]
    stages = tuple(replace(stage, index=index, name=f"s{index}") for index in range(4))
    workflow = FleetPipeline(stages, (0,) * 4, tuple(range(4)), (), ())
    waits = FleetSimulation(fleet([replace(single, workflow=workflow)], 1, 400)).run().loads["a"].waits

    assert len(waits) > 300_000
    assert sum(waits) / len(waits) == pytest.approx(batches(4, 9 / HOUR, MINUTE), rel=0.02)


def test_batches_by_cron() -> None:
    """Each hour, four pipelines start at once and wait for each other: 0, 1, 2 and 3 minutes, exactly."""
    every = (frozenset(range(24)), frozenset(range(1, 32)), frozenset(range(1, 13)), frozenset(range(7)))
    loads = [load(name, Cron(frozenset({0}), *every), FixedTime(MINUTE)) for name in "abcd"]
    simulated = simulated_waits(fleet(loads, 1, 7, queue="q"))

    assert sorted(wait for waits in simulated.values() for _, wait in waits) == [
        MINUTE * number for number in range(4) for _ in range(7 * 24)
    ]


def test_a_closed_queue() -> None:
    """Five pipelines that run for a time and then wait for the only repairer, again and again."""
    cycle = (Exponential(5 * MINUTE), Exponential(MINUTE))
    chained = load("a", Starts((0.0,) * 5), *cycle * 3_000)
    stages = tuple(
        replace(stage, labels=("repairer",)) if stage.index % 2 else stage for stage in chained.workflow.stages
    )
    closed = fleet([replace(chained, workflow=replace(chained.workflow, stages=stages))], 5, 1)
    repairer = MachineGroup(machine=RunMachine(name="r", slots=1, labels=("repairer",)), minimum=1, maximum=1)
    waits = FleetSimulation(replace(closed, groups=(*closed.groups, repairer))).run().loads["a"].waits
    repairs = len(waits) // 2

    assert repairs == 5 * 3_000
    assert sum(waits) / repairs == pytest.approx(repair(5, 5 * MINUTE, MINUTE), rel=0.02)


def test_the_cost_of_a_week() -> None:
    """Machines that run only while they are used cost the price of the time of all stages; M/M/inf."""
    busy = fleet([load("a", 60.0, Exponential(10 * MINUTE))], 1, 7)
    elastic = replace(busy.groups[0], minimum=0, maximum=1_000, price=0.4)
    answer = results(replace(busy, groups=(elastic,)), FleetSimulation(replace(busy, groups=(elastic,))).run())
    worked = sum(seconds for _, seconds in arrivals(60.0, Exponential(10 * MINUTE), 7, "1 a"))

    assert answer.groups[0].cost == pytest.approx(0.4 * worked / HOUR)
    assert worked / HOUR == pytest.approx(60 * 7 * 24 * 10 / 60, rel=0.03)
