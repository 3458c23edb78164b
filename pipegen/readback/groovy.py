"""Groovy to tokens, as far as a generated Jenkinsfile goes: comments dropped, strings with what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a token is."""

    WORD = "word"
    TEXT = "text"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number, the text of a string, or any other character."""

    kind: Kind
    text: str


class UnreadableError(ValueError):
    """Text that is no Jenkinsfile as pipegen writes them."""


_SPACE = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_$][\w$]*|\d[\w.]*")
_QUOTES = ("'''", '"""', "'", '"')
_ESCAPE = re.compile(r"\\(?:u+([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "\n": ""}


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of *text*."""
    place = 0
    while place < len(text):
        if space := _SPACE.match(text, place):
            place = space.end()
        elif quotes := next((mark for mark in _QUOTES if text.startswith(mark, place)), None):
            start = place + len(quotes)
            end = _end_of_string(text, start, quotes)
            yield Token(Kind.TEXT, _ESCAPE.sub(_meaning, text[start:end]))
            place = end + len(quotes)
        elif word := _WORD.match(text, place):
            yield Token(Kind.WORD, word[0])
            place = word.end()
        else:
            yield Token(Kind.SIGN, text[place])
            place += 1


def _end_of_string(text: str, start: int, quotes: str) -> int:
    """Return where the closing *quotes* are; what stands in `${}` of a double-quoted string may hold quotes itself."""
    place = start
    while not text.startswith(quotes, place):
        if place >= len(text):
            raise UnreadableError("a string has no end")
        if text[place] == "\\":
            place += 2
        elif quotes[0] == '"' and text.startswith("${", place):
            place = _end_of_expression(text, place + 2)
        else:
            place += 1
    return place


def _end_of_expression(text: str, start: int) -> int:
    """Return what follows the brace that closes an expression within a string."""
    place, depth = start, 1
    while depth:
        if place >= len(text):
            raise UnreadableError("an expression in a string has no end")
        quotes = next((mark for mark in _QUOTES if text.startswith(mark, place)), None)
        if quotes:
            place = _end_of_string(text, place + len(quotes), quotes) + len(quotes)
        else:
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            place += 1
    return place


def _meaning(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _ESCAPED.get(escape[2], escape[2])
