"""Durations as GitLab reads them: https://docs.gitlab.com/ci/yaml/#artifactsexpire_in."""

from __future__ import annotations

import re

_PART = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*(?:and|,)?")
# A month has 30 days, and a year 365 1/4, as in GitLab's parser.
_UNITS = (
    (("mo", "mon", "mos", "month", "months"), 30 * 86400),
    (("s", "sec", "secs", "second", "seconds", ""), 1),
    (("m", "min", "mins", "minute", "minutes"), 60),
    (("h", "hr", "hrs", "hour", "hours"), 3600),
    (("d", "day", "days"), 86400),
    (("w", "wk", "wks", "week", "weeks"), 7 * 86400),
    (("y", "yr", "yrs", "year", "years"), 31_557_600),
)
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)


def seconds_in(text: str) -> float | None:
    """Return the seconds of the duration *text*, None if it is not one, or in a form that is not read."""
    seconds, end = 0.0, 0
    text = _NUMBER_WORD.sub(lambda word: str(_NUMBERS.index(word[0].lower())), text)
    for part in _PART.finditer(text):
        if part.start() != end:
            break
        end = part.end()
        factor = next((factor for words, factor in _UNITS if part[2].lower() in words), None)
        if factor is None:
            return None
        seconds += float(part[1]) * factor
    return seconds if end and end >= len(text.rstrip()) else None
