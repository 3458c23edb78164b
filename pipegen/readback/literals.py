"""Constant values in Groovy: texts, lists of texts, and results of functions that return them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.source.tree import whole_number
from pipegen.structs import Struct

# Words that can precede a name and parentheses but are not the type of a function.
_NO_TYPES = frozenset({"new", "else", "return", "throw", "in", "case", "assert", "import", "package"})
# One for the table itself, and a few that select it.
_MOST_CALLS = 10
# A variable in a text.
_VARIABLE = r"\$\{(\w+)\}"
# The start of `(char) 65535`.
_CHARACTER = ("(", "char", ")")


class Function(Struct):
    """A function of a file: the indexes of its start and of the brackets of its parameters and body."""

    name: str
    start: int
    parameters: int
    body: int


def functions(code: GroovyTokens) -> tuple[Function, ...]:
    """Return the functions that *code* defines, in order."""
    definitions = []
    index = 0
    while index < code.size:
        if _is_definition(code, index):
            body = code.end_of(index + 2) + 1
            definitions.append(Function(code.word(index + 1), index, index + 2, body))
            index = code.skip(body)
        else:
            index = code.skip(index)
    return tuple(definitions)


def _is_definition(code: GroovyTokens, index: int) -> bool:
    if not code.word(index) or code.word(index) in _NO_TYPES or not code.word(index + 1):
        return False
    return code.is_sign(index + 2, "(") and code.is_sign(code.end_of(index + 2) + 1, "{")


class GroovyValues:
    """The values of the expressions of a file; *constants* are those of variables in texts, by name."""

    def __init__(self, code: GroovyTokens, functions_by_name: Mapping[str, Function]) -> None:
        self.constants: dict[str, str] = {}
        self._code = code
        self._functions = functions_by_name

    def text(self, index: int) -> tuple[str, int]:
        """Return the text at *index*, perhaps a sum of literals and characters, and the index after it."""
        pieces = []
        while True:
            piece, index = self._text_piece(index)
            pieces.append(piece)
            if not self._code.is_sign(index, "+"):
                return "".join(pieces), index
            index += 1

    def texts(self, index: int) -> tuple[tuple[str, ...], int]:
        """Return the list of texts at *index*, perhaps a sum of lists and function calls, and the index after it."""
        items: list[str] = []
        while True:
            if self._code.is_sign(index, "["):
                items += self._items(index)
                index = self._code.skip(index)
            else:
                items += self.texts(self._returned_index(index))[0]
                index = self._code.skip(index + 1)
            if not self._code.is_sign(index, "+"):
                return tuple(items), index
            index += 1

    def chosen_text(self, name: str, number: int, index: int) -> str:
        """Return the text that the function *name*, called at *index*, returns for *number*.

        Such a function compares the number and returns a text or the result of another such function.
        """
        for _ in range(_MOST_CALLS):
            if name not in self._functions:
                raise self._code.error(index, f'the function "{name}" does not exist')
            value = self._chosen_index(self._functions[name], number)
            if not self._code.word(value) or not self._code.is_sign(value + 1, "("):
                return self.text(value)[0]
            name, index = self._code.word(value), value
        raise self._code.error(index, f'the function "{name}" calls functions in a cycle')

    def _chosen_index(self, function: Function, number: int) -> int:
        """Return the index of the value that *function* returns for *number*."""
        code = self._code
        index = function.body + 1
        while code.is_word(index, "if"):
            condition = code.tokens[index + 2 : code.end_of(index + 1)]
            comparison = "".join(token.text for token in condition[:-1])
            limit = self.number(code.end_of(index + 1) - 1)
            if comparison not in {"number<", "number=="}:
                raise code.error(index + 2, "a comparison with the number is expected")
            index = code.skip(index + 1)
            if number < limit if comparison == "number<" else number == limit:
                index += 1
                break
            index = code.skip(index)
        if not code.is_word(index, "return"):
            raise code.error(index, f'"{function.name}" returns nothing for {number}')
        return index + 1

    def number(self, index: int) -> int:
        """Return the number at *index*."""
        if (number := whole_number(self._code.word(index))) is None:
            raise self._code.error(index, "a number is expected")
        return number

    def _text_piece(self, index: int) -> tuple[str, int]:
        token = self._code.tokens[index]
        if token.kind is TokenKind.TEXT:
            return token.text, index + 1
        if token.kind is TokenKind.EXPRESSION and self.constants:
            text = re.sub(_VARIABLE, lambda match: self.constants.get(match[1], match[0]), token.text)
            if text != token.text and "$" not in text:
                return text, index + 1
        if tuple(token.text for token in self._code.tokens[index : index + 3]) == _CHARACTER:
            return chr(self.number(index + 3)), index + 4
        raise self._code.error(index, "a text is expected")

    def _items(self, index: int) -> list[str]:
        end, items = self._code.end_of(index), []
        index += 1
        while index < end:
            text, index = self.text(index)
            items.append(text)
            if index < end and not self._code.is_sign(index, ","):
                raise self._code.error(index, "a comma is expected")
            index += 1
        return items

    def _returned_index(self, index: int) -> int:
        """Return the index of the value that the function called at *index* returns."""
        name = self._code.word(index)
        if name not in self._functions or not self._code.is_sign(index + 1, "("):
            raise self._code.error(index, "a list of names is expected")
        return self._value_index(self._functions[name])

    def _value_index(self, function: Function) -> int:
        """Return the index of the value of *function*, whose body only returns it."""
        index = function.body + 1
        return index + 1 if self._code.is_word(index, "return") else index
