"""Files of variables with a `NAME=value` on each line."""

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
    """An invalid line; the text gives its number, not its content, which may be secret."""


def read_dotenv(text: str) -> dict[str, str]:
    r"""Return the variables that *text* sets; of several with the same name, the last counts.

    Values in single quotes are literal and may span lines; in double quotes, `\n`, `\r`, `\t` and a backslash before
    any other character are escapes. Without quotes, a value ends with the line, or before ` #`. Nothing is expanded.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if "\0" in text:
        raise DotenvError(f"line {_line(text, text.index(chr(0)))} contains a NUL character")
    variables: dict[str, str] = {}
    position = 0
    while position < len(text):
        if blank := _NOTHING.match(text, position):
            position = blank.end()
            continue
        start = _START.match(text, position)
        if start is None:
            raise DotenvError(f"line {_line(text, position)} is not NAME=VALUE")
        value, end = _value(text, start.end())
        after = _NOTHING.match(text, end)
        if after is None:
            raise DotenvError(f"line {_line(text, position)} is not NAME=VALUE")
        variables[start["name"]] = value
        position = after.end()
    return variables


def _value(text: str, position: int) -> tuple[str, int]:
    if single := _SINGLE.match(text, position):
        return single["text"], single.end()
    if double := _DOUBLE.match(text, position):
        return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), double["text"]), double.end()
    bare = _BARE.match(text, position)
    return (bare["text"], bare.end()) if bare else ("", position)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
