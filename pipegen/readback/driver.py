"""The driver of a scripted Jenkinsfile: the constant code at its end that starts the stages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from pipegen.assets import folder
from pipegen.readback.errors import UnknownDriverError
from pipegen.readback.groovy import Code, Token
from pipegen.readback.literals import Function, functions

_TEMPLATE_TAG = re.compile(r"\{%.*?%\}\n?|\{#.*?#\}\n?", re.DOTALL)
_DIFFERS = "the driver differs from the one this version writes"

Told = tuple[tuple[str, str], ...]


def names() -> frozenset[str]:
    """Return the names of the driver's functions."""
    return frozenset(name for name, _ in _known())


def check(code: Code, found: Iterable[Function]) -> None:
    """Raise `UnknownDriverError` unless the functions *found* in *code* hold the driver, word for word."""
    known = _known()
    left = set(known)
    for one in found:
        if one.name not in names():
            continue
        told = (one.name, _told(code, one))
        if told not in left:
            token = code.tokens[one.start + 1]
            raise UnknownDriverError(f'{_DIFFERS}: "{one.name}" does other things', token.start, token.end)
        left.remove(told)
    if left:
        missing = next(name for name, told in known if (name, told) in left)
        raise UnknownDriverError(f'{_DIFFERS}: "{missing}" is missing')


@cache
def _known() -> tuple[tuple[str, Told], ...]:
    text = folder("templates").joinpath("jenkins", "driver.j2").read_text(encoding="utf-8")
    code = Code(_TEMPLATE_TAG.sub("", text))
    return tuple((one.name, _told(code, one)) for one in functions(code))


def _told(code: Code, one: Function) -> Told:
    """Return what the definition of *one* says, its type and its marks included."""
    start = one.start
    while code.is_sign(start - 2, "@"):
        start -= 2
    return tuple(map(_word, code.tokens[start : code.behind(one.body)]))


def _word(token: Token) -> tuple[str, str]:
    return token.kind.value, token.text
