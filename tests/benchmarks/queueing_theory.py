"""Mean waiting times by the formulas of queueing theory, in the unit of time of the arguments.

A *rate* is a number of arrivals per unit of time, a *mean* that of the durations, and *square* the mean of their
squares.
"""

from __future__ import annotations

from math import exp, factorial


def erlang(machines: int, rate: float, mean: float) -> float:
    """M/M/c: the formula of Erlang, for exponential durations."""
    load = rate * mean
    busy = load**machines / factorial(machines) * machines / (machines - load)
    waits = busy / (sum(load**number / factorial(number) for number in range(machines)) + busy)
    return waits * mean / (machines - load)


def pollaczek_khinchine(rate: float, mean: float, square: float) -> float:
    """M/G/1: the formula of Pollaczek and Khinchine, for any durations."""
    return rate * square / (2 * (1 - rate * mean))


def batches(size: int, rate: float, mean: float) -> float:
    """M/M/1 with batches of this *size*, which arrive with a *rate*: the stages before it in its batch wait, too."""
    not_busy = 1 - size * rate * mean
    return (size * rate * mean**2 + (size - 1) * mean / 2) / not_busy


def repair(machines: int, up: float, mean: float) -> float:
    """M/M/1 with a fixed number of *machines* that fail after a mean time *up*: how long one waits for its repair.

    It is the closed queue M/M/1//N, also known as the machine repair model.
    """
    weights = [
        factorial(machines) / factorial(machines - broken) * (mean / up) ** broken for broken in range(machines + 1)
    ]
    idle = weights[0] / sum(weights)
    return machines * mean / (1 - idle) - up - mean


def cobham(high: float, low: float, mean: float, square: float) -> tuple[float, float]:
    """M/G/1 with two priorities of these rates, no stage of which is stopped: the waits of *high* and of *low*."""
    remaining = (high + low) * square / 2
    not_high = 1 - high * mean
    return remaining / not_high, remaining / (not_high * (1 - (high + low) * mean))


def preemptive_repeat(high: float, low: float, mean: float, duration: float) -> tuple[float, float]:
    """M/G/1 with two priorities, of which *low* stops for *high*, and starts anew: the waits of *high* and of *low*.

    Durations of *high* are exponential, those of *low* always the same, so that a repetition takes as long as the first
    attempt. The formulas are those of Gaver (1962). While *high* has stages, the machine is busy for *pause*. A stage
    of *low* takes *total* from its first start to its end: for each of its attempts that is stopped, the time until
    then and a pause. The wait is that until the first start, and that after each stop.
    """
    not_busy = 1 - high * mean
    pause, pause_square = mean / not_busy, 2 * mean**2 / not_busy**3
    ends = exp(-high * duration)  # the probability that an attempt is not stopped
    stops = 1 / ends - 1
    until_stop = 1 / high - duration * ends / (1 - ends)
    until_stop_square = 2 / high**2 - ends * (duration**2 + 2 * duration / high) / (1 - ends)
    variance = (until_stop_square - until_stop**2) + (pause_square - pause**2)
    total = duration + stops * (until_stop + pause)
    total_square = total**2 + stops * variance + (stops + stops**2) * (until_stop + pause) ** 2
    until_start = pollaczek_khinchine(low, total, total_square) + high * pause_square / (2 * (1 + high * pause))
    return erlang(1, high, mean), until_start + stops * pause
