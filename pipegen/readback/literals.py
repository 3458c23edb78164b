"""Values in Groovy that are known before it runs: texts, lists of texts, and what functions return of these."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.structs import Struct

# What stands in front of a function: its type, as pipegen writes them, or no type.
_NO_TYPES = frozenset({"new", "else", "return", "throw", "in", "case", "assert", "import", "package"})
# One for the table itself, and a few that choose it.
_MOST_CALLS = 10
# A number stands there in `(char) 65535`.
_CHARACTER = ("(", "char", ")")


class Function(Struct):
    """A function of a file: where it begins, and the brackets of its parameters and of its body."""

    name: str
    start: int
    parameters: int
    body: int


def functions(code: GroovyTokens) -> tuple[Function, ...]:
    """Return the functions that *code* defines, in order."""
    found = []
    place = 0
    while place < code.size:
        if _is_definition(code, place):
            body = code.end_of(place + 2) + 1
            found.append(Function(code.word(place + 1), place, place + 2, body))
            place = code.behind(body)
        else:
            place = code.behind(place)
    return tuple(found)


def _is_definition(code: GroovyTokens, place: int) -> bool:
    if not code.word(place) or code.word(place) in _NO_TYPES or not code.word(place + 1):
        return False
    return code.is_sign(place + 2, "(") and code.is_sign(code.end_of(place + 2) + 1, "{")


class GroovyValues:
    """What the expressions of a file come to."""

    def __init__(self, code: GroovyTokens, known: Mapping[str, Function]) -> None:
        self._code = code
        self._known = known

    def text(self, place: int) -> tuple[str, int]:
        """Return the text at *place*, perhaps a sum of literals and characters, and the place behind it."""
        pieces = []
        while True:
            piece, place = self._piece(place)
            pieces.append(piece)
            if not self._code.is_sign(place, "+"):
                return "".join(pieces), place
            place += 1

    def texts(self, place: int) -> tuple[tuple[str, ...], int]:
        """Return the list of texts at *place*, perhaps a sum of lists and of functions' lists, and the place behind."""
        found: list[str] = []
        while True:
            if self._code.is_sign(place, "["):
                found += self._items(place)
                place = self._code.behind(place)
            else:
                found += self.texts(self._returned(place))[0]
                place = self._code.behind(place + 1)
            if not self._code.is_sign(place, "+"):
                return tuple(found), place
            place += 1

    def chosen_text(self, name: str, number: int, place: int) -> str:
        """Return the text that the function *name* returns for *number*, asked for at *place*.

        It asks what the number is or below which it is, and returns what another function does, until one is a text.
        """
        for _ in range(_MOST_CALLS):
            if name not in self._known:
                raise self._code.error(place, f'the function "{name}" is not there')
            value = self._choice(self._known[name], number)
            if not self._code.word(value) or not self._code.is_sign(value + 1, "("):
                return self.text(value)[0]
            name, place = self._code.word(value), value
        raise self._code.error(place, f'the function "{name}" calls others without end')

    def _choice(self, function: Function, number: int) -> int:
        """Return where the value stands that *function* returns for *number*."""
        code = self._code
        place = function.body + 1
        while code.is_word(place, "if"):
            condition = code.tokens[place + 2 : code.end_of(place + 1)]
            asked = "".join(token.text for token in condition[:-1])
            limit = self.number(code.end_of(place + 1) - 1)
            if asked not in {"number<", "number=="}:
                raise code.error(place + 2, "a question for the number is expected")
            place = code.behind(place + 1)
            if number < limit if asked == "number<" else number == limit:
                place += 1
                break
            place = code.behind(place)
        if not code.is_word(place, "return"):
            raise code.error(place, f'"{function.name}" returns nothing for {number}')
        return place + 1

    def number(self, place: int) -> int:
        """Return the number at *place*."""
        if not self._code.word(place).isdecimal():
            raise self._code.error(place, "a number is expected")
        return int(self._code.word(place))

    def _piece(self, place: int) -> tuple[str, int]:
        token = self._code.tokens[place]
        if token.kind is TokenKind.TEXT:
            return token.text, place + 1
        if tuple(one.text for one in self._code.tokens[place : place + 3]) == _CHARACTER:
            return chr(self.number(place + 3)), place + 4
        raise self._code.error(place, "a text is expected")

    def _items(self, place: int) -> list[str]:
        end, found = self._code.end_of(place), []
        place += 1
        while place < end:
            text, place = self.text(place)
            found.append(text)
            if place < end and not self._code.is_sign(place, ","):
                raise self._code.error(place, "a comma is expected")
            place += 1
        return found

    def _returned(self, place: int) -> int:
        """Return where the value stands that the function called at *place* returns."""
        name = self._code.word(place)
        if name not in self._known or not self._code.is_sign(place + 1, "("):
            raise self._code.error(place, "a list of names is expected")
        return self._value_of(self._known[name])

    def _value_of(self, function: Function) -> int:
        """Return where the value stands that *function* does nothing but return."""
        place = function.body + 1
        return place + 1 if self._code.is_word(place, "return") else place
