"""Groovy of the user before the stages of a Jenkinsfile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.structs import Struct, replace
from pipegen.targets.base import Request
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.model.parts import parts_of
from pipegen.targets.jenkins.render import render
from pipegen.targets.jenkins.stages.known_steps import known_steps

_KEY = "definitions"
_FUNCTION = re.compile(r"^[A-Za-z][\w<>\[\], ]* (\w+)\([^()]*\) \{$", re.MULTILINE)
# What a generated file calls besides steps of the table: other steps, and parts of arguments, which Jenkins looks up in
# the same way.
_OTHER_CALLS = frozenset(
    (  # noqa: SIM905
        "agent analysisParser arbitraryFileCache booleanParam buildDiscarder cache choice cleanBeforeCheckout "
        "cloneOption container cron disableConcurrentBuilds file logRotator nonresumable parallel parameters "
        "pipelineTriggers podTemplate pollSCM properties recordCoverage recordIssues sarif scmGit sshUserPrivateKey "
        "stage string submodule usernamePassword"
    ).split()
)
# No declaration has one of these words before its name, and no call has another word there.
_BEFORE_A_CALL = frozenset({"assert", "else", "in", "new", "return", "throw"})


class _Function(Struct):
    """A function or closure of the user, with the fewest and the most arguments that it takes."""

    name: str
    fewest: int
    most: int


_ANY_NUMBER = 1_000


def check_definitions(file: model.Jenkinsfile, rendered: str, request: Request, report: Report) -> None:
    """Report definitions of *file* that are not complete, or that change the rest of it, as it is *rendered*."""
    node = request.settings.get(_KEY) if request.settings is not None else None
    if node is None:
        return
    try:
        code = GroovyTokens(file.definitions)
    except UnreadableError as error:
        message = f'"{_KEY}" is not complete Groovy: {error}'
        report.add(codes.RAW_REFUSED, message, at=node.span, hint="close all brackets and quotes")
        return
    index = 0
    while index < code.size:
        if code.word(index) in ("pipeline", "node", "stage") and code.tokens[index + 1].text in ("{", "("):
            message = f'"{_KEY}" has a block "{code.word(index)}"'
            report.add(codes.RAW_REFUSED, message, at=node.span, hint="write stages in the config")
        index = code.skip(index)
    own = frozenset(_FUNCTION.findall(rendered.replace(file.definitions, "", 1)))
    functions = tuple(_functions(code))
    called = _steps(file, {function.name for function in functions}, request.source)
    for function in functions:
        if function.name in own:
            message = f'"{_KEY}" has a function "{function.name}", and so has the generated file'
            report.add(codes.RAW_REFUSED, message, at=node.span, hint="give it another name")
        elif any(function.fewest <= number <= function.most for number in called.get(function.name, ())):
            message = f'"{_KEY}" has a function "{function.name}", which the generated file calls in place of the step'
            report.add(codes.RAW_REFUSED, message, at=node.span, hint="give it another name")


def _functions(code: GroovyTokens) -> Iterator[_Function]:
    """Yield the functions and closures that *code* defines for the whole file."""
    index = 0
    while index < code.size:
        name = code.word(index)
        if name and code.is_sign(index + 1, "=") and code.is_sign(index + 2, "{") and not code.is_sign(index - 1, "."):
            yield _Function(name, 0, _ANY_NUMBER)
        elif name and code.is_sign(index + 1, "(") and _is_declared(code, index):
            yield _function(code, index)
        index = code.skip(index)


def _is_declared(code: GroovyTokens, index: int) -> bool:
    """Return whether the word at *index* follows a type, and its brackets precede a block."""
    before = code.word(index - 1) if index else ""
    has_type = before not in _BEFORE_A_CALL if before else index > 0 and code.tokens[index - 1].text in (">", "]")
    return has_type and code.is_sign(code.skip(index + 1), "{")


def _function(code: GroovyTokens, index: int) -> _Function:
    parameters = [
        {token.text for token in code.tokens[start:end]}
        for start, end in _parts(code, index + 2, code.end_of(index + 1))
    ]
    if parameters and not parameters[-1].isdisjoint((".", "[")):
        return _Function(code.word(index), 0, _ANY_NUMBER)
    # Groovy passes null to a single parameter that a call leaves out.
    fewest = sum("=" not in parameter for parameter in parameters) if len(parameters) > 1 else 0
    return _Function(code.word(index), fewest, len(parameters))


def _steps(file: model.Jenkinsfile, functions: AbstractSet[str], source: str) -> dict[str, set[int]]:
    """Return with how many arguments *file* calls steps with names of *functions*, outside steps of the user."""
    names = functions & (known_steps().keys() | _OTHER_CALLS)
    calls: dict[str, set[int]] = {}
    if not names:
        return calls
    text = render(replace(file, definitions=""), source, frozenset(_groovy_of_the_user(file)))
    try:
        code = GroovyTokens(text)
    except UnreadableError:  # Groovy of the user that is reported elsewhere
        return calls
    for index in range(code.size):
        before = code.word(index - 1) if index else ""
        if code.word(index) in names and not code.is_sign(index - 1, ".") and (before in _BEFORE_A_CALL or not before):
            calls.setdefault(code.word(index), set()).update(_numbers_of_arguments(code, index))
    return calls


def _groovy_of_the_user(file: model.Jenkinsfile) -> Iterator[str]:
    """Yield the steps, and the heads of blocks, that *file* copies."""
    for part in parts_of(file):
        match part:
            case model.GroovyStatement(plugin=""):
                yield part.text
            case model.Wrapped(is_copied=True):
                yield part.head


def _numbers_of_arguments(code: GroovyTokens, index: int) -> Iterator[int]:
    """Yield the number of arguments of the call at *index*; nothing if it is no call. Named ones are a single map."""
    following = code.tokens[index + 1]
    if code.is_sign(index + 1, "("):
        end = code.end_of(index + 1)
        parts = list(_parts(code, index + 2, end))
        after = end + 1
    elif code.is_sign(index + 1, "{"):
        parts, after = [], index + 1
    elif following.kind in (TokenKind.WORD, TokenKind.TEXT, TokenKind.EXPRESSION):
        # Only the first of several arguments without brackets counts: others are named.
        parts, after = [(index + 1, index + 3)], code.size
    else:
        return
    named = [part for part in parts if code.is_sign(part[0] + 1, ":")]
    yield len(parts) - len(named) + bool(named) + code.is_sign(after, "{")


def _parts(code: GroovyTokens, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each part between commas begins and ends, from *start* up to *end*; a type may have `<A, B>`."""
    first, depth, index = start, 0, start
    while index < end:
        depth += code.is_sign(index, "<") - code.is_sign(index, ">")
        if code.is_sign(index, ",") and depth <= 0:
            yield first, index
            first = index + 1
        index = code.skip(index)
    if first < end:
        yield first, end
