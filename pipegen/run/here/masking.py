"""Secrets kept out of what is shown: `[masked]` stands in their place."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

MASK = b"[masked]"
# Shorter texts stand in any log by chance: to mask them would tell them.
SHORTEST = 4
# Digits of base64 that hold a part of the text before, and what fills them up.
_REST, _LONGEST_REST = rb"[A-Za-z0-9+/_-]{0,2}={0,2}", 4
# A line that is longer is shown in parts.
_LONGEST_LINE = 65_536


class Masks:
    """What no log may show, in the forms in which programs print it; a text of several lines is several texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        given = tuple(dict.fromkeys(secrets))
        plain = {form for secret in given for form in _forms(secret) if len(form) >= SHORTEST}
        encoded = {form for secret in given for form in _base64(secret)}
        words = {**{form: re.escape(form) for form in plain}, **{form: re.escape(form) + _REST for form in encoded}}
        longest_first = sorted(words, key=lambda form: (-len(form), form))
        self.longest = len(longest_first[0]) + _LONGEST_REST if longest_first else 0
        self._pattern = re.compile(b"|".join(words[form] for form in longest_first)) if words else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def masked(self, data: bytes) -> bytes:
        """Return *data* without secrets."""
        return self._pattern.sub(MASK, data) if self._pattern is not None else data

    def masked_text(self, text: str) -> str:
        """Return *text* without secrets."""
        return self.masked(text.encode(errors="surrogateescape")).decode(errors="surrogateescape")

    def uncut(self, data: bytes, place: int) -> int:
        """Return *place*, or where the secret begins that it would cut in two."""
        found = self._pattern.finditer(data) if self._pattern is not None else ()
        return next((one.start() for one in found if one.start() < place < one.end()), place)


class MaskedStream:
    """Bytes as they come, handed on without secrets: whole lines, so that none is cut in two."""

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return what can be shown once *data* has come."""
        self._held += data
        end = self._held.rfind(b"\n") + 1
        if not end and len(self._held) > _LONGEST_LINE + self._masks.longest:
            end = self._masks.uncut(self._held, len(self._held) - self._masks.longest)
        shown, self._held = self._held[:end], self._held[end:]
        return self._masks.masked(shown)

    def end(self) -> bytes:
        """Return the rest."""
        rest, self._held = self._held, b""
        return self._masks.masked(rest)


def _forms(secret: str) -> Iterator[bytes]:
    """Yield *secret* as it stands, line by line, and as addresses and JSON hold it."""
    data = secret.encode(errors="surrogateescape")
    for line in data.splitlines():
        yield line.strip()
    for whole in dict.fromkeys((data, data.strip())):
        yield quote(whole, safe="").encode()
        yield re.sub(rb"%[0-9A-F]{2}", lambda found: found[0].lower(), quote(whole, safe="").encode())
        yield quote_plus(whole).encode()
    yield json.dumps(secret.strip())[1:-1].encode(errors="replace")


def _base64(secret: str) -> Iterator[bytes]:
    """Yield what of the base64 of any text with *secret* in it is always the same, for each place it may have there."""
    data = secret.encode(errors="surrogateescape").strip()
    for skipped in range(3):
        encoded = b64encode(bytes(skipped) + data)
        # What shares a digit with what stands before or behind differs from text to text.
        start = (0, 2, 3)[skipped]
        end = len(encoded.rstrip(b"=")) - (1 if (skipped + len(data)) % 3 else 0)
        # Short runs stand in other texts by chance.
        if end - start >= 2 * SHORTEST:
            yield encoded[start:end]
            yield encoded[start:end].replace(b"+", b"-").replace(b"/", b"_")
