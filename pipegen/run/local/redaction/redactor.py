"""Redaction of secrets: `[masked]` replaces them."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import IO
from urllib.parse import quote, quote_plus

_REDACTOR = b"[masked]"
# Shorter texts occur in logs by chance, and masking them would reveal them.
SHORTEST = 4
# Fewer digits of base64 occur by chance.
_DIGITS = 8
# Longer lines are written in parts.
_LONGEST_LINE = 65_536
# Characters besides letters, digits and "_.-~" that functions for URLs leave unencoded: none, those of paths, and those
# of JavaScript's encodeURIComponent.
_SAFE = ("", "/", "!'()*")


class Redactor:
    """Secrets as written, and encoded for URLs, in JSON and in base64; the lines of a secret count separately."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._forms = tuple(dict.fromkeys(form for secret in secrets for form in _forms(secret)))
        self.longest = max(map(len, self._forms), default=0)

    def __bool__(self) -> bool:
        return bool(self._forms)

    def redact(self, data: bytes) -> bytes:
        """Return *data* with secrets replaced."""
        parts, position = [], 0
        for start, end in self._spans(data):
            parts += [data[position:start], _REDACTOR]
            position = end
        return b"".join((*parts, data[position:])) if position else data

    def hides(self, data: bytes) -> bool:
        """Return whether *data* contains a secret."""
        return next(self._spans(data), None) is not None

    def hides_in(self, opened: Callable[[], IO[bytes]]) -> bool:
        """Return whether the file that *opened* returns contains a secret."""
        tail = b""
        with opened() as file:
            while self and (piece := file.read(_LONGEST_LINE + self.longest)):
                if self.hides(tail + piece):
                    return True
                tail = piece[-self.longest :]
        return False

    def split_position(self, data: bytes, position: int) -> int:
        """Return *position*, or the start of the secret around it."""
        return next((start for start, end in self._spans(data) if start < position < end), position)

    def _spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the spans of secrets in *data*, merged if they overlap or touch."""
        current: tuple[int, int] | None = None
        for start, end in sorted(span for form in self._forms for span in _matches(form, data)):
            if current is None or start > current[1]:
                if current is not None:
                    yield current
                current = start, end
            else:
                current = current[0], max(current[1], end)
        if current is not None:
            yield current


class RedactedStream:
    """A stream of bytes with secrets replaced, passed on in whole lines so that no secret is split."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Add *data*, and return the output that is complete."""
        self._held += data
        end = self._held.rfind(b"\n") + 1
        if not end and len(self._held) > _LONGEST_LINE + self._redactor.longest:
            end = self._redactor.split_position(self._held, len(self._held) - self._redactor.longest)
        shown, self._held = self._held[:end], self._held[end:]
        return self._redactor.redact(shown)

    def end(self) -> bytes:
        """Return the rest."""
        rest, self._held = self._held, b""
        return self._redactor.redact(rest)


def is_redacted(secret: str) -> bool:
    """Return whether *secret* is long enough to be masked."""
    return len(secret.strip()) >= SHORTEST


def _matches(form: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of *form* in *data*, which may overlap."""
    start = data.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = data.find(form, start + 1)


def _forms(secret: str) -> Iterator[bytes]:
    """Yield the forms of *secret* and of each of its lines, except of short ones."""
    lines = secret.strip().splitlines()
    for text in map(str.strip, (secret, *lines)):
        data = text.encode(errors="surrogateescape")
        if len(data) >= SHORTEST:
            # Logs are redacted line by line.
            if len(text.splitlines()) == 1 or min(map(len, lines)) < SHORTEST:
                yield data
            yield from _url(data)
            yield from _json(text)
            yield from _base64(data)


def _url(data: bytes) -> Iterator[bytes]:
    for encoded in (*(quote(data, safe) for safe in _SAFE), *(quote_plus(data, safe) for safe in _SAFE)):
        yield encoded.encode()
        # The digits of "%2F" may be lowercase.
        first, *others = encoded.split("%")
        yield "%".join((first, *(other[:2].lower() + other[2:] for other in others))).encode()


def _json(text: str) -> Iterator[bytes]:
    """Yield *text* as in a JSON string, which may escape slashes and other characters than ASCII."""
    for is_ascii in (True, False):
        encoded = json.dumps(text, ensure_ascii=is_ascii)[1:-1]
        yield encoded.encode(errors="surrogateescape")
        yield encoded.replace("/", "\\/").encode(errors="surrogateescape")


def _base64(data: bytes) -> Iterator[bytes]:
    """Yield the base64 of *data*, also with a line break, and its constant part in that of any text with *data*."""
    encoded = [b64encode(data), b64encode(data + b"\n")]
    for skipped in range(3):
        digits = b64encode(bytes(skipped) + data).rstrip(b"=")
        # Digits that also encode the surrounding text vary.
        part = digits[(0, 2, 3)[skipped] : -1 if (skipped + len(data)) % 3 else None]
        encoded += [part] if len(part) >= _DIGITS else []
    for digits in encoded:
        yield digits
        yield digits.replace(b"+", b"-").replace(b"/", b"_")
