"""Text that may hold anything, made safe to show on one line, and how much of it that takes."""

import unicodedata

_JOINERS = "\u200c\u200d"  # not printable by Unicode's rules, yet part of Persian words and of emoji


def visible(text: str) -> str:
    """Return *text* with all that cannot be seen (line breaks, control and direction characters) written as escapes."""
    return "".join(char if char.isprintable() or char in _JOINERS else _escape(char) for char in text)


def columns(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in {"Mn", "Me", "Cf"} for char in text)


def padded(text: str, width: int) -> str:
    """Return *text* with blanks behind it, so that it takes *width* columns; longer text as it is."""
    return text + " " * (width - columns(text))


def shortened(text: str, width: int) -> str:
    """Return *text* cut so that it takes no more than *width* columns, with an ellipsis where something is missing."""
    if columns(text) <= width:
        return text
    end = len(text)
    while end and columns(text[:end]) > width - 1:
        end -= 1
    return f"{text[:end]}…"


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
