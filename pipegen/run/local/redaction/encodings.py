"""How programs write a text that is a secret: as it stands, escaped for some language, or encoded.

Most of a log holds nothing of a secret: each form has an anchor, which is quickly looked for, and without which it
cannot match.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Protocol

# Shorter texts stand in any log by chance: to mask them would tell them.
SHORTEST = 4
# So many digits of base64 or hex are no chance any more.
DIGITS = 8
# Digits of base64 that hold a part of the text behind, and what fills them up.
_REST, _LONGEST_REST = rb"[A-Za-z0-9+/_-]{0,2}={0,2}", 4
# The most that one character becomes: as a pair of surrogates, or in octal, with two backslashes before each part.
_WIDEST = 32
# The last characters that escapes of two digits, and of four, can name.
_LATIN, _BASIC = 0xFF, 0xFFFF
_STANDS_FOR = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b"\\": b"\\",
}
_ESCAPED = re.compile(rb"\\(0[0-7]{0,3}|[abfnrtv\\])")
_ENTITIES = {"&": b"amp", "<": b"lt", ">": b"gt", '"': b"quot", "'": b"apos"}
_LETTERS = {"\t": b"t", "\n": b"n", "\r": b"r", "\b": b"b", "\f": b"f", "\v": b"v", "\x1b": b"e"}
# How shells, YAML, tables, Make and GitLab write a character that ends a text, or begins something there.
_DOUBLED = {
    "'": (rb"'\\''", rb"'\"'\"'", rb"''"),
    '"': (rb'""',),
    "$": (rb"\$\$",),
    "%": (rb"%%",),
    " ": (rb"\+",),
    # What a shell makes of the lines of an unquoted variable.
    "\n": (rb"[ ]+",),
}


class Encoding(Protocol):
    """A way to write a secret, of no more than *longest* bytes."""

    longest: int

    def found(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield where it stands in *data*, within another place too."""


class Encoded:
    """An expression for bytes that matches nothing without its *anchor*."""

    def __init__(self, pattern: bytes, longest: int, anchor: bytes) -> None:
        self._text, self.longest, self._anchor = pattern, longest, anchor

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return re.compile(self._text)

    def found(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield where it matches in *data*, within another match too."""
        begin = 0
        while (place := data.find(self._anchor, begin)) >= 0:
            found = self._pattern.search(data, max(begin, place - self.longest))
            if found is None:
                return
            yield found.span()
            begin = found.start() + 1


class EscapedText:
    """A text as it stands, and with any of its characters escaped; its longest word is the anchor.

    A run of backslashes is so many characters in more ways than Python's own matcher could ever try. So from the anchor
    on, both ways, one goes from all places where a character may begin to all places where it may end.
    """

    def __init__(self, line: bytes) -> None:
        text = line.decode(errors="surrogateescape")
        parts: list[str] = _PARTS.findall(text)
        first = max(range(len(parts)), key=lambda place: len(parts[place]) if _is_word(parts[place]) else 0)
        self.longest = sum(len(part) if _is_word(part) else _WIDEST for part in parts)
        self._behind = parts[first + 1 :]
        self._before = parts[:first][::-1]
        self._anchor = parts[first]

    def found(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield where it stands in *data*, as far as it may reach."""
        anchor = _pattern_of(self._anchor)
        place = anchor.search(data)
        while place is not None:
            starts = {place.start()}
            for part in self._before:
                starts = {one for start in starts for one in _starts(part, data, start)}
            ends = {place.end()} if _is_word(self._anchor) else {*_ends(self._anchor, data, place.start())}
            for part in self._behind if starts else ():
                ends = {one for end in ends for one in _ends(part, data, end)}
            if starts and ends:
                yield min(starts), max(ends)
            place = anchor.search(data, place.start() + 1)


_PARTS = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9]", re.DOTALL)


def _is_word(part: str) -> bool:
    return part.isascii() and part.isalnum()


def _starts(part: str, data: bytes, end: int) -> Iterable[int]:
    """Return where *part* may begin in *data* that ends at *end*."""
    if _is_word(part):
        start = end - len(part)
        return (start,) if start >= 0 and data.startswith(part.encode(), start) else ()
    fits = _pattern_of(part).fullmatch
    return [start for start in range(max(end - _WIDEST, 0), end) if fits(data, start, end)]


def _ends(part: str, data: bytes, start: int) -> Iterable[int]:
    """Return where *part* may end in *data* that begins at *start*."""
    if _is_word(part):
        return (start + len(part),) if data.startswith(part.encode(), start) else ()
    pattern = _pattern_of(part)
    if pattern.match(data, start) is None:
        return ()
    return [end for end in range(start + 1, min(start + _WIDEST, len(data)) + 1) if pattern.fullmatch(data, start, end)]


@lru_cache(maxsize=1_024)
def _pattern_of(part: str) -> re.Pattern[bytes]:
    return re.compile(part.encode() if _is_word(part) else _character(part))


