"""The width of text on a terminal, and text made to fit."""

import unicodedata


def columns(text: str) -> int:
    """Return the number of terminal columns that *text* takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in {"Mn", "Me", "Cf"} for char in text)


def padded(text: str, width: int) -> str:
    """Return *text* padded with spaces to *width* columns; longer text is unchanged."""
    return text + " " * (width - columns(text))


def shortened(text: str, width: int) -> str:
    """Return *text* with an ellipsis in its middle if it takes more than *width* columns."""
    if columns(text) <= width:
        return text
    start, end = (width - 1) // 2, len(text) - width // 2
    while columns(text[:start]) + 1 + columns(text[end:]) > width:
        start, end = (start - 1, end) if columns(text[:start]) > columns(text[end:]) else (start, end + 1)
    return f"{text[:start]}…{text[end:]}"
