"""Groovy as tokens."""

from __future__ import annotations

import pytest

from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens, TokenKind


def told(text: str) -> list[tuple[TokenKind, str]]:
    """Return the tokens of *text*."""
    code = GroovyTokens(text)
    return [(token.kind, token.text) for token in code.tokens[: code.size]]


def test_words_texts_and_signs() -> None:
    """Strings stand for what they mean."""
    assert told('a.b1 \'\\n\\\\\' """x"y""" \'\'') == [
        (TokenKind.WORD, "a"),
        (TokenKind.SIGN, "."),
        (TokenKind.WORD, "b1"),
        (TokenKind.TEXT, "\n\\"),
        (TokenKind.TEXT, 'x"y'),
        (TokenKind.TEXT, ""),
    ]


def test_expressions_in_strings_are_no_texts() -> None:
    """What they come to is not known, and what quotes and braces they hold ends nothing."""
    assert told('"${a ? "}" : \'}\'} b" "\\${a}"') == [
        (TokenKind.EXPRESSION, "${a ? \"}\" : '}'} b"),
        (TokenKind.TEXT, "${a}"),
    ]


def test_slashes_begin_strings_where_a_value_is_expected() -> None:
    """Elsewhere they divide."""
    assert [kind for kind, _ in told("x =~ /it's (/")][-1] is TokenKind.EXPRESSION
    assert [text for _, text in told("a / b / c")] == ["a", "/", "b", "/", "c"]
    assert told("$/it's (/$") == [(TokenKind.EXPRESSION, "$/it's (/$")]


def test_comments_are_dropped() -> None:
    """The line for the shell that a file may begin with too."""
    assert told("#!groovy\na // 'b\n/* c ' */ d") == [(TokenKind.WORD, "a"), (TokenKind.WORD, "d")]


@pytest.mark.parametrize("text", ["(", ")", "(]", "'a", "'''a''", '"a', '"${', "'a\n'"])
def test_what_is_not_closed_is_refused(text: str) -> None:
    """Brackets and quotes come in pairs."""
    with pytest.raises(UnreadableError):
        GroovyTokens(text)
