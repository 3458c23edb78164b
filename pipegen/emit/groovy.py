"""Groovy string literals for arbitrary text.

Single quotes have no interpolation, so `$` is literal. Groovy decodes Unicode escapes before it tokenizes the source:
an escaped quote, line break or backslash would act as the character itself, so these are never written as Unicode
escapes.
"""

import re
from collections.abc import Callable, Iterator, Sequence

# A constant in a class file has at most 65,535 bytes of modified UTF-8: one for an ASCII character (two for NUL), up to
# six for others. Groovy 2.4 rejects longer literals.
_LONGEST_ASCII = 30_000
_LONGEST = 10_000

# The backslash, control characters, and characters that change the direction of text.
_SPECIAL = re.compile(r"[\\\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe]")
# In a triple-quoted literal, a single quote is literal unless it is part of a closing sequence.
_CLOSING_QUOTES = re.compile(r"'{3,}|'+\Z")
# Groovy 2.4's lexer treats this character as the end of the file, even if escaped.
_END_OF_FILE = "\uffff"
_END_OF_FILE_TERM = "(char) 65535"
# Characters that need an escape in double quotes, other than line breaks and tabs.
_NOT_PLAIN = re.compile(rf'["${_END_OF_FILE}]|{_SPECIAL.pattern}')
_INDENT = "    "


def literal(text: str) -> str:
    """Return a one-line expression for *text* in single quotes; a very long text becomes a sum of literals."""
    return _sum(text, lambda piece: f"'{_one_line(piece)}'")


def is_plain(text: str) -> bool:
    """Return whether *text* needs no escapes in double quotes but for line breaks and tabs, and fits one literal."""
    return not _NOT_PLAIN.search(text) and len(text) <= _LONGEST


def plain(text: str) -> str:
    """Return *text*, which is plain, as it stands in double quotes."""
    return text.replace("\n", "\\n").replace("\t", "\\t")


def block(text: str, indent: str) -> str:
    """Return an expression for the script *text* in triple quotes, its lines one step deeper than *indent*.

    The value differs from the text: it starts with a line break, and its lines are indented.
    """
    lines = (f"{indent}{_INDENT}{line}" if line else "" for line in text.removesuffix("\n").split("\n"))
    return _sum("\n".join(["", *lines, indent]), lambda piece: f"'''{_several_lines(piece)}'''")


def exact_block(text: str) -> str:
    """Return an expression for exactly *text* in triple quotes, its lines at the left margin.

    The line break after the opening quotes is escaped, so that a `#!` still comes first.
    """
    return _sum(text, lambda piece: f"'''\\\n{_several_lines(piece)}'''")


def stripped_block(text: str, indent: str) -> str:
    """Return an expression for exactly *text* in triple quotes, its lines one step deeper than *indent*.

    Groovy removes the indentation. Text that `stripIndent` would change otherwise, or that is too long for one literal,
    is at the left margin.
    """
    lines = text.split("\n")
    written = "\n".join([f"{indent}{_INDENT}{line}" if line else "" for line in lines])
    if not _is_strippable(text, lines) or len([*_pieces(written)]) > 1:
        return exact_block(text)
    return f"'''\\\n{_several_lines(written)}'''.stripIndent()"


def _is_strippable(text: str, lines: Sequence[str]) -> bool:
    """Return whether `stripIndent` removes exactly the indentation of *text*, whose *lines* are indented.

    Since Java 15, it is a method of Java, which also removes blanks at the end of lines, and counts an empty last line.
    Both replace other line breaks, and remove the blanks with which all lines begin.
    """
    starts_at_margin = any(line and not line[0].isspace() for line in lines)
    return starts_at_margin and "\r" not in text and bool(lines[-1]) and all(line == line.rstrip() for line in lines)


def several_lines(text: str) -> str:
    """Return an expression for exactly *text* in triple quotes."""
    return _sum(text, lambda piece: f"'''{_several_lines(piece)}'''")


def _sum(text: str, quote: Callable[[str], str]) -> str:
    """Return the pieces of *text*, each quoted as a literal by *quote*, joined by plus signs."""
    return " + ".join(_END_OF_FILE_TERM if piece == _END_OF_FILE else quote(piece) for piece in _pieces(text))


def _one_line(text: str) -> str:
    """Return *text* escaped for single quotes."""
    return _SPECIAL.sub(_escape, text).replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")


def _several_lines(text: str) -> str:
    """Return *text* escaped for triple quotes, with line breaks and tabs unescaped."""
    text = _SPECIAL.sub(_escape, text)
    if "'''" not in text and not text.endswith("'"):
        # The common case; searching for single quotes takes twenty times as long.
        return text
    return _CLOSING_QUOTES.sub(lambda quotes: "\\'" * len(quotes[0]), text)


def _escape(special: re.Match[str]) -> str:
    """Return the escape of the *special* character."""
    character = special[0]
    if character == "\\":
        return "\\\\"
    return "\\r" if character == "\r" else f"\\u{ord(character):04x}"


def _pieces(text: str) -> Iterator[str]:
    """Yield pieces of *text* that each fit one literal, split after a line break if possible; U+FFFF is separate."""
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
