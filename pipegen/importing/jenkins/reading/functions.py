"""Functions of a Jenkinsfile without parameters that only run steps: a call of one stands for these steps."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pipegen.emit.header import read_header
from pipegen.importing.jenkins.reading.statements import GroovyReader
from pipegen.importing.jenkins.reading.syntax import (
    GroovyArgument,
    GroovyBlock,
    GroovyCall,
    GroovyText,
    Statement,
    tried_by,
)
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace

_DEFINING = frozenset({"def", "void"})
# The brace of a function is this many tokens after its start: `void name() {`.
_BRACE = 4
# Functions of generated files that implement features of a config.
_LIMIT = "within"
_OF_PIPEGEN = frozenset({"checkoutCommit", "cleanCheckout", "noFork", _LIMIT})
# Those with a variable of the file, for mails after failures; and that variable.
_OF_SUCCESSES = frozenset({"succeeded", "unlessSucceeded"})
_SUCCESSES = re.compile(r"@Field\s+List\s+successes\s*=\s*\[\]")
# Calls of functions with more statements in all stay calls.
_MOST_ADDED = 10_000


class FileReader(GroovyReader):
    """Reads a file in whose blocks the statements of *functions* stand for calls of these without arguments."""

    def __init__(
        self, file: SourceFile, code: GroovyTokens, functions: Mapping[str, GroovyBlock], added: int = 0
    ) -> None:
        super().__init__(file, code)
        self._functions = functions
        # The number of statements of functions in place of calls.
        self._added = added

    def block(self, brace: int) -> GroovyBlock:
        """Return the statements in the braces that open at *brace*."""
        block = super().block(brace)
        return replace(
            block, statements=tuple(statement for each in block.statements for statement in self._run_by(each))
        )

    def _run_by(self, statement: Statement) -> tuple[Statement, ...]:
        """Return *statement*, or the statements of the function that it calls, with locations of this use."""
        if not isinstance(statement, GroovyCall):
            return (statement,)
        if statement.block is not None:
            is_limit = statement.name == _LIMIT and _LIMIT in self._functions
            return (_as_timeout(statement) if is_limit else statement,)
        function = self._functions.get(statement.name)
        if function is not None and statement.whole != statement.span and not function.statements:
            return ()
        if function is None or statement.whole == statement.span or statement.arguments or self._added > _MOST_ADDED:
            return (statement,)
        file = self._file.for_use(self._file.use * len(self._file.text) + statement.span.start + 1)
        others = {name: block for name, block in self._functions.items() if name != statement.name}
        reader = FileReader(file, self._code, others, self._added + len(function.statements))
        block = reader.block(function.index)
        self._added = reader._added
        if all(isinstance(each, GroovyCall) for each in block.statements):
            return block.statements
        # Steps of a stage are calls only, except in a `script`.
        return (replace(statement, name="script", block=block),)


def _as_timeout(call: GroovyCall) -> GroovyCall:
    """Return the step for *call* of the function of pipegen that limits the time, in seconds."""
    times = [replace(argument, name="time") for argument in call.arguments]
    unit = GroovyArgument("unit", GroovyText(("SECONDS",)), call.span)
    return replace(call, name="timeout", arguments=(*times, unit))


def step_functions(file: SourceFile, code: GroovyTokens, own: Collection[str]) -> dict[str, GroovyBlock]:
    """Return the steps of the functions around the pipeline of *file*, by name; none if two have the same name.

    Those of pipegen, *own*, have no steps.
    """
    ours = {name: GroovyBlock((), 0, Span(file, 0, 0)) for name in own}
    reader = FileReader(file, code, ours)
    functions: dict[str, GroovyBlock] = {}
    names = {*ours}
    index = 0
    while index < code.size:
        name, brace = code.word(index + 1), index + _BRACE
        if code.word(index) in _DEFINING and name and code.is_sign(index + 3, ")") and code.is_sign(brace, "{"):
            block = reader.block(brace)
            if name in names:
                functions.pop(name, None)
            elif block.statements and all(isinstance(each, GroovyCall) or tried_by(each) for each in block.statements):
                functions[name] = block
            names.add(name)
        index = code.skip(index)
    return functions | ours


def calls_function(call: GroovyCall, functions: Mapping[str, str]) -> bool:
    """Return whether *call* runs one of the *functions* of the file, by their texts, and not the step of that name."""
    text = functions.get(call.name)
    match = re.search(rf"\b{call.name}\s*\(([^()]*)\)", text) if text is not None else None
    if match is None:
        return text is not None
    parameters = [part for part in re.sub(r"<[^<>]*>", "", match[1]).split(",") if part.strip()]
    required = sum("=" not in part for part in parameters)
    named = [argument for argument in call.arguments if argument.name]
    number = len(call.arguments) - len(named) + bool(named) + (call.block is not None)
    return required <= number <= len(parameters)


def functions_of_pipegen(file: SourceFile) -> frozenset[str]:
    """Return the names of functions of *file* that pipegen generates; none if it has not generated the file."""
    if not is_generated(file):
        return frozenset()
    return _OF_PIPEGEN | _OF_SUCCESSES if _SUCCESSES.search(file.text) else _OF_PIPEGEN


def is_of_pipegen(statement: Statement, own: Collection[str]) -> bool:
    """Return whether *statement* around the pipeline defines a variable of the functions *own* of pipegen."""
    return bool(own) and _SUCCESSES.fullmatch(statement.span.text.strip()) is not None


def is_generated(file: SourceFile) -> bool:
    """Return whether pipegen has generated *file*."""
    return read_header(file.text) is not None
