"""Distributions of times, sampled by inversion, so that equal seeds give equal times on every Python."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from random import Random
from statistics import NormalDist

from pipegen.structs import Struct

_STANDARD = NormalDist()
# The 95th percentile of the standard normal distribution.
_Z95 = _STANDARD.inv_cdf(0.95)


class FixedTime(Struct):
    """Always the same number of seconds."""

    seconds: float


class Exponential(Struct):
    """An exponential distribution with a *mean* in seconds."""

    mean: float


class LogNormal(Struct):
    """A log-normal distribution by its *median* and 95th percentile in seconds, both above zero."""

    median: float
    p95: float


Distribution = FixedTime | Exponential | LogNormal


def typical(distribution: Distribution) -> float:
    """Return the seconds of *distribution* in the longest path."""
    match distribution:
        case FixedTime(seconds):
            return seconds
        case Exponential(mean):
            return mean
        case LogNormal(median):
            return median


def sampler(distribution: Distribution, random: Random) -> Callable[[], float]:
    """Return a function that draws from *distribution* with *random*: one number for each draw, none for a constant."""
    draw = random.random
    match distribution:
        case FixedTime(seconds):
            return lambda: seconds
        case Exponential(mean):
            return lambda: -mean * log(1.0 - draw())
        case LogNormal(median, p95):
            location, scale, inverse = log(median), log(p95 / median) / _Z95, _STANDARD.inv_cdf
            # `inv_cdf` is not defined for 0, which `random` can return.
            return lambda: exp(location + scale * inverse(draw() or 0.5))
