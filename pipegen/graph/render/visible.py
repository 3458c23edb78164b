"""Text that may hold anything, made safe to show on one line."""

_JOINERS = "\u200c\u200d"  # not printable by Unicode's rules, yet part of Persian words and of emoji


def visible(text: str) -> str:
    """Return *text* with all that cannot be seen (line breaks, control and direction characters) written as escapes."""
    return "".join(char if char.isprintable() or char in _JOINERS else _escape(char) for char in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
