"""Groovy tokens of a Jenkinsfile: no comments, strings with their values, matching brackets."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from enum import Enum
from typing import NamedTuple

from pipegen.readback.errors import UnreadableError


class TokenKind(Enum):
    """The kind of a token; a string with `${}` is an expression, whose text is a run-time value."""

    WORD = "word"
    TEXT = "text"
    EXPRESSION = "expression"
    SIGN = "sign"
    END = "end"


class Token(NamedTuple):
    """A word or number, the text of a string, or any other character; *start* and *end* are offsets."""

    kind: TokenKind
    text: str
    start: int
    end: int


# Compiled where it is first used: few configs contain Groovy.
_LEXEME = r"""(?xs)
    (?P<space> (?: \s++ | //[^\n]*+ | /\*.*?\*/ )+ | \A\#![^\n]*+ )
    | (?P<text> \'{3} (?: [^\\']++ | \\. | '(?!'') )* \'{3}  | '(?!'') (?: [^\\'\n]++ | \\. )* ' )
    | (?P<slashed> \$/ .*? /\$ )
    | (?P<word> [A-Za-z_$][\w$]*+ | \d[\w.]*+ )
    | (?P<sign> . )
"""
_SLASHED = re.compile(r"/(?![*/])(?:[^/\\\n]|\\.)+/")
# An unclosed comment or string.
_OPENERS = ("/*", "$/")
# Ten thousand stages have fewer, since tables of stages are text.
_MOST_TOKENS = 500_000
# Deeper brackets, or expressions in strings, are not read.
_DEEPEST = 100
_QUOTES = ("'''", '"""', "'", '"')
_ESCAPE = re.compile(r"\\(?:u+([0-9a-fA-F]{4})|(.))", re.DOTALL)
# `$name.property` in a double-quoted string.
_NAME = re.compile(r"\$[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "\n": ""}
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())
# After these words a value is expected, so that a slash begins a string and is not a division.
_BEFORE_A_VALUE = frozenset({"return", "in", "case"})
# How far a reader may look past the last token.
_AHEAD = 4


class GroovyTokens:
    """The tokens of a Jenkinsfile; all indexes are indexes of tokens."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.size = len(self.tokens)
        self.tokens += [Token(TokenKind.END, "", len(text), len(text))] * _AHEAD
        self._partners = _pairs(self.tokens)
        self._openings = {end: start for start, end in self._partners.items()}

    def is_word(self, index: int, word: str) -> bool:
        """Return whether the token at *index* is *word*."""
        token = self.tokens[index]
        return token.kind is TokenKind.WORD and token.text == word

    def is_sign(self, index: int, sign: str) -> bool:
        """Return whether the token at *index* is *sign*."""
        token = self.tokens[index]
        return token.kind is TokenKind.SIGN and token.text == sign

    def word(self, index: int) -> str:
        """Return the word at *index*, "" if there is none."""
        token = self.tokens[index]
        return token.text if token.kind is TokenKind.WORD else ""

    def is_open(self, index: int) -> bool:
        """Return whether a bracket opens at *index*."""
        return index in self._partners

    def closes(self, index: int) -> bool:
        """Return whether a bracket closes at *index*."""
        return index in self._openings

    def end_of(self, index: int) -> int:
        """Return the index of the bracket that closes the one at *index*."""
        return self._partners[index]

    def start_of(self, index: int) -> int:
        """Return the index of the bracket that the one at *index* closes."""
        return self._openings[index]

    def skip(self, index: int) -> int:
        """Return the index after the token at *index*, or after the closing bracket if it is an opening one."""
        return self._partners.get(index, index) + 1

    def positions(self, words: Collection[str]) -> TokenPositions:
        """Return the positions of *words*."""
        return TokenPositions(
            [index for index, token in enumerate(self.tokens) if token.text in words and _is_word(token)]
        )

    def error(self, index: int, message: str) -> UnreadableError:
        """Return the error with *message* for the token at *index*."""
        return UnreadableError(message, self.tokens[index].start, self.tokens[index].end)


def indented(text: str, margin: str) -> str:
    """Return the Groovy *text* with its lines indented by *margin*, except those that begin inside a string."""
    try:
        inside = lines_in_strings(text)
    except UnreadableError:  # text that is reported elsewhere
        inside = frozenset()
    return "\n".join(
        f"{margin}{line}" if line and number not in inside else line for number, line in enumerate(text.split("\n"))
    )


def lines_in_strings(text: str) -> frozenset[int]:
    """Return the numbers, from 0, of the lines of the Groovy *text* that begin inside a string."""
    return frozenset(
        number
        for token in GroovyTokens(text).tokens
        if token.kind in (TokenKind.TEXT, TokenKind.EXPRESSION)
        for number in range(text.count("\n", 0, token.start) + 1, text.count("\n", 0, token.end) + 1)
    )


class TokenPositions:
    """Indexes of tokens in ascending order."""

    def __init__(self, positions: list[int]) -> None:
        self._positions = positions

    def first(self, start: int, end: int) -> int | None:
        """Return the first index from *start* up to, but not including, *end*."""
        index = bisect_left(self._positions, start)
        return self._positions[index] if index < len(self._positions) and self._positions[index] < end else None


def _is_word(token: Token) -> bool:
    return token.kind is TokenKind.WORD


def _pairs(tokens: list[Token]) -> dict[int, int]:
    """Return the index of the closing bracket of each opening one."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for index, (kind, text, start, end) in enumerate(tokens):
        if kind is not TokenKind.SIGN:
            continue
        if text in _OPENING:
            opened.append(index)
            if len(opened) > _DEEPEST:
                raise UnreadableError(f"more than {_DEEPEST} nested brackets", start, end)
        elif text in _CLOSING:
            if not opened or _OPENING[tokens[opened[-1]].text] != text:
                if opened:
                    last = tokens[opened[-1]]
                    raise UnreadableError(f'"{last.text}" is not closed before "{text}"', last.start, last.end)
                raise UnreadableError(f'"{text}" closes no bracket', start, end)
            pairs[opened.pop()] = index
    if opened:
        last = tokens[opened[-1]]
        raise UnreadableError(f'"{last.text}" is not closed', last.start, last.end)
    return pairs


def _tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of *text*."""
    position, token = 0, Token(TokenKind.END, "", 0, 0)
    number = unclosed = 0
    token_at = re.compile(_LEXEME).match
    while token_match := token_at(text, position):
        start, position = position, token_match.end()
        number += 1
        if number > _MOST_TOKENS:
            raise UnreadableError("this is too long for a Jenkinsfile", start, position)
        match token_match.lastgroup:
            case "space":
                continue
            case "word" if not text.startswith("$/", start):
                token = Token(TokenKind.WORD, token_match[0], start, position)
            case "text":
                token = Token(TokenKind.TEXT, _string_value(token_match[0]), start, position)
            case "slashed":
                token = Token(TokenKind.EXPRESSION, token_match[0], start, position)
            case "sign" if text[start] == "/" and text[position : position + 1] != "*" and not _is_operand(token):
                slashed = _SLASHED.match(text, start) if start >= unclosed else None
                if slashed is None:
                    # The string is never closed, nor is one that begins later in the line.
                    unclosed = text.find("\n", start) % (len(text) + 1)
                    token = Token(TokenKind.SIGN, "/", start, position)
                else:
                    position = slashed.end()
                    token = Token(TokenKind.EXPRESSION, slashed[0], start, position)
            case _:
                token = _sign_or_string(text, start)
                position = token.end
        yield token


def _is_operand(token: Token) -> bool:
    """Return whether *token* ends a value, so that a slash after it is a division."""
    if token.kind is TokenKind.WORD:
        return token.text not in _BEFORE_A_VALUE
    return token.kind in {TokenKind.TEXT, TokenKind.EXPRESSION} or token.text in {")", "]", "}"}


def _sign_or_string(text: str, start: int) -> Token:
    """Return the token at *start*: a string that may contain expressions, or a sign."""
    if text.startswith(_OPENERS, start):
        raise UnreadableError("this is not closed", start, start + 2)
    if text[start] == "'":
        raise UnreadableError("a string is not closed", start, start + 1)
    if text[start] == '"':
        quotes = '"""' if text.startswith('"""', start) else '"'
        end = _end_of_string(text, start + len(quotes), quotes) + len(quotes)
        body = text[start:end]
        is_text = not re.search(r"(?<!\\)(?:\\\\)*\$", body)
        return Token(TokenKind.TEXT if is_text else TokenKind.EXPRESSION, _string_value(body), start, end)
    return Token(TokenKind.SIGN, text[start], start, start + 1)


def _string_value(literal: str) -> str:
    """Return the value of the quoted *literal*."""
    quotes = 3 if literal.startswith(("'''", '"""')) else 1
    body = literal[quotes:-quotes]
    return _with_whole_characters(_ESCAPE.sub(_unescaped, body)) if "\\" in body else body


def pieces(literal: str) -> Iterator[tuple[bool, str]]:
    """Yield the parts of the double-quoted *literal*: whether each is an expression, and its text or value."""
    quotes = 3 if literal.startswith('"""') else 1
    position, end = quotes, len(literal) - quotes
    text = ""
    while position < end:
        if literal[position] == "\\":
            match = _ESCAPE.match(literal, position)
            stop = match.end() if match else position + 1
            text += _unescaped(match) if match else literal[position]
            position = stop
        elif literal.startswith("${", position) or _NAME.match(literal, position):
            yield False, _with_whole_characters(text)
            text = ""
            name = _NAME.match(literal, position)
            stop = name.end() if name else _end_of_expression(literal, position + 2)
            yield True, literal[position + 1 : stop] if name else literal[position + 2 : stop - 1].strip()
            position = stop
        else:
            text += literal[position]
            position += 1
    yield False, _with_whole_characters(text)


def _end_of_string(text: str, start: int, quotes: str, depth: int = 0) -> int:
    """Return the offset of the closing *quotes*; a `${}` in a double-quoted string may contain quotes itself."""
    position = start
    if depth > _DEEPEST:
        raise UnreadableError(f"more than {_DEEPEST} nested strings", start - len(quotes), start)
    while not text.startswith(quotes, position):
        if position >= len(text):
            raise UnreadableError("a string is not closed", start - len(quotes), start)
        if text[position] == "\\":
            position += 2
        elif quotes[0] == '"' and text.startswith("${", position):
            position = _end_of_expression(text, position + 2, depth + 1)
        else:
            position += 1
    return position


def _end_of_expression(text: str, start: int, depth: int = 0) -> int:
    """Return the offset after the brace that closes an expression in a string, at a *depth* of such strings."""
    position, braces = start, 1
    while braces:
        if position >= len(text):
            raise UnreadableError("an expression in a string is not closed", start - 2, start)
        quotes = next((mark for mark in _QUOTES if text.startswith(mark, position)), None)
        if quotes:
            position = _end_of_string(text, position + len(quotes), quotes, depth) + len(quotes)
        else:
            braces += {"{": 1, "}": -1}.get(text[position], 0)
            position += 1
    return position


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _ESCAPED.get(escape[2], escape[2])


def _with_whole_characters(text: str) -> str:
    """Return *text* with each pair of surrogates, as Groovy escapes a character beyond U+FFFF, as one character.

    Half of a pair becomes U+FFFD.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
