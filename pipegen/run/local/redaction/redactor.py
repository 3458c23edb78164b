"""Secrets kept out of what is shown: `[masked]` stands in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from pipegen.run.local.redaction.encodings import DIGITS, SHORTEST, echoed, forms, pieces

REDACTOR = b"[masked]"
# A line that is longer is shown in parts.
_LONGEST_LINE = 65_536
_DIGITS = re.compile(rb"[A-Za-z0-9+/_-]{%d,}" % DIGITS)


class Redactor:
    """What no log may show, in the forms in which programs print it; a text of several lines is several texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        plain = tuple(one.encode(errors="surrogateescape") for one in secrets)
        given = tuple(dict.fromkeys((*plain, *map(echoed, plain))))
        self._forms = tuple(form for secret in given for form in forms(secret))
        self.longest = max((form.longest for form in self._forms), default=0)
        self._pieces = frozenset(piece for secret in given for piece in pieces(secret))

    def __bool__(self) -> bool:
        return bool(self._forms)

    def redacted(self, data: bytes) -> bytes:
        """Return *data* without secrets."""
        shown, place = [], 0
        for start, end in self._spans(data):
            shown += [data[place:start], REDACTOR]
            place = end
        return b"".join((*shown, data[place:])) if place else data

    def redacted_text(self, text: str) -> str:
        """Return *text* without secrets."""
        return self.redacted(text.encode(errors="surrogateescape")).decode(errors="surrogateescape")

    def hides(self, data: bytes) -> bool:
        """Return whether a secret stands in *data*."""
        return next(self._spans(data), None) is not None

    def hides_in(self, opened: Callable[[], IO[bytes]]) -> bool:
        """Return whether a secret stands in the file that is *opened*."""
        held = b""
        with opened() as file:
            while self and (piece := file.read(_LONGEST_LINE + self.longest)):
                if self.hides(held + piece):
                    return True
                held = piece[-self.longest :]
        return False

    def uncut(self, data: bytes, place: int) -> int:
        """Return *place*, or where the secret begins that it would cut in two."""
        return next((start for start, end in self._spans(data) if start < place < end), place)

    def _spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield where secrets stand in *data*; those that overlap, or touch, as one."""
        whole: tuple[int, int] | None = None
        matches = (span for form in self._forms for span in form.found(data))
        for start, end in sorted((*matches, *self._cut(data))):
            if whole is None or start > whole[1]:
                if whole is not None:
                    yield whole
                whole = start, end
            else:
                whole = whole[0], max(whole[1], end)
        if whole is not None:
            yield whole

    def _cut(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield what begins or ends a run of digits and is of the encoded form of a secret: lines of it, wrapped."""
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
    """Bytes as they come, handed on without secrets: whole lines, so that none is cut in two."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return what can be shown once *data* has come."""
        self._held += data
        end = self._held.rfind(b"\n") + 1
        if not end and len(self._held) > _LONGEST_LINE + self._redactor.longest:
            end = self._redactor.uncut(self._held, len(self._held) - self._redactor.longest)
        shown, self._held = self._held[:end], self._held[end:]
        return self._redactor.redacted(shown)

    def end(self) -> bytes:
        """Return the rest."""
        rest, self._held = self._held, b""
        return self._redactor.redacted(rest)


def is_redacted(secret: str) -> bool:
    """Return whether *secret* is long enough to be masked."""
    return len(secret.strip()) >= SHORTEST
