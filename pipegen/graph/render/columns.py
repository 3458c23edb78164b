"""How much of a line text takes, and text made to fit."""

import unicodedata


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
