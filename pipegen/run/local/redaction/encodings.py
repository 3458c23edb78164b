"""The forms in which programs print a secret: plain, escaped for some language, or encoded.

Most of a log contains no secrets, so each form has an anchor that is found quickly and without which it cannot match.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Protocol

# Shorter texts occur in logs by chance, and masking them would reveal them.
SHORTEST = 4
# This many digits of base64 or hex do not occur by chance.
DIGITS = 8
# Digits of base64 that encode a part of the following text, and padding.
_REST, _LONGEST_REST = rb"[A-Za-z0-9+/_-]{0,2}={0,2}", 4
# The maximum length of a character: a pair of surrogates, or octal, with two backslashes before each part.
_WIDEST = 32
# The last characters of escapes with two and with four digits.
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
# Escapes of special characters in shells, YAML, tables, Make and GitLab.
_DOUBLED = {
    "'": (rb"'\\''", rb"'\"'\"'", rb"''"),
    '"': (rb'""',),
    "$": (rb"\$\$",),
    "%": (rb"%%",),
    " ": (rb"\+",),
    # Shells join the lines of an unquoted variable by spaces.
    "\n": (rb"[ ]+",),
}


class Encoding(Protocol):
    """A form of a secret with at most *longest* bytes."""

    longest: int

    def matches(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the spans of all matches in *data*, which may overlap."""


class Encoded:
    """A regular expression that cannot match without its *anchor*."""

    def __init__(self, pattern: bytes, longest: int, anchor: bytes) -> None:
        self._text, self.longest, self._anchor = pattern, longest, anchor

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return re.compile(self._text)

    def matches(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the spans of all matches in *data*, which may overlap."""
        start = 0
        while (position := data.find(self._anchor, start)) >= 0:
            match = self._pattern.search(data, max(start, position - self.longest))
            if match is None:
                return
            yield match.span()
            start = match.start() + 1


class EscapedText:
    """A text in which any characters may be escaped; its longest word is the anchor.

    Runs of backslashes are ambiguous and would make regular expressions backtrack exponentially. So the match extends
    from the anchor in both directions, with the set of all possible boundaries of each character.
    """

    def __init__(self, line: bytes) -> None:
        text = line.decode(errors="surrogateescape")
        parts: list[str] = _PARTS.findall(text)
        first = max(range(len(parts)), key=lambda index: len(parts[index]) if _is_word(parts[index]) else 0)
        self.longest = sum(len(part) if _is_word(part) else _WIDEST for part in parts)
        self._after = parts[first + 1 :]
        self._before = parts[:first][::-1]
        self._anchor = parts[first]

    def matches(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the longest span of each match in *data*."""
        anchor = _pattern_of(self._anchor)
        match = anchor.search(data)
        while match is not None:
            starts = {match.start()}
            for part in self._before:
                starts = {position for start in starts for position in _starts(part, data, start)}
            ends = {match.end()} if _is_word(self._anchor) else {*_ends(self._anchor, data, match.start())}
            for part in self._after if starts else ():
                ends = {position for end in ends for position in _ends(part, data, end)}
            if starts and ends:
                yield min(starts), max(ends)
            match = anchor.search(data, match.start() + 1)


_PARTS = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9]", re.DOTALL)


def _is_word(part: str) -> bool:
    return part.isascii() and part.isalnum()


def _starts(part: str, data: bytes, end: int) -> Iterable[int]:
    """Return the possible starts of *part* in *data* if it ends at *end*."""
    if _is_word(part):
        start = end - len(part)
        return (start,) if start >= 0 and data.startswith(part.encode(), start) else ()
    fits = _pattern_of(part).fullmatch
    return [start for start in range(max(end - _WIDEST, 0), end) if fits(data, start, end)]


def _ends(part: str, data: bytes, start: int) -> Iterable[int]:
    """Return the possible ends of *part* in *data* if it starts at *start*."""
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
    """Return the stripped lines of *secret*, by line breaks of bytes and of Unicode."""
    text = secret.decode(errors="surrogateescape").splitlines()
    candidates = (*secret.splitlines(), *(line.encode(errors="surrogateescape") for line in text))
    return tuple(dict.fromkeys(stripped for line in candidates if (stripped := line.strip())))


