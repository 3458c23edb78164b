"""Files of variables: a `NAME=value` on each line."""

from __future__ import annotations

import re

_START = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*")
_SINGLE = re.compile(r"'(?P<text>[^']*)'")
_DOUBLE = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = re.compile(r"(?!['\"])(?P<text>[^\n]*?)(?=[ \t]*(?:[ \t]#[^\n]*)?(?:\n|\Z))")
_NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


class DotenvError(Exception):
    """A line that sets nothing; the text says where, and nothing of what it holds."""


def read_dotenv(text: str) -> dict[str, str]:
    r"""Return the variables that *text* sets; the last of several of one name counts.

    Values are as they stand between single quotes, over several lines too; between double quotes, `\n`, `\r`, `\t`
    and a backslash before any other character mean what they do in most languages. Without quotes a value ends with
    the line, or before ` #`. Nothing is expanded.
    """
    text = text.replace("\r\n", "\n")
    found: dict[str, str] = {}
    place = 0
    while place < len(text):
        if nothing := _NOTHING.match(text, place):
            place = nothing.end()
            continue
        start = _START.match(text, place)
        if start is None:
            raise DotenvError(_told(text, place))
        value, end = _value(text, start.end())
        after = _NOTHING.match(text, end)
        if after is None:
            raise DotenvError(_told(text, place))
        found[start["name"]] = value
        place = after.end()
    return found


def _value(text: str, place: int) -> tuple[str, int]:
    if single := _SINGLE.match(text, place):
        return single["text"], single.end()
    if double := _DOUBLE.match(text, place):
        return _ESCAPE.sub(lambda one: _ESCAPED.get(one[1], one[1]), double["text"]), double.end()
    bare = _BARE.match(text, place)
    return (bare["text"], bare.end()) if bare else ("", place)


def _told(text: str, place: int) -> str:
    return f"line {text.count(chr(10), 0, place) + 1} is no NAME=VALUE"
