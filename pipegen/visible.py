"""Untrusted text with its invisible characters escaped, safe to show in a terminal.

Names of files, stages and branches, scripts and messages come from the author of the repository. Terminal control
characters and bidirectional overrides could make them look like something else.
"""

_JOINERS = "\u200c\u200d"  # not printable by Unicode's rules, yet part of Persian words and of emoji


class _Escapes(dict[int, str]):
    """The text to show for each character, for `str.translate`; computed when a character first occurs."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        is_shown = char.isprintable() or char in _JOINERS
        self[code] = char if is_shown else char.encode("unicode_escape").decode("ascii")
        return self[code]


_ESCAPES = _Escapes()
_ESCAPES_IN_LINES = _Escapes({ord(char): char for char in "\n\t"})


def visible(text: str) -> str:
    """Return *text* with invisible characters (line breaks, control and direction characters) escaped."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def visible_lines(text: str) -> str:
    """Return *text* with its invisible characters escaped, except line breaks and tabs."""
    return text if text.isprintable() else text.translate(_ESCAPES_IN_LINES)
