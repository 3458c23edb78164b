"""Types of scalars, by their text and their style."""

from __future__ import annotations

import pytest
from config.sample_configs import misread, summary, tree_of

from pipegen.source.tree import Mapping, Scalar, ScalarKind

TEXT, BOOLEAN, INTEGER, NUMBER, NULL = (
    ScalarKind.TEXT,
    ScalarKind.BOOLEAN,
    ScalarKind.INTEGER,
    ScalarKind.NUMBER,
    ScalarKind.NULL,
)


def scalar_of(text: str) -> Scalar:
    """Return the scalar *text*, written as the value of a key."""
    tree = tree_of(f"a: {text}\nb: 1\n")
    assert isinstance(tree, Mapping)
    node = tree.get("a")
    assert isinstance(node, Scalar)
    return node


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        *((word, BOOLEAN, True) for word in ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON")),
        *((word, BOOLEAN, False) for word in ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF")),
        *((word, TEXT, word) for word in ("y", "n", "Y", "N", "tRUE", "yEs", "truely", "on-call")),
        *((word, NULL, None) for word in ("~", "null", "Null", "NULL", "")),
        ("nULL", TEXT, "nULL"),
        ("0", INTEGER, 0),
        ("-7", INTEGER, -7),
        ("1_000", INTEGER, 1000),
        ("0x1f", INTEGER, 31),
        ("0o17", INTEGER, 15),
        ("0b11", INTEGER, 3),
        *((word, TEXT, word) for word in ("0x", "0x_", "0b_", "0o_", "0b2", "0o8", "0xg", "_1", "1a", "--1", "+")),
        ("1.10", NUMBER, 1.1),
        ("1.", NUMBER, 1.0),
        (".5", NUMBER, 0.5),
        ("1e3", NUMBER, 1000.0),
        ("-1.5E-2", NUMBER, -0.015),
        (".inf", NUMBER, float("inf")),
        ("-.Inf", NUMBER, float("-inf")),
        *((word, TEXT, word) for word in ("1.2.3", "v1.2", "1.2-rc1", ".", "e3", "inf", "nan", "1e", "0x1.8")),
        *((word, TEXT, word) for word in ("12:30:45", "12:30", "2024-01-31", "=", "1,000")),
    ],
)
def test_types_of_plain_scalars(text: str, kind: ScalarKind, value: object) -> None:
    """They follow YAML 1.1 and 1.2 together; times and dates are text."""
    node = scalar_of(text)

    assert (node.text, node.kind, node.value) == (text, kind, value)


@pytest.mark.parametrize("word", ["true", "no", "~", "12", "1.10", "0x1f", ".inf", ""])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_quoted_scalars_are_text(word: str, quote: str) -> None:
    """Quotes distinguish text from other types."""
    node = scalar_of(f"{quote}{word}{quote}")

    assert (node.text, node.kind, node.value) == (word, TEXT, word)


@pytest.mark.parametrize("style", ["|-", ">-"])
def test_block_scalars_are_text(style: str) -> None:
    """They are like quoted scalars."""
    assert scalar_of(f"{style}\n  12\n").kind is TEXT


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("!!str 12", TEXT),
        ("!!str true", TEXT),
        ("!!int '12'", INTEGER),
        ("!!int twelve", TEXT),
        ("!!bool 'yes'", BOOLEAN),
        ("!!float 1e3", NUMBER),
        ("!!null ''", NULL),
    ],
)
def test_a_tag_sets_the_type_of_a_scalar(text: str, kind: ScalarKind) -> None:
    """It is ignored if the text is not valid for that type."""
    assert scalar_of(text).kind is kind


def test_a_very_long_number_is_text() -> None:
    """Python does not convert thousands of digits, and no setting needs them."""
    for node in (scalar_of("1" * 5000), scalar_of("!!int " + "1" * 5000), scalar_of(f"!!int '{'1' * 5000}'")):
        assert (node.kind, len(node.text)) == (TEXT, 5000)


@pytest.mark.parametrize("text", ["1.10", "0o17", "007", "1_000", "yes", "1e3", "-0"])
def test_the_text_of_a_number_is_preserved(text: str) -> None:
    """A version such as 1.10 keeps its zero where text is expected."""
    assert scalar_of(text).text == text


@pytest.mark.parametrize(
    ("text", "value"),
    [('"\\ud83d\\ude00"', "😀"), ('"a\\ud83d\\ude00\\ud83d\\ude00b"', "a😀😀b"), ('"\\U0001F600"', "😀")],
)
def test_a_surrogate_pair_is_one_character(text: str, value: str) -> None:
    """JSON writes characters beyond the basic plane like this."""
    assert scalar_of(text).text == value


@pytest.mark.parametrize("text", ['"\\ud83d"', '"\\ude00\\ud83d"', '"a\\ud83db"'])
def test_a_lone_surrogate_is_reported(text: str) -> None:
    """It cannot be encoded."""
    (diagnostic,) = misread(f"a: {text}\n")

    assert summary(diagnostic) == ("PG109", "1:4", text)
