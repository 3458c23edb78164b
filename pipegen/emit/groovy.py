"""Groovy string literals that mean exactly the text they were made from.

Nothing is interpolated in single quotes, so `$` stands for itself. Groovy reads unicode escapes before it splits the
source into words: an escaped quote, line break or backslash would act as the character itself, so these never become
one.
"""

import re
from collections.abc import Callable, Iterator

# A class file holds 65,535 bytes of a constant in modified UTF-8: one for an ASCII character (two for NUL), up to six
# for any other. Groovy 2.4 refuses what is longer.
_LONGEST_ASCII = 30_000
_LONGEST = 10_000

_SPECIAL = re.compile(r"[\\\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe]")
# In a literal of three quotes a single quote stands for itself, unless it would help to close the literal.
_CLOSING_QUOTES = re.compile(r"'{3,}|'+\Z")
# Groovy 2.4's lexer takes this character for the end of the file, escaped or not.
_END_OF_FILE = "\uffff"
_END_OF_FILE_TERM = "(char) 65535"
_INDENT = "    "


def literal(text: str) -> str:
    """Return the expression of *text* on one line, in single quotes; a very long text becomes a sum of literals."""
    return _sum(text, lambda piece: f"'{_one_line(piece)}'")


def block(text: str, indent: str) -> str:
    """Return the expression of the script *text* in three quotes, its lines one step deeper than *indent*.

    The value is not the text itself: it opens with a line break and its lines are indented.
    """
    lines = (f"{indent}{_INDENT}{line}" if line else "" for line in text.removesuffix("\n").split("\n"))
    return _sum("\n".join(["", *lines, indent]), lambda piece: f"'''{_several_lines(piece)}'''")


def exact_block(text: str) -> str:
    """Return the expression of *text* in three quotes, its lines at the left margin, not one character added.

    The line break behind the opening quotes is escaped, so a `#!` still comes first.
    """
    return _sum(text, lambda piece: f"'''\\\n{_several_lines(piece)}'''")


def several_lines(text: str) -> str:
    """Return the expression of *text* in three quotes, not one character added."""
    return _sum(text, lambda piece: f"'''{_several_lines(piece)}'''")


def _sum(text: str, quoted: Callable[[str], str]) -> str:
    """Return the pieces of *text*, each *quoted* as a literal, with a plus between them."""
    return " + ".join(_END_OF_FILE_TERM if piece == _END_OF_FILE else quoted(piece) for piece in _pieces(text))


def _one_line(text: str) -> str:
    """Return *text* as it stands between single quotes."""
    return _SPECIAL.sub(_escape, text).replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")


def _several_lines(text: str) -> str:
    """Return *text* as it stands between three single quotes, line breaks and tabs kept."""
    text = _SPECIAL.sub(_escape, text)
    if "'''" not in text and not text.endswith("'"):
        # As nearly all texts are; to look for quotes one by one takes twenty times as long.
        return text
    return _CLOSING_QUOTES.sub(lambda quotes: "\\'" * len(quotes[0]), text)


def _escape(special: re.Match[str]) -> str:
    """Return the escape of one *special* character."""
    character = special[0]
    if character == "\\":
        return "\\\\"
    return "\\r" if character == "\r" else f"\\u{ord(character):04x}"


def _pieces(text: str) -> Iterator[str]:
    """Return pieces of *text* that each fit one literal, cut behind a line where one ends; U+FFFF is its own piece."""
    longest = _LONGEST_ASCII if text.isascii() else _LONGEST
    for number, part in enumerate(text.split(_END_OF_FILE)):
        if number:
            yield _END_OF_FILE
        start = 0
        while len(part) - start > longest:
            end = part.rfind("\n", start, start + longest) + 1 or start + longest
            yield part[start:end]
            start = end
        if part[start:] or not number:
            yield part[start:]
