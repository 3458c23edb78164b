"""Dotenv files."""

from __future__ import annotations

import pytest

from pipegen.run.files.dotenv import DotenvError, read_dotenv


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A=b", "b"),
        ("export A = b c  # said", "b c"),
        ("A=b#c", "b#c"),
        ("A=", ""),
        ("A='b\n $c # d'", "b\n $c # d"),
        (r'A="b\n\"c\" \\ \$d" # said', 'b\n"c" \\ $d'),
        ('A="b\nc"', "b\nc"),
        ("\n# no\n\r\nA=b\r\n", "b"),
        ("A=x\nA=b", "b"),
        ("A=it's", "it's"),
        ("\ufeffA=b\n", "b"),
    ],
)
def test_values_are_parsed(text: str, value: str) -> None:
    """Quoted or unquoted; nothing is expanded."""
    assert read_dotenv(text) == {"A": value}


@pytest.mark.parametrize("text", ["A=b\nsecret", "A=b\n1B=c", 'A=b\nB="c', "A=b\nB='c' d"])
def test_an_invalid_line_is_reported_without_its_text(text: str) -> None:
    """The message has only the line number, because the line may contain a secret."""
    with pytest.raises(DotenvError, match=r"^line 2 is not NAME=VALUE$"):
        read_dotenv(text)


def test_a_nul_is_reported() -> None:
    """No variable can contain it."""
    with pytest.raises(DotenvError, match=r"^line 2 contains a NUL character$"):
        read_dotenv("A=b\nB=c\0d\n")
