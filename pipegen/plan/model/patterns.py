"""Patterns: globs, and regular expressions of a subset that all engines read alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipegen.plan.regex_match import ends
from pipegen.structs import Struct

_WILDCARD = re.compile(r"\*\*/|\*\*|\*|\?")
_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
# Where no more repeats, and no alternatives do, Python's own matcher is quick: wildcards never stand inside each other.
_REPEATED = re.compile(r"[*+{]|(?<!\()\?")
_FEW = 3
# A line's end in a regular expression of ours: no character class holds a bare dollar sign.
_END = re.compile(r"(\\.)|\$", re.DOTALL)


class Pattern(Struct):
    """A glob that matches the whole text, or a regular expression (RE2's syntax) that matches anywhere in it.

    In a glob `*` stands for any characters but slashes, `**` for any of one line, `?` for one that is no slash;
    `**/` at its start or after a slash also stands for nothing. A regular expression is in the form that
    `plan/regex.py` gives it: what all engines read alike.
    """

    text: str
    is_regex: bool = False

    @property
    def literal(self) -> str | None:
        """The only text that matches; None where there are others."""
        return None if self.is_regex or _WILDCARD.search(self.text) else self.text

    @property
    def regex(self) -> str:
        """The regular expression, searched for, that says the same."""
        return self.text if self.is_regex else f"^{self.body}$"

    @property
    def body(self) -> str:
        """The regular expression of a glob, which all of a text must match."""
        parts, end = [], 0
        for found in _WILDCARD.finditer(self.text):
            parts += [escaped(self.text[end : found.start()]), _wildcard(found)]
            end = found.end()
        return "".join((*parts, escaped(self.text[end:])))

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches *text*, as every engine has it."""
        return self.matches_any((text,))

    def matches_any(self, texts: Iterable[str]) -> bool:
        """Return whether the pattern matches one of *texts*."""
        repeats = len(_REPEATED.findall(self.text))
        if repeats > (1 if self.is_regex else _FEW) or (repeats and self.is_regex and "|" in self.text):
            return any(ends(self.regex, text, range(len(text) + 1), re.ASCII) for text in texts)
        python = re.compile(_END.sub(lambda found: found[1] or r"\Z", self.regex), re.ASCII)
        return any(map(python.search, texts))


def escaped(text: str) -> str:
    """Return the regular expression that matches *text*."""
    return _SPECIAL.sub(r"\\\g<0>", text).replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t")


def _wildcard(found: re.Match[str]) -> str:
    match found[0]:
        case "**/" if found.start() == 0 or found.string[found.start() - 1] == "/":
            return "(.*/)?"
        case "**/":
            return ".*/"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
    return "[^/]"
