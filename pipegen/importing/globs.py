"""Regular expressions of other engines: as globs, the opposite of `Pattern.body`, and whether they match."""

from __future__ import annotations

import re

from pipegen.plan.model.patterns import Pattern
from pipegen.plan.regexes.subset import RegexError, portable_regex

_TOKENS = re.compile(r"(?P<folders>\(\.\*/\)\?)|(?P<all>\.\*)|(?P<name>\[\^/\]\*)|(?P<one>\[\^/\])|\\(?P<literal>.)|.")
_MOST_STEPS = 1_000_000
_WILDCARDS = {"folders": "**/", "all": "**", "name": "*", "one": "?"}
_ALTERNATIVES = re.compile(r"(?:\\.|[^\\|])+")


def globs_of(regex: str) -> tuple[str, ...]:
    """Return globs that together match the same texts as the portable expression *regex*; () if there are none."""
    if not (regex.startswith("^") and regex.endswith("$")):
        return ()
    body = regex[1:-1]
    alternatives = _ALTERNATIVES.findall(body[1:-1]) if body.startswith("(") and body.endswith(")") else [body]
    globs = tuple(map(_glob, alternatives))
    bodies = [Pattern(glob).body for glob in globs]
    is_same = [body] == bodies or body == f"({'|'.join(bodies)})"
    # A config reads a text that begins with a slash as an expression.
    return globs if is_same and all(glob and not glob.startswith("/") for glob in globs) else ()


def finds(regex: str, text: str) -> bool:
    """Return whether the expression *regex* matches a part of *text*; one that a config cannot have does not.

    Neither does one that is long, for a long text: the time is proportional to both lengths.
    """
    if len(regex) * len(text) > _MOST_STEPS:
        return False
    try:
        return Pattern(portable_regex(regex), is_regex=True).matches(text)
    except RegexError:
        return False


def _glob(body: str) -> str:
    return "".join(
        _WILDCARDS[token.lastgroup] if token.lastgroup in _WILDCARDS else token["literal"] or token[0]
        for token in _TOKENS.finditer(body)
    )
