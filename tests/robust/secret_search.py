"""Searches for the secrets of tests, in all redacted forms, in everything that pipegen outputs or stores.

It is independent of the redaction, with encodings of its own.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

# Shorter texts reveal nothing, and occur by chance.
_SHORTEST = 4


def disguises(secret: str) -> Iterator[tuple[str, bytes]]:
    """Yield the redacted forms of *secret*, each with its name."""
    for name, text in _texts(secret):
        data = text.encode()
        if len(data) >= _SHORTEST:
            yield name, data


def _texts(secret: str) -> Iterator[tuple[str, str]]:
    yield from _encoded(secret.strip())
    for line in map(str.strip, secret.splitlines()):
        yield "a line", line
        yield from ((f"a line, {name}", text) for name, text in _encoded(line))


def _encoded(text: str) -> Iterator[tuple[str, str]]:
    if len(text.encode()) < _SHORTEST:
        return
    yield "percent", quote(text, safe="")
    yield "percent but slashes", quote(text)
    yield "percent as in JavaScript", quote(text, safe="!'()*")
    yield "percent in lower case", re.sub("%..", lambda match: match[0].lower(), quote(text, safe=""))
    yield "plus", quote_plus(text)
    yield "JSON", json.dumps(text)[1:-1]
    yield "JSON in UTF-8", json.dumps(text, ensure_ascii=False)[1:-1]
    yield "JSON with escaped slashes", json.dumps(text)[1:-1].replace("/", "\\/")
    yield from _base64(text.encode())


def _base64(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the constant part of the base64 of any text that contains *data*, and the base64 of *data* alone."""
    for before in range(3):
        digits = base64.b64encode(b"\0" * before + data + b"\0\0\0")
        start, end = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        if end - start >= 2 * _SHORTEST:
            yield f"base64 after {before}", digits[start:end].decode()
            yield (
                f"base64 for addresses after {before}",
                base64.urlsafe_b64encode(b"\0" * before + data)[start:end].decode(),
            )
    yield "base64", base64.b64encode(data).decode()
    yield "base64 of a line", base64.b64encode(data + b"\n").decode()


def _in_html(secret: str) -> Iterator[tuple[str, bytes]]:
    for line in map(str.strip, secret.splitlines()):
        if len(line.encode()) >= _SHORTEST:
            yield "a line, HTML", html.escape(line).encode()


class Scanner:
    """Searches data for *secrets*, each with a name, including the encoding of pipegen's own pages."""

    def __init__(self, secrets: dict[str, str]) -> None:
        self._forms = [
            (name, how, form)
            for name, secret in secrets.items()
            for form, how in {form: how for how, form in (*disguises(secret), *_in_html(secret))}.items()
        ]
        self.scanned = self.size = 0

    @property
    def forms(self) -> int:
        """The number of searched forms."""
        return len(self._forms)

    def leaks(self, location: str, data: bytes) -> list[str]:
        """Return a description of each form in *data*, which is at *location*."""
        self.scanned += 1
        self.size += len(data)
        return [f"{name}, {how}, in {location}" for name, how, form in self._forms if form in data]
