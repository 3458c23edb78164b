"""Text that may hold anything, made safe to show to a person: the one place where that is decided.

Names of files, stages and branches, scripts and messages come from whoever wrote the repository. Characters that steer
a terminal, or turn the direction of text, would let them look like something else.
"""

from pipegen.patterns import rare_pattern

_JOINERS = "\u200c\u200d"  # not printable by Unicode's rules, yet part of Persian words and of emoji
# All of most texts: shown as it is.
_PLAIN = rare_pattern(r"[ -~]*")
_PLAIN_LINES = rare_pattern(r"[\n\t -~]*")


def visible(text: str) -> str:
    """Return *text* with all that cannot be seen (line breaks, control and direction characters) written as escapes."""
    return text if _PLAIN.fullmatch(text) else "".join(map(_shown, text))


def visible_lines(text: str) -> str:
    """Return *text* with its line breaks and tabs, and all else that cannot be seen written as escapes."""
    return text if _PLAIN_LINES.fullmatch(text) else "".join(c if c in "\n\t" else _shown(c) for c in text)


def _shown(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return char.encode("unicode_escape").decode("ascii")
