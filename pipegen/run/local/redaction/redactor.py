"""Redaction of secrets: `[masked]` replaces them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from pipegen.run.local.redaction.encodings import DIGITS, SHORTEST, echoed, forms, pieces

REDACTOR = b"[masked]"
# Longer lines are written in parts.
_LONGEST_LINE = 65_536
_DIGITS = re.compile(rb"[A-Za-z0-9+/_-]{%d,}" % DIGITS)


class Redactor:
    """Secrets in the forms in which programs print them; the lines of a secret count separately."""

    def __init__(self, secrets: Iterable[str]) -> None:
        plain = tuple(one.encode(errors="surrogateescape") for one in secrets)
        variants = tuple(dict.fromkeys((*plain, *map(echoed, plain))))
        self._forms = tuple(form for secret in variants for form in forms(secret))
        self.longest = max((form.longest for form in self._forms), default=0)
        self._pieces = frozenset(piece for secret in variants for piece in pieces(secret))

    def __bool__(self) -> bool:
        return bool(self._forms)

    def redact(self, data: bytes) -> bytes:
        """Return *data* with secrets replaced."""
        parts, position = [], 0
        for start, end in self._spans(data):
            parts += [data[position:start], REDACTOR]
            position = end
        return b"".join((*parts, data[position:])) if position else data

    def redact_text(self, text: str) -> str:
        """Return *text* with secrets replaced."""
        return self.redact(text.encode(errors="surrogateescape")).decode(errors="surrogateescape")

    def hides(self, data: bytes) -> bool:
        """Return whether *data* contains a secret."""
        return next(self._spans(data), None) is not None

    def hides_in(self, opened: Callable[[], IO[bytes]]) -> bool:
        """Return whether the file that *opened* returns contains a secret."""
        held = b""
        with opened() as file:
            while self and (piece := file.read(_LONGEST_LINE + self.longest)):
                if self.hides(held + piece):
                    return True
                held = piece[-self.longest :]
        return False

    def split_position(self, data: bytes, position: int) -> int:
        """Return *position*, or the start of the secret around it."""
        return next((start for start, end in self._spans(data) if start < position < end), position)

    def _spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the spans of secrets in *data*, merged if they overlap or touch."""
        current: tuple[int, int] | None = None
        matches = (span for form in self._forms for span in form.matches(data))
        for start, end in sorted((*matches, *self._wrapped_spans(data))):
            if current is None or start > current[1]:
                if current is not None:
                    yield current
                current = start, end
            else:
                current = current[0], max(current[1], end)
        if current is not None:
            yield current

    def _wrapped_spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield parts of encoded secrets at the start or end of runs of digits, as in wrapped output."""
        for run in _DIGITS.finditer(data) if self._pieces else ():
            first, last = run.span()
            end = first
            while end + DIGITS <= last and data[end : end + DIGITS] in self._pieces:
                end += 1
            if end > first:
                yield first, end + DIGITS - 1
            start = last
            while start - DIGITS >= first and data[start - DIGITS : start] in self._pieces:
                start -= 1
            if start < last:
                yield start - DIGITS + 1, last


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
