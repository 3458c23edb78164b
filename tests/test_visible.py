"""What a person sees of text that may hold anything."""

from __future__ import annotations

import sys
import unicodedata

from pipegen.visible import visible, visible_lines

STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINERS = {"\u200c", "\u200d"}


def test_no_character_steers() -> None:
    """Of all that there are; lines keep their breaks and tabs."""
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if unicodedata.category(char) in STEERING and char not in JOINERS:
            assert visible(char).isascii()
            assert visible(char).isprintable()
            assert visible_lines(char) == (char if char in "\n\t" else visible(char))


def test_words_stay() -> None:
    """In any script; what is escaped is not escaped again."""
    for text in ("plain", "naïve", "日本語", "می\u200cخواهم", "👩\u200d💻", "a\\b", visible("\x1b")):
        assert visible(text) == visible_lines(text) == text


def test_lines_stay_lines() -> None:
    """A carriage return would let one be written over."""
    assert visible_lines("a\tb\r\nc\n") == "a\tb\\r\nc\n"
    assert visible("a\nb") == "a\\nb"