def lines(secret: bytes) -> tuple[bytes, ...]:
    """Return the lines of *secret*, without what stands around them: those of a log, and those of Unicode."""
    text = secret.decode(errors="surrogateescape").splitlines()
    found = (*secret.splitlines(), *(line.encode(errors="surrogateescape") for line in text))
    return tuple(dict.fromkeys(stripped for line in found if (stripped := line.strip())))


def echoed(secret: bytes) -> bytes:
    """Return what `echo` of a POSIX shell such as dash prints of *secret*: what backslashes and letters stand for."""
    # https://pubs.opengroup.org/onlinepubs/9799919799/utilities/echo.html
    printed = _ESCAPED.sub(lambda found: _STANDS_FOR.get(found[1]) or bytes([int(found[1], 8) & 0xFF]), secret)
    return printed.partition(rb"\c")[0]


def forms(secret: bytes) -> Iterator[Encoding]:
    """Yield how *secret* is written: each line of it, and where some are too short for that, all in one line."""
    parts = lines(secret)
    for line in parts:
        if len(line) >= SHORTEST:
            yield EscapedText(line)
    if len(parts) > 1 and any(len(line) < SHORTEST for line in parts):
        yield EscapedText(secret.strip().replace(b"\r\n", b"\n"))
    if len(secret.strip()) >= SHORTEST:
        yield from _alone(secret.strip())
    for digits in _base64(secret.strip()):
        yield Encoded(re.escape(digits) + _REST, len(digits) + _LONGEST_REST, digits)
    yield from _hex(secret.strip())


def pieces(secret: bytes) -> Iterator[bytes]:
    """Yield all runs of eight digits in the encoded forms of *secret*: a line may end anywhere in these."""
    data = secret.strip()
    for digits in (*_base64(data), data.hex().encode(), data.hex().upper().encode()):
        yield from (digits[place : place + DIGITS] for place in range(len(digits) - DIGITS + 1))


def _character(one: str) -> bytes:
    """Return an expression for the ways to write *one*, which is no letter and no digit."""
    data, number = one.encode(errors="surrogateescape"), ord(one)
    ways = [
        # With backslashes before it, as in JSON within JSON; a line break would end the log's line.
        *([rb"\\{0,4}" + re.escape(data)] if one != "\n" else []),
        b"(?i:" + b"".join(b"%%%02x" % byte for byte in data) + b")",
        b"".join(rb"\\{1,2}x(?i:%02x)" % byte for byte in data),
        b"".join(rb"\\{1,2}%03o" % byte for byte in data),
        rb"&\#(?:0*%d|(?i:x0*%x));" % (number, number),
        rb"\\{1,2}(?i:u0{4}%04x|U%08x)" % (number, number) if number > _BASIC else rb"\\{1,2}(?i:u%04x)" % number,
        *_DOUBLED.get(one, ()),
    ]
    if number > _BASIC:
        units = one.encode("utf-16-be")
        ways.append(b"".join(rb"\\{1,2}(?i:u%02x%02x)" % (units[at], units[at + 1]) for at in (0, 2)))
    if not one.isascii() and number <= _LATIN:
        ways.append(rb"\\{1,2}x(?i:%02x)" % number)
    if one in _LETTERS:
        ways.append(rb"\\{1,2}" + _LETTERS[one])
    if one in _ENTITIES:
        ways.append(b"&" + _ENTITIES[one] + b";")
    return b"(?:" + b"|".join(ways) + b")"


def _alone(data: bytes) -> Iterator[Encoding]:
    """Yield the base64 of *data* by itself, perhaps with a line break behind it, where it stands as a word."""
    for text in (data, data + b"\n"):
        digits = b64encode(text)
        for alike in {digits, digits.replace(b"+", b"-").replace(b"/", b"_")}:
            bare = alike.rstrip(b"=")
            word = rb"(?<![A-Za-z0-9+/_-])" + re.escape(bare) + rb"={0,2}(?![A-Za-z0-9+/_=-])"
            yield Encoded(word, len(alike), bare)


def _base64(data: bytes) -> Iterator[bytes]:
    """Yield what of the base64 of any text with *data* in it is always the same, for each place it may have there."""
    for skipped in range(3):
        encoded = b64encode(bytes(skipped) + data)
        # What shares a digit with what stands before or behind differs from text to text.
        start = (0, 2, 3)[skipped]
        end = len(encoded.rstrip(b"=")) - (1 if (skipped + len(data)) % 3 else 0)
        # Short runs stand in other texts by chance.
        if end - start >= DIGITS:
            yield encoded[start:end]
            yield encoded[start:end].replace(b"+", b"-").replace(b"/", b"_")


def _hex(data: bytes) -> Iterator[Encoding]:
    """Yield *data* as digits of hex, perhaps with something between the bytes."""
    for between in ("", ":", " ") if len(data) >= SHORTEST else ():
        lower = data.hex(between) if between else data.hex()
        for digits in {lower.encode(), lower.upper().encode()}:
            yield Encoded(re.escape(digits), len(digits), digits)
