"""Text with unprintable characters, made visible."""

from __future__ import annotations

import sys
import unicodedata

from pipegen.visible import visible, visible_lines

STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINERS = {"\u200c", "\u200d"}


def test_control_characters_are_escaped() -> None:
    """For all of Unicode; lines keep their line feeds and tabs."""
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if unicodedata.category(char) in STEERING and char not in JOINERS:
            assert visible(char).isascii()
            assert visible(char).isprintable()
            assert visible_lines(char) == (char if char in "\n\t" else visible(char))


def test_printable_text_is_unchanged() -> None:
    """In any script; escaped text is not escaped again."""
    for text in ("plain", "naïve", "日本語", "می\u200cخواهم", "👩\u200d💻", "a\\b", visible("\x1b")):
        assert visible(text) == visible_lines(text) == text


def test_carriage_returns_are_escaped() -> None:
    """They would let a line be overwritten."""
    assert visible_lines("a\tb\r\nc\n") == "a\tb\\r\nc\n"
    assert visible("a\nb") == "a\\nb"