def echoed(secret: bytes) -> bytes:
    """Return the output of `echo` of a POSIX shell such as dash for *secret*, with escapes replaced."""
    # https://pubs.opengroup.org/onlinepubs/9799919799/utilities/echo.html
    printed = _ESCAPED.sub(lambda match: _STANDS_FOR.get(match[1]) or bytes([int(match[1], 8) & 0xFF]), secret)
    return printed.partition(rb"\c")[0]


def forms(secret: bytes) -> Iterator[Encoding]:
    """Yield the forms of *secret*: of each line, and if some are too short, of the whole."""
    parts = lines(secret)
    for line in parts:
        if len(line) >= SHORTEST:
            yield EscapedText(line)
    if len(parts) > 1 and any(len(line) < SHORTEST for line in parts):
        yield EscapedText(secret.strip().replace(b"\r\n", b"\n"))
    if len(secret.strip()) >= SHORTEST:
        yield from _base64_word(secret.strip())
    for digits in _base64(secret.strip()):
        yield Encoded(re.escape(digits) + _REST, len(digits) + _LONGEST_REST, digits)
    yield from _hex(secret.strip())


def pieces(secret: bytes) -> Iterator[bytes]:
    """Yield all runs of eight digits in the encoded forms of *secret*, which may be wrapped anywhere."""
    data = secret.strip()
    for digits in (*_base64(data), data.hex().encode(), data.hex().upper().encode()):
        yield from (digits[index : index + DIGITS] for index in range(len(digits) - DIGITS + 1))


def _character(character: str) -> bytes:
    """Return an expression for the forms of *character*, which is neither a letter nor a digit."""
    data, number = character.encode(errors="surrogateescape"), ord(character)
    patterns = [
        # With backslashes, as in JSON within JSON; a line break would end the line of the log.
        *([rb"\\{0,4}" + re.escape(data)] if character != "\n" else []),
        b"(?i:" + b"".join(b"%%%02x" % byte for byte in data) + b")",
        b"".join(rb"\\{1,2}x(?i:%02x)" % byte for byte in data),
        b"".join(rb"\\{1,2}%03o" % byte for byte in data),
        rb"&\#(?:0*%d|(?i:x0*%x));" % (number, number),
        rb"\\{1,2}(?i:u0{4}%04x|U%08x)" % (number, number) if number > _BASIC else rb"\\{1,2}(?i:u%04x)" % number,
        *_DOUBLED.get(character, ()),
    ]
    if number > _BASIC:
        units = character.encode("utf-16-be")
        patterns.append(b"".join(rb"\\{1,2}(?i:u%02x%02x)" % (units[index], units[index + 1]) for index in (0, 2)))
    if not character.isascii() and number <= _LATIN:
        patterns.append(rb"\\{1,2}x(?i:%02x)" % number)
    if character in _LETTERS:
        patterns.append(rb"\\{1,2}" + _LETTERS[character])
    if character in _ENTITIES:
        patterns.append(b"&" + _ENTITIES[character] + b";")
    return b"(?:" + b"|".join(patterns) + b")"


def _base64_word(data: bytes) -> Iterator[Encoding]:
    """Yield the base64 of *data* alone, with or without a final line break, as a separate word."""
    for text in (data, data + b"\n"):
        digits = b64encode(text)
        for variant in {digits, digits.replace(b"+", b"-").replace(b"/", b"_")}:
            unpadded = variant.rstrip(b"=")
            word = rb"(?<![A-Za-z0-9+/_-])" + re.escape(unpadded) + rb"={0,2}(?![A-Za-z0-9+/_=-])"
            yield Encoded(word, len(variant), unpadded)


def _base64(data: bytes) -> Iterator[bytes]:
    """Yield the constant part of the base64 of any text that contains *data*, for each alignment."""
    for skipped in range(3):
        encoded = b64encode(bytes(skipped) + data)
        # Digits that also encode the surrounding text vary.
        start = (0, 2, 3)[skipped]
        end = len(encoded.rstrip(b"=")) - (1 if (skipped + len(data)) % 3 else 0)
        # Short runs occur by chance.
        if end - start >= DIGITS:
            yield encoded[start:end]
            yield encoded[start:end].replace(b"+", b"-").replace(b"/", b"_")


def _hex(data: bytes) -> Iterator[Encoding]:
    """Yield *data* in hex, with and without separators between the bytes."""
    for between in ("", ":", " ") if len(data) >= SHORTEST else ():
        lower = data.hex(between) if between else data.hex()
        for digits in {lower.encode(), lower.upper().encode()}:
            yield Encoded(re.escape(digits), len(digits), digits)
