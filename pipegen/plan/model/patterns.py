"""Patterns: globs, and regular expressions that all engines read alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from pipegen.plan.regexes.match import ends
from pipegen.structs import Struct

_WILDCARD = r"\*\*/|\*\*|\*|\?"
_SPECIAL = r"[\\^$.|?*+()\[\]{}]"
# With few repetitions and no alternatives, Python's matcher is fast: wildcards are never nested.
_REPEATED = r"[*+{]|(?<!\()\?"
_FEW = 3
# An end-of-line anchor in a portable expression: no character class contains an unescaped dollar sign.
_END = r"(\\.)|\$"


class Pattern(Struct):
    """A glob that matches the whole text, or a regular expression (RE2's syntax) that matches any part of it.

    In a glob `*` matches any characters but slashes, `**` any characters of one line, `?` one character but a slash;
    `**/` at its start or after a slash may also match nothing. A regular expression is in the form of
    `plan/regexes/subset.py`, which all engines read alike.
    """

    text: str
    is_regex: bool = False

    @property
    def literal(self) -> str | None:
        """The only text that matches; None if several texts match."""
        return None if self.is_regex or re.search(_WILDCARD, self.text) else self.text

    @property
    def regex(self) -> str:
        """The equivalent regular expression, for a search."""
        return self.text if self.is_regex else f"^{self.body}$"

    @property
    def body(self) -> str:
        """The regular expression of a glob, for a match of the whole text."""
        parts, end = [], 0
        for wildcard in re.finditer(_WILDCARD, self.text):
            parts += [escaped(self.text[end : wildcard.start()]), _wildcard(wildcard)]
            end = wildcard.end()
        return "".join((*parts, escaped(self.text[end:])))

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches *text* on every engine."""
        return self.matches_any((text,))

    def matches_any(self, texts: Iterable[str]) -> bool:
        """Return whether the pattern matches one of *texts*."""
        return any(map(_matcher(self), texts))


@lru_cache(maxsize=2000)
def _matcher(pattern: Pattern) -> Callable[[str], object]:
    """Return a function that is true for the texts that *pattern* matches: many events are compared with each."""
    regex, is_regex = pattern.regex, pattern.is_regex
    repeats = len(re.findall(_REPEATED, pattern.text))
    if repeats > (1 if is_regex else _FEW) or (repeats and is_regex and "|" in regex):
        return lambda text: ends(regex, text, range(len(text) + 1), re.ASCII)
    return re.compile(re.sub(_END, lambda anchor: anchor[1] or r"\Z", regex, flags=re.DOTALL), re.ASCII).search


def literal_pattern(text: str) -> Pattern:
    """Return the pattern that matches *text* only."""
    pattern = Pattern(text)
    return pattern if pattern.literal is not None else Pattern(f"^{escaped(text)}$", is_regex=True)


def escaped(text: str) -> str:
    """Return a regular expression that matches *text* literally."""
    return re.sub(_SPECIAL, r"\\\g<0>", text).replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t")


def _wildcard(match_: re.Match[str]) -> str:
    match match_[0]:
        case "**/" if match_.start() == 0 or match_.string[match_.start() - 1] == "/":
            return "(.*/)?"
        case "**/":
            return ".*/"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
    return "[^/]"
