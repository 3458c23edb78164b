"""Cron lines of five fields, as far as all engines read them alike."""

from __future__ import annotations

import re

from pipegen.structs import Struct

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PART = re.compile(r"(?P<first>\*|[0-9]+|[A-Za-z]+)(?:-(?P<last>[0-9]+|[A-Za-z]+))?(?:/(?P<step>[0-9]+))?")
_WORD = re.compile(r"\S+")


class _Field(Struct):
    """A field: what it is, its smallest and largest number, and names for the numbers from *least* on."""

    what: str
    least: int
    most: int
    names: tuple[str, ...] = ()


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    # Sunday is 0 and 7.
    _Field("day of the week", 0, 7, _DAYS),
)
_FIVE = "write minute, hour, day of the month, month and day of the week, such as 30 4 * * 1-5"


class CronError(Exception):
    """What is wrong with a cron line, between two places of it; *advice* says what to write."""

    def __init__(self, what: str, start: int, end: int, advice: str) -> None:
        super().__init__(what)
        self.what = what
        self.start = start
        self.end = end
        self.advice = advice


def normal(line: str) -> str:
    """Return *line* with numbers for names and one blank between fields; raise `CronError` where it is none."""
    words = list(_WORD.finditer(line))
    if line.strip().startswith("@"):
        raise CronError(f'"{line.strip()}" stands for different times on different engines', 0, len(line), _FIVE)
    if len(words) != len(_FIELDS):
        raise CronError(
            f"a cron line has five fields, not {len(words)}",
            0,
            len(line),
            _FIVE,
        )
    fields = [_field(word, field) for word, field in zip(words, _FIELDS, strict=True)]
    _check_days(words, fields)
    return " ".join(text for text, _ in fields)


def _field(word: re.Match[str], field: _Field) -> tuple[str, frozenset[int]]:
    """Return the text of a field, and the numbers that it stands for."""
    texts: list[str] = []
    numbers: set[int] = set()
    start = word.start()
    for part in word[0].split(","):
        text, found = _part(part, field, start)
        texts.append(text)
        numbers |= found
        start += len(part) + 1
    return ",".join(texts), frozenset(numbers)


def _part(part: str, field: _Field, start: int) -> tuple[str, frozenset[int]]:
    """Return the text of one part of a list, which begins at *start*, and its numbers."""
    found = _PART.fullmatch(part)

    def refuse(what: str, advice: str) -> CronError:
        return CronError(what, start, start + len(part), advice)

    if part.startswith("H"):
        raise refuse(f'"{part}" is known to Jenkins alone', "write a number")
    if found is None or (found["first"] == "*" and found["last"]):
        raise refuse(f'"{part}" is no {field.what}', _advice(field))
    if found["first"] == "*":
        first, last, text = field.least, field.most, "*"
    else:
        first = _number(found["first"], field)
        last = _number(found["last"], field) if found["last"] else first
        text = f"{first}-{last}" if found["last"] else str(first)
        if not field.least <= first <= last <= field.most:
            why = f'"{part}" begins after it ends' if first > last else f'"{part}" is no {field.what}'
            raise refuse(why, _advice(field))
    if found["step"] is None:
        return text, frozenset(range(first, last + 1))
    step = int(found["step"])
    if text not in ("*", f"{first}-{last}") or not 1 <= step <= field.most - field.least:
        raise refuse(f'"{part}" has no step that engines agree on', f"write a step behind * or a range: */{step or 1}")
    return f"{text}/{step}", frozenset(range(first, last + 1, step))


def _number(word: str, field: _Field) -> int:
    """Return the number of *word*; one out of range for what is no number and no name."""
    if word.isdigit():
        return int(word)
    name = word.lower()
    return field.least + field.names.index(name) if name in field.names else field.most + 1


def _advice(field: _Field) -> str:
    names = f", or {field.names[0].upper()} to {field.names[-1].upper()}" if field.names else ""
    return f"write *, numbers from {field.least} to {field.most}{names}, ranges a-b and lists a,b"


def _check_days(words: list[re.Match[str]], fields: list[tuple[str, frozenset[int]]]) -> None:
    """Refuse days that engines take differently, and days that no year has."""
    (days, numbers), (_, months), (weekdays, _) = fields[2:]
    if "*" not in (days, weekdays):
        raise CronError(
            "days of the month and of the week are both restricted: engines differ on whether one or both must hold",
            words[2].start(),
            words[4].end(),
            "write two lines, in a list: one with each of the two",
        )
    if all(day > _LENGTHS[month - 1] for day in numbers for month in months):
        raise CronError("no such day comes", words[2].start(), words[3].end(), "choose a day that the month has")
