"""Reads statements and values from the tokens of a Jenkinsfile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from pipegen.importing.jenkins.reading.statement_ends import StatementEnds
from pipegen.importing.jenkins.reading.syntax import (
    GroovyArgument,
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    GroovyChoice,
    GroovyConditional,
    GroovyConstant,
    GroovyList,
    GroovyMap,
    GroovyPart,
    GroovyText,
    GroovyTrimmed,
    GroovyTry,
    OtherGroovy,
    Statement,
    Value,
)
from pipegen.readback.groovy import GroovyTokens, TokenKind, pieces
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import whole_number
from pipegen.structs import replace

# Statements of Groovy that are not calls.
_KEYWORDS = frozenset(
    {
        *("def", "if", "else", "for", "while", "do", "try", "catch", "finally", "switch", "return", "throw", "import"),
        *("final", "String", "Map", "List", "boolean", "int", "void", "class", "assert", "break", "continue"),
        *("private", "public", "protected", "static"),
    }
)
# Words that begin the definition of a name.
_DEFINING = frozenset({"def", "String", "final"})
# The branches of an `if`, each of which is in the `else` of the one before.
_MOST_BRANCHES = 50
# The tokens of `.trim()`.
_TRIM = 4
# The tokens of `catch (error)`, and the classes that have the failure of a step `sh`, one of them its own.
_UNTYPED_CATCH = 4
_OF_ANY_FAILURE = frozenset({"def", "Throwable", "Exception", "AbortException"})


class GroovyReader:
    """Reads statements and values from the tokens of a file; all positions are indexes of tokens."""

    def __init__(self, file: SourceFile, code: GroovyTokens) -> None:
        self._file = file
        self._code = code
        self._ends = StatementEnds(file.text, code)

    def span(self, start: int, end: int) -> Span:
        """Return the span from the token at *start* up to, but not including, that at *end*."""
        last = self._code.tokens[max(start, end - 1)]
        return Span(self._file, self._code.tokens[start].start, last.end)

    def block(self, brace: int) -> GroovyBlock:
        """Return the statements in the braces that open at *brace*."""
        end = self._code.end_of(brace)
        return GroovyBlock(tuple(self._statements(brace + 1, end)), brace, self.span(brace, end + 1))

    def file_statements(self) -> tuple[Statement, ...]:
        """Return the statements at the top level."""
        return tuple(self._statements(0, self._code.size))

    def call(self, index: int) -> GroovyCall | None:
        """Return the call that begins at *index*, None if there is none."""
        statement, _ = self._statement(index, self._code.size)
        return statement if isinstance(statement, GroovyCall) else None

    def _statements(self, start: int, end: int) -> Iterator[Statement]:
        index = start
        while index < end:
            if self._code.is_sign(index, ";"):
                index += 1
                continue
            statement, index = self._statement(index, end)
            yield statement

    def _statement(self, start: int, end: int) -> tuple[Statement, int]:
        code, stop = self._code, self._ends.of_statement(start, end)
        groovy = OtherGroovy(self.span(start, stop)), stop
        word = code.word(start)
        if word in _DEFINING and code.word(start + 1) and code.is_sign(start + 2, "="):
            return replace(groovy[0], definition=self._assignment(start + 1, stop)), stop
        if word == "env" and code.is_sign(start + 1, ".") and code.word(start + 2) and self._is_assigned(start + 2):
            return replace(groovy[0], variable=self._assignment(start + 2, stop)), stop
        if word in ("if", "try"):
            return replace(groovy[0], conditional=self._conditional(start, stop), tried=self._try(start, stop)), stop
        if not word or word in _KEYWORDS:
            return groovy
        if self._is_assigned(start):
            return self._assignment(start, stop), stop
        name_end = start + 1
        while name_end + 1 < stop and code.is_sign(name_end, ".") and code.word(name_end + 1):
            name_end += 2
        call = self._call(start, name_end, stop) or self._call_of_image(start, name_end, stop)
        return (call, stop) if call is not None else groovy

    def _is_assigned(self, index: int) -> bool:
        """Return whether the name at *index* is assigned a value."""
        return self._code.is_sign(index + 1, "=") and not self._code.is_sign(index + 2, "=")

    def _conditional(self, start: int, stop: int, branch: int = 1) -> GroovyConditional | None:
        """Return the `if` from *start* to *stop*; None for one in another form, or with too many branches."""
        code = self._code
        if not code.is_sign(start + 1, "(") or branch > _MOST_BRANCHES:
            return None
        body = code.skip(start + 1)
        end = self._ends.of_body(body, stop)
        if end > stop or code.is_sign(body, ";"):
            return None
        condition, block = self.span(start + 2, body - 1).text, self._body(body, end)
        other = self._ends.other_branch(end, stop)
        if other is None:
            return GroovyConditional(condition, block, None) if end == stop else None
        if code.is_word(other, "if"):
            inner, span = self._conditional(other, stop, branch + 1), self.span(other, stop)
            otherwise = GroovyBlock((OtherGroovy(span, conditional=inner),), other, span)
            return GroovyConditional(condition, block, otherwise) if inner is not None else None
        is_body = self._ends.of_body(other, stop) == stop
        return GroovyConditional(condition, block, self._body(other, stop)) if is_body else None

    def _body(self, start: int, end: int) -> GroovyBlock:
        """Return the block from *start* to *end*, or a single statement without braces."""
        if self._code.is_sign(start, "{"):
            return self.block(start)
        return GroovyBlock((self._statement(start, end)[0],), start, self.span(start, end))

    def _try(self, start: int, stop: int) -> GroovyTry | None:
        """Return the `try` from *start* to *stop*; None for one that does not keep a failure."""
        code = self._code
        end = code.skip(start + 1) if code.is_sign(start + 1, "{") else stop
        failing, error, ending = None, "", None
        if end < stop and code.is_word(end, "catch"):
            brace = code.skip(end + 1)
            error = code.word(brace - 2)
            failing = self._before_throw(brace, error) if self._catches_all(end, brace) else None
            end = code.skip(brace) if failing is not None else stop + 1
        if end < stop and code.is_word(end, "finally") and code.is_sign(end + 1, "{"):
            ending, end = self.block(end + 1), code.skip(end + 1)
        is_only = end == stop and (failing is not None or ending is not None)
        return GroovyTry(self.block(start + 1), failing, error, ending) if is_only else None

    def _catches_all(self, start: int, brace: int) -> bool:
        """Return whether the `catch` at *start*, whose block opens at *brace*, is for each failure of a script."""
        code = self._code
        if not code.is_sign(start + 1, "(") or not code.is_sign(brace, "{"):
            return False
        return brace == start + _UNTYPED_CATCH or code.word(brace - 3) in _OF_ANY_FAILURE

    def _before_throw(self, brace: int, error: str) -> GroovyBlock | None:
        """Return the block that opens at *brace* without its last statement, which throws *error*; None for others."""
        block = self.block(brace)
        last = block.statements[-1].span.text if block.statements else ""
        is_thrown = bool(error) and re.fullmatch(rf"throw\s+{error}", last) is not None
        return replace(block, statements=block.statements[:-1]) if is_thrown else None

    def _call_of_image(self, start: int, name_end: int, stop: int) -> GroovyCall | None:
        """Return `docker.image(name).inside(args) { … }`, or another method, as one call; None for other code."""
        code, name = self._code, "".join(token.text for token in self._code.tokens[start:name_end])
        after = code.skip(name_end) if name == "docker.image" and code.is_sign(name_end, "(") else stop
        if after + 2 >= stop or not code.is_sign(after, ".") or not code.word(after + 1):
            return None
        call = self._call(after + 1, after + 2, stop)
        images = [replace(argument, name="image") for argument in self._arguments(name_end + 1, after - 1)]
        if call is None or len(images) != 1:
            return None
        options = [replace(argument, name=argument.name or "args") for argument in call.arguments]
        return GroovyCall(
            name=f"{name}.{call.name}",
            arguments=(*images, *options),
            block=call.block,
            span=self.span(start, name_end),
            whole=self.span(start, stop),
        )

    def _assignment(self, start: int, stop: int) -> GroovyAssignment:
        return GroovyAssignment(
            name=self._code.word(start),
            value=self.value(start + 2, stop),
            span=self.span(start, start + 1),
            whole=self.span(start, stop),
        )

    def _call(self, start: int, name_end: int, stop: int) -> GroovyCall | None:
        """Return the call whose name is from *start* to *name_end*, and which ends at *stop*; None for other code."""
        code = self._code
        block: GroovyBlock | None = None
        if code.is_sign(name_end, "("):
            after = code.skip(name_end)
            arguments = tuple(self._arguments(name_end + 1, after - 1))
            if after < stop and code.is_sign(after, "{") and code.skip(after) == stop:
                block = self.block(after)
            elif after != stop:
                return None
        elif name_end < stop and code.is_sign(name_end, "{") and code.skip(name_end) == stop:
            arguments, block = (), self.block(name_end)
        elif name_end == stop:
            arguments = ()
        elif code.tokens[name_end].kind is TokenKind.SIGN and not code.is_sign(name_end, "["):
            return None
        else:
            arguments = tuple(self._arguments(name_end, stop))
        name = "".join(token.text for token in code.tokens[start:name_end])
        return GroovyCall(
            name=name,
            arguments=arguments,
            block=block,
            span=self.span(start, name_end),
            whole=self.span(start, stop),
        )

    def _arguments(self, start: int, end: int) -> Iterator[GroovyArgument]:
        for first, last in self._pieces(start, end, ","):
            code = self._code
            is_named = code.is_sign(first + 1, ":") and code.tokens[first].kind in (TokenKind.WORD, TokenKind.TEXT)
            name = code.tokens[first].text if is_named else ""
            value = self.value(first + 2 if is_named else first, last)
            yield GroovyArgument(name, value, self.span(first, first + 1 if is_named else last))

    def _pieces(self, start: int, end: int, sign: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each piece between *sign* outside brackets."""
        first = index = start
        while index < end:
            if self._code.is_sign(index, sign):
                yield first, index
                first = index + 1
            index = self._code.skip(index)
        if first < end:
            yield first, end

    def value(self, start: int, end: int) -> Value:
        """Return the value from *start* up to, but not including, *end*."""
        code = self._code
        if start >= end:
            return GroovyPart("")
        if code.is_open(start) and code.skip(start) == end:
            return self._bracketed(start, end)
        if end - start == 1:
            return self._single(start)
        if (choice := self._choice(start, end)) is not None:
            return choice
        sums = list(self._pieces(start, end, "+"))
        if len(sums) > 1 and all(first < last for first, last in sums):
            return self._sum(start, end, sums)
        return self._called(start, end) or self._product(start, end) or self._shortened(start, end)

    def _choice(self, start: int, end: int) -> GroovyChoice | None:
        """Return the choice between two values from *start* to *end*, None if there is none."""
        question, colon = self._signs_of_choice(start, end)
        if colon == end:
            return None
        is_short = colon == question + 1
        return GroovyChoice(
            text=self.span(start, end).text,
            condition=self.span(start, question).text,
            first=self.value(start, question) if is_short else self.value(question + 1, colon),
            other=self.value(colon + 1, end),
        )

    def _signs_of_choice(self, start: int, end: int) -> tuple[int, int]:
        """Return the positions of `?` and of its `:` between *start* and *end*, which stands for a missing sign."""
        code, question, depth, index = self._code, end, 0, start
        while index < end:
            if code.is_sign(index, "?") and not code.is_sign(index + 1, "."):
                depth += 1
                question = min(question, index)
            elif code.is_sign(index, ":") and depth:
                depth -= 1
                if depth == 0:
                    return question, index
            index = code.skip(index)
        return question, end

    def _called(self, start: int, end: int) -> GroovyCall | GroovyTrimmed | None:
        """Return a call with parentheses, also with `.trim()`; None for other values."""
        code = self._code
        if not code.word(start) or not code.is_sign(start + 1, "("):
            return None
        after = code.skip(start + 1)
        call = self._call(start, start + 1, after) if after <= end else None
        is_trimmed = code.is_sign(after, ".") and code.word(after + 1) == "trim" and end == after + _TRIM
        return call if after == end or call is None else GroovyTrimmed(call) if is_trimmed else None

    def _bracketed(self, start: int, end: int) -> Value:
        code = self._code
        if code.is_sign(start, "{"):
            return self.block(start)
        if code.is_sign(start, "("):
            return self.value(start + 1, end - 1)
        if end - start == 3 and code.is_sign(start + 1, ":"):  # noqa: PLR2004 - an empty map
            return GroovyMap(())
        arguments = tuple(self._arguments(start + 1, end - 1))
        if arguments and all(argument.name for argument in arguments):
            return GroovyMap(arguments)
        return GroovyList(tuple(argument.value for argument in arguments))

    def _single(self, index: int) -> Value:
        token = self._code.tokens[index]
        match token.kind:
            case TokenKind.TEXT:
                return GroovyText((token.text,))
            case TokenKind.EXPRESSION if self._file.text[token.start] == '"':
                literal = self._file.text[token.start : token.end]
                return GroovyText(
                    tuple(GroovyPart(text) if is_code else text for is_code, text in pieces(literal) if text)
                )
        if token.text in ("true", "false", "null"):
            return GroovyConstant({"true": True, "false": False}.get(token.text))
        if (number := whole_number(token.text)) is not None:
            return GroovyConstant(number)
        if re.fullmatch(r"\d+\.\d+", token.text):
            return GroovyConstant(float(token.text))
        return self._code_of(index, index + 1)

    def _product(self, start: int, end: int) -> GroovyConstant | None:
        """Return a product of whole numbers, such as `3 * 60`; None for other values."""
        factors = [whole_number(self._code.tokens[index].text) for index in range(start, end, 2)]
        signs = [self._code.is_sign(index, "*") for index in range(start + 1, end, 2)]
        numbers = [factor for factor in factors if factor is not None]
        is_product = len(numbers) == len(factors) == len(signs) + 1 and all(signs)
        return GroovyConstant(prod(numbers)) if is_product else None

    def _sum(self, start: int, end: int, sums: list[tuple[int, int]]) -> Value:
        """Return a sum of texts."""
        values = [self.value(first, last) for first, last in sums]
        if not any(isinstance(value, GroovyText) for value in values):
            return self._code_of(start, end)
        parts: list[str | GroovyPart] = []
        for value in values:
            match value:
                case GroovyText():
                    parts += value.parts
                case GroovyPart():
                    parts.append(value)
                case GroovyConstant():
                    parts.append(str(value.value))
                case _:
                    return self._code_of(start, end)
        return GroovyText(tuple(parts))

    def _shortened(self, start: int, end: int) -> Value:
        """Return a text with `.trim()` or `.stripIndent()`, which are known for a constant."""
        code = self._code
        is_method = end - start == 5 and code.is_sign(start + 1, ".") and code.is_sign(start + 3, "(")  # noqa: PLR2004
        text = self._single(start)
        constant = text.constant if isinstance(text, GroovyText) else None
        if is_method and constant is not None and code.word(start + 2) in ("trim", "stripIndent"):
            return GroovyText((constant.strip() if code.word(start + 2) == "trim" else _dedented(constant),))
        return self._code_of(start, end)

    def _code_of(self, start: int, end: int) -> GroovyPart:
        return GroovyPart(self.span(start, end).text)


def _dedented(text: str) -> str:
    """Return *text* as Groovy's `stripIndent` does."""
    lines = text.split("\n")
    width = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[width:] if line.strip() else line for line in lines)
