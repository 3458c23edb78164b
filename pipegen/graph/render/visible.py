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
    """Return *text* with an ellipsis in its middle where it takes more than *width* columns: both ends tell most."""
    if columns(text) <= width:
        return text
    start, end = (width - 1) // 2, len(text) - width // 2
    while columns(text[:start]) + 1 + columns(text[end:]) > width:
        start, end = (start - 1, end) if columns(text[:start]) > columns(text[end:]) else (start, end + 1)
    return f"{text[:start]}…{text[end:]}"


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
