"""Secrets of tests in what pipegen made, said or kept: in any form that a program would write them in.

This knows nothing of how pipegen masks: it encodes by itself.
"""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

# What tells nothing by itself, and stands in texts by chance.
_SHORTEST = 4
_ECHOED = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_SPACE = re.compile(rb"\s+")


def disguises(secret: str) -> Iterator[tuple[str, bytes]]:
    """Yield the forms of *secret*, each with its name; none is so short that chance makes it."""
    for name, text in _texts(secret):
        data = text.encode()
        if len(data) >= _SHORTEST:
            yield name, data


def _texts(secret: str) -> Iterator[tuple[str, str]]:
    lines = [line.strip() for line in secret.splitlines()]
    yield "plain", secret.strip()
    yield "in one line", " ".join(lines)
    for line in lines:
        yield "a line", line
        yield from ((f"a line, {name}", text) for name, text in _escaped(line))
    yield from _escaped(secret.strip())
    yield "in hex", secret.strip().encode().hex()
    yield "in HEX", secret.strip().encode().hex().upper()
    yield from _base64(secret.strip().encode())


def _escaped(text: str) -> Iterator[tuple[str, str]]:
    yield "percent", quote(text, safe="")
    yield "percent but slashes", quote(text)
    yield "percent in lower case", re.sub("%..", lambda found: found[0].lower(), quote(text, safe=""))
    yield "plus", quote_plus(text)
    yield "JSON", json.dumps(text)[1:-1]
    yield "JSON in UTF-8", json.dumps(text, ensure_ascii=False)[1:-1]
    yield "JSON in JSON", json.dumps(json.dumps(text))[3:-3]
    yield "shell", shlex.quote(f"{text} ")[1:-2]
    yield "shell's double quotes", re.sub(r'(["$`\\])', r"\\\1", text)
    yield "printf %q", re.sub(r"([^\w\n/.:@%+=,-])", r"\\\1", text)
    yield "YAML's single quotes", text.replace("'", "''")
    yield "echo", re.sub(r"\\([abfnrtv])", lambda found: _ECHOED[found[1]], text)
    yield "HTML", html.escape(text)
    yield "Python", repr(text)[1:-1]
    yield "bytes of Python", repr(text.encode())[2:-1]


def _base64(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield what is the same in the base64 of any text with *data* in it, and that of *data* alone."""
    for before in range(3):
        digits = base64.b64encode(b"\0" * before + data + b"\0\0\0")
        start, end = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        if end - start >= 2 * _SHORTEST:
            yield f"base64 after {before}", digits[start:end].decode()
            yield (
                f"base64 for addresses after {before}",
                base64.urlsafe_b64encode(b"\0" * before + data)[start:end].decode(),
            )
    yield "base64", base64.b64encode(data).decode().rstrip("=")
    yield "base64 of a line", base64.b64encode(data + b"\n").decode()


class Scanner:
    """Looks for *secrets*, each with a name, in what it is given."""

    def __init__(self, secrets: dict[str, str]) -> None:
        self._forms = [
            (name, how, form)
            for name, secret in secrets.items()
            for form, how in {form: how for how, form in disguises(secret)}.items()
        ]
        self.scanned = self.size = 0

    @property
    def forms(self) -> int:
        """How many forms are looked for."""
        return len(self._forms)

    def found(self, place: str, data: bytes) -> list[str]:
        """Return words on each form that stands in *data*, which is of *place*; wrapped ones too."""
        self.scanned += 1
        self.size += len(data)
        unwrapped = _SPACE.sub(b"", data)
        return [
            f"{name}, {how}, in {place}"
            for name, how, form in self._forms
            if form in data or (("base64" in how or "hex" in how.lower()) and form in unwrapped)
        ]
