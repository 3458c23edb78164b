"""Durations in words and on an axis."""

from __future__ import annotations

import math

from pipegen.structs import Struct

_MINUTE, _HOUR = 60, 3_600
_HALF = 0.5
# The smallest difference of times in words.
_LEAST = 0.01
# Steps of an axis in seconds; smaller and larger steps are 1, 2 and 5 times powers of ten.
_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400)


class Unit(Struct):
    """The unit of times: seconds, or no unit if no durations are known."""

    is_seconds: bool

    def words(self, time: float) -> str:
        """Return *time* in words, rounded to two decimals."""
        return _in_words(time) if self.is_seconds else _number(time)

    def step(self, whole: float, most: int) -> float:
        """Return the distance of marks on an axis of length *whole* with at most *most* marks after 0.

        The marks differ in words.
        """
        least = max(whole / max(most, 1), _LEAST)
        if self.is_seconds and 1 <= least <= _STEPS[-1]:
            return next(step for step in _STEPS if step >= least)
        power = 10.0 ** math.floor(math.log10(least))
        return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))

    def marks(self, whole: float, most: int) -> list[float]:
        """Return at most *most* marks after 0 on an axis of length *whole*."""
        step = self.step(whole, most)
        return [number * step for number in range(1, int(whole / step + 1e-9) + 1)]


SECONDS = Unit(is_seconds=True)
UNITS = Unit(is_seconds=False)


def _in_words(seconds: float) -> str:
    number = _number(seconds)
    if seconds < _MINUTE and number != "60":
        return f"{number} s"
    whole = math.floor(seconds + _HALF)
    if whole < _HOUR:
        minutes, rest = divmod(whole, _MINUTE)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(math.floor(whole / _MINUTE + _HALF), _MINUTE)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


def _number(value: float) -> str:
    return f"{round(value, 2):,.2f}".rstrip("0").rstrip(".")
