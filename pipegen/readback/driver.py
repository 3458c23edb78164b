"""The driver of a scripted Jenkinsfile: the constant code at the end of the file that starts the stages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from pipegen.assets import folder
from pipegen.emit.template import render
from pipegen.readback.errors import UnknownDriverError
from pipegen.readback.groovy import GroovyTokens, Token, TokenKind
from pipegen.readback.literals import Function, functions
from pipegen.source.tree import whole_number
from pipegen.structs import Struct

_DIFFERS = "the driver differs from the one this version writes"
# A file that defines functions with these names would change the meaning of its steps.
_STEPS = frozenset({"parallel", "stage", "node"})

_DECLARE = ("addTables", "declared", "linesOf")
_DECLARING = re.compile(rf"^(?:@NonCPS\n)?\w+ (?:{'|'.join(_DECLARE)})\(.*?^}}\n", re.MULTILINE | re.DOTALL)

DefinitionTokens = tuple[tuple[str, str], ...]


class Driver(Struct):
    """The variant of a driver: blocks nest at most *deepest* deep (0: any depth), stages may be in *tables*.

    With *fails_fast*, stages stop others from starting; with *mails*, steps follow failures of stages; with
    *reads_statuses*, it records which stages have started; with *shares_agent*, some run on one agent.
    """

    deepest: int
    tables: bool
    fails_fast: bool = True
    mails: bool = True
    reads_statuses: bool = True
    shares_agent: bool = False


def names() -> frozenset[str]:
    """Return the names of the driver's functions in all variants."""
    forms = (Driver(deepest, tables=False) for deepest in (0, 1))
    return frozenset((*(name for form in forms for name, _ in _functions_of(form)), *_DECLARE))


def check(code: GroovyTokens, definitions: Sequence[Function]) -> Driver:
    """Return the variant of the driver in *code* with the functions *definitions*; raise `UnknownDriverError`."""
    tables = any(function.name == "addTables" for function in definitions)
    words = {token.text for token in code.tokens if token.kind is TokenKind.WORD}
    parts = [word in words for word in ("stopped", "onFailure", "started", "pinned")]
    forms = [Driver(deepest, tables, *parts) for deepest in sorted({0, _deepest(code)})]
    problems = {form: list(_problems(code, definitions, form)) for form in forms}
    best = min(forms, key=lambda form: len(problems[form]))
    for problem in problems[best]:
        raise problem
    return best


def _problems(code: GroovyTokens, definitions: Sequence[Function], form: Driver) -> Iterator[UnknownDriverError]:
    """Yield the differences between the functions *definitions* and a driver in *form*."""
    known = _functions_of(form)
    missing = dict.fromkeys(known)
    for function in definitions:
        definition = (function.name, _definition(code, function))
        if definition in missing:
            del missing[definition]
        elif function.name in _STEPS or function.name in names():
            token = code.tokens[function.start + 1]
            yield UnknownDriverError(f'{_DIFFERS}: "{function.name}" has a different body', token.start, token.end)
    for name, _ in missing:
        yield UnknownDriverError(f'{_DIFFERS}: "{name}" is missing')


def _deepest(code: GroovyTokens) -> int:
    """Return the maximum depth of blocks: the largest number that the driver compares with a depth."""
    depths = (index for index, token in enumerate(code.tokens[: code.size]) if token.text == "depth")
    words = (code.word(index + 3) for index in depths if code.is_sign(index + 1, "=") and code.is_sign(index + 2, "="))
    return max((whole_number(word) or 0 for word in words), default=0)


@cache
def _functions_of(form: Driver) -> tuple[tuple[str, DefinitionTokens], ...]:
    text = render("jenkins/driver.j2", filters={}, body=form)
    code = GroovyTokens(text + _declaring_tables() if form.tables else text)
    return tuple((function.name, _definition(code, function)) for function in functions(code))


def _declaring_tables() -> str:
    """Return the functions that declare stages from tables, which are the same in all files with tables."""
    template = folder("templates").joinpath("jenkins", "tables.j2").read_text(encoding="utf-8")
    return "".join(match[0] for match in _DECLARING.finditer(template))


def _definition(code: GroovyTokens, function: Function) -> DefinitionTokens:
    """Return the tokens of the definition of *function*, with its type and annotations."""
    start = function.start
    while start >= 2 and code.is_sign(start - 2, "@"):  # noqa: PLR2004 - an annotation is a sign and a word
        start -= 2
    return tuple(map(_word, code.tokens[start : code.skip(function.body)]))


def _word(token: Token) -> tuple[str, str]:
    return token.kind.value, token.text
