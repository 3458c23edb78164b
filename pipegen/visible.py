"""Text that may hold anything, made safe to show to a person: the one place where that is decided.

Names of files, stages and branches, scripts and messages come from whoever wrote the repository. Characters that steer
a terminal, or turn the direction of text, would let them look like something else.
"""

_JOINERS = "\u200c\u200d"  # not printable by Unicode's rules, yet part of Persian words and of emoji


def visible(text: str) -> str:
    """Return *text* with all that cannot be seen (line breaks, control and direction characters) written as escapes."""
    return text if text.isprintable() else "".join(map(_shown, text))


def visible_lines(text: str) -> str:
    """Return *text* with its line breaks and tabs, and all else that cannot be seen written as escapes."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(char if char in "\n\t" else _shown(char) for char in text)


def _shown(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return char.encode("unicode_escape").decode("ascii")
