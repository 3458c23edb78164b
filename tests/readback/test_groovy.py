"""The Groovy tokenizer."""

from __future__ import annotations

import pytest

from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens, TokenKind, pieces


def tokens_of(text: str) -> list[tuple[TokenKind, str]]:
    """Return the tokens of *text*."""
    code = GroovyTokens(text)
    return [(token.kind, token.text) for token in code.tokens[: code.size]]


def test_words_strings_and_operators_are_tokens() -> None:
    """A string token holds the unescaped value."""
    assert tokens_of('a.b1 \'\\n\\\\\' """x"y""" \'\'') == [
        (TokenKind.WORD, "a"),
        (TokenKind.SIGN, "."),
        (TokenKind.WORD, "b1"),
        (TokenKind.TEXT, "\n\\"),
        (TokenKind.TEXT, 'x"y'),
        (TokenKind.TEXT, ""),
    ]


def test_interpolated_strings_are_expressions() -> None:
    """Their value is unknown, and quotes or braces inside `${}` end nothing."""
    assert tokens_of('"${a ? "}" : \'}\'} b" "\\${a}"') == [
        (TokenKind.EXPRESSION, "${a ? \"}\" : '}'} b"),
        (TokenKind.TEXT, "${a}"),
    ]


def test_slashes_begin_strings_where_a_value_is_expected() -> None:
    """Elsewhere a slash is the division operator."""
    assert [kind for kind, _ in tokens_of("x =~ /it's (/")][-1] is TokenKind.EXPRESSION
    assert [text for _, text in tokens_of("a / b / c")] == ["a", "/", "b", "/", "c"]
    assert tokens_of("$/it's (/$") == [(TokenKind.EXPRESSION, "$/it's (/$")]


def test_comments_are_dropped() -> None:
    """So is a shebang line."""
    assert tokens_of("#!groovy\na // 'b\n/* c ' */ d") == [(TokenKind.WORD, "a"), (TokenKind.WORD, "d")]


@pytest.mark.parametrize("text", ["(", ")", "(]", "'a", "'''a''", '"a', '"${', "'a\n'"])
def test_unbalanced_brackets_and_quotes_are_rejected(text: str) -> None:
    """Mismatched brackets are rejected too."""
    with pytest.raises(UnreadableError):
        GroovyTokens(text)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'\\uD83D\\uDCE6 built'", "\U0001f4e6 built"),
        ('"\\uuD83D\\uDCE6"', "\U0001f4e6"),
        ("'''\\u2705 \\uD83D'''", "\u2705 \ufffd"),
    ],
)
def test_two_escapes_can_be_one_character(literal: str, value: str) -> None:
    """Groovy escapes a character beyond U+FFFF as two; half of one cannot be written."""
    assert GroovyTokens(literal).tokens[0].text == value


def test_escapes_next_to_an_expression_are_whole_characters() -> None:
    """An expression is no part of a character."""
    assert [*pieces('"\\uD83D\\uDCE6${x}\\uD83D"')] == [(False, "\U0001f4e6"), (True, "x"), (False, "\ufffd")]
