"""Untrusted text with its invisible characters escaped, safe to show in a terminal.

Names of files, stages and branches, scripts and messages come from the author of the repository. Terminal control
characters and bidirectional overrides could make them look like something else.
"""

_JOINERS = "\u200c\u200d"  # not printable by Unicode's rules, yet part of Persian words and of emoji


def visible(text: str) -> str:
    """Return *text* with invisible characters (line breaks, control and direction characters) escaped."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def visible_lines(text: str) -> str:
    """Return *text* with its invisible characters escaped, except line breaks and tabs."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(char if char in "\n\t" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return char.encode("unicode_escape").decode("ascii")
