"""Cron expressions with five fields, in the subset that all engines read alike, and Jenkins' `H`."""

from __future__ import annotations

import re

from pipegen.structs import Struct

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PART = r"(?P<first>\*|[0-9]+|[A-Za-z]+)(?:-(?P<last>[0-9]+|[A-Za-z]+))?(?:/(?P<step>[0-9]+))?"

# A number that Jenkins takes from the name of the job: https://www.jenkins.io/doc/book/pipeline/syntax/#cron-syntax
_HASHED = r"H(?:\((?P<first>[0-9]+)-(?P<last>[0-9]+)\))?(?:/(?P<step>[0-9]+))?"


class _Field(Struct):
    """A field: its description, its smallest and largest number, and names for numbers from the smallest on."""

    description: str
    minimum: int
    maximum: int
    names: tuple[str, ...] = ()


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    # Sunday is 0 and 7.
    _Field("day of the week", 0, 7, _DAYS),
)
# The times that other systems name.
_NAMED = {
    "hourly": "0 * * * *",
    "daily": "0 3 * * *",
    "nightly": "0 3 * * *",
    "midnight": "0 0 * * *",
    "weekly": "0 3 * * 1",
    "monthly": "0 3 1 * *",
    "yearly": "0 3 1 1 *",
    "annually": "0 3 1 1 *",
}
_FIVE = "write minute, hour, day of the month, month and day of the week, such as 30 4 * * 1-5"


class CronError(Exception):
    """An error in a cron line, from *start* to *end*; *hint* is how to fix it."""

    def __init__(self, message: str, start: int, end: int, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.hint = hint


def normalized(line: str) -> str:
    """Return *line* with numbers for names and single spaces; raise `CronError` if it is invalid."""
    words = list(re.finditer(r"\S+", line))
    named = _NAMED.get(line.strip().removeprefix("@").lower())
    five = f"write a time in five fields: '{named}'" if named is not None else _FIVE
    if line.strip().startswith("@"):
        raise CronError(f'"{line.strip()}" means different times on different engines', 0, len(line), five)
    if len(words) != len(_FIELDS):
        raise CronError(
            f"a cron line has five fields, not {len(words)}",
            0,
            len(line),
            five,
        )
    fields = [_field(word, field) for word, field in zip(words, _FIELDS, strict=True)]
    _check_days(words, fields)
    return " ".join(text for text, _ in fields)


def numbers(line: str) -> tuple[frozenset[int], ...]:
    """Return the numbers that each field of *line* matches; raise `CronError` if it is invalid.

    `H` matches the smallest number of its range, or each step from there.
    """
    normalized(line)
    plain = re.sub(rf"(?<![A-Za-z]){_HASHED}", _unhashed, line)
    words = re.finditer(r"\S+", plain)
    return tuple(_field(word, field)[1] for word, field in zip(words, _FIELDS, strict=True))


def _unhashed(match: re.Match[str]) -> str:
    if match["step"]:
        return f"{match['first']}-{match['last']}/{match['step']}" if match["first"] else f"*/{match['step']}"
    return match["first"] or "0"


def _field(word: re.Match[str], field: _Field) -> tuple[str, frozenset[int]]:
    """Return the text of a field, and the numbers that it matches."""
    texts: list[str] = []
    numbers: set[int] = set()
    start = word.start()
    for part in word[0].split(","):
        text, part_numbers = _part(part, field, start)
        texts.append(text)
        numbers |= part_numbers
        start += len(part) + 1
    return ",".join(texts), frozenset(numbers)


def _part(part: str, field: _Field, start: int) -> tuple[str, frozenset[int]]:
    """Return the text of one part of a list, which starts at *start*, and its numbers."""
    match = re.fullmatch(_PART, part)
    hashed = re.fullmatch(_HASHED, part)

    def refuse(message: str, hint: str) -> CronError:
        return CronError(message, start, start + len(part), hint)

    if hashed is not None:
        first, last = int(hashed["first"] or field.minimum), int(hashed["last"] or field.maximum)
        if not field.minimum <= first <= last <= field.maximum or hashed["step"] == "0":
            raise refuse(f'"{part}" is not a valid {field.description}', _hint(field))
        return part, frozenset(range(first, last + 1))
    if match is None or (match["first"] == "*" and match["last"]):
        raise refuse(f'"{part}" is not a valid {field.description}', _hint(field))
    if match["first"] == "*":
        first, last, text = field.minimum, field.maximum, "*"
    else:
        first = _number(match["first"], field)
        last = _number(match["last"], field) if match["last"] else first
        text = f"{first}-{last}" if match["last"] else str(first)
        if not field.minimum <= first <= last <= field.maximum:
            problem = (
                f'"{part}" starts after it ends' if first > last else f'"{part}" is not a valid {field.description}'
            )
            raise refuse(problem, _hint(field))
    if match["step"] is None:
        return text, frozenset(range(first, last + 1))
    step = int(match["step"])
    if text not in ("*", f"{first}-{last}") or not 1 <= step <= field.maximum - field.minimum:
        raise refuse(
            f'engines read the step in "{part}" differently', f"write a step after * or a range: */{step or 1}"
        )
    return f"{text}/{step}", frozenset(range(first, last + 1, step))


def _number(word: str, field: _Field) -> int:
    """Return the number of *word*; an invalid word gives a number out of range."""
    if word.isdigit():
        return int(word)
    name = word.lower()
    return field.minimum + field.names.index(name) if name in field.names else field.maximum + 1


def _hint(field: _Field) -> str:
    named = f", or {field.names[0].upper()} to {field.names[-1].upper()}" if field.names else ""
    return f"write *, numbers from {field.minimum} to {field.maximum}{named}, ranges a-b and lists a,b"


def _check_days(words: list[re.Match[str]], fields: list[tuple[str, frozenset[int]]]) -> None:
    """Raise `CronError` for days that engines interpret differently, and for days that no year has."""
    (days, numbers), (_, months), (weekdays, _) = fields[2:]
    if "*" not in (days, weekdays):
        raise CronError(
            "days of the month and of the week are both restricted: engines differ on whether one or both must hold",
            words[2].start(),
            words[4].end(),
            "write two lines, in a list: one for each of the two",
        )
    if all(day > _LENGTHS[month - 1] for day in numbers for month in months):
        raise CronError(
            "no month of this schedule has such a day",
            words[2].start(),
            words[3].end(),
            "choose another day",
        )
