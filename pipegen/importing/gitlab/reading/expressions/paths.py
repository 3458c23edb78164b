"""Patterns of paths in `changes` and `exists`: whether they match, as Ruby's `File.fnmatch?`, and an example.

`lib/gitlab/ci/build/rules/rule/clause` of GitLab; a variable that is not set stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from pipegen.importing.globs import finds
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.model.patterns import escaped

_BRACES = re.compile(r"(?<!\\)\{([^{}]*)\}")
# Patterns with more levels or alternatives are not read.
_MOST_LEVELS, _MOST_ALTERNATIVES = 50, 500
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_TOKEN = re.compile(
    r"(?P<folders>(?:(?<=/)|^)\*\*/)|(?P<stars>\*+)|(?P<one>\?)|\[(?P<set>[^\]]+)\]|\\(?P<literal>.)|(?P<text>.)",
    re.DOTALL,
)
_WILDCARDS = {"folders": "", "stars": "x", "one": "x"}


def alternatives(pattern: str) -> Sequence[str]:
    """Return the patterns that *pattern* with `{a,b}` stands for; raise `UntranslatableError` if there are too many."""
    if pattern.count("{") > _MOST_LEVELS:
        raise UntranslatableError(f"a pattern with more than {_MOST_LEVELS} pairs of braces")
    patterns = [pattern]
    while (braces := _BRACES.search(patterns[0])) is not None:
        options = braces[1].split(",")
        if len(patterns) * len(options) > _MOST_ALTERNATIVES:
            raise UntranslatableError(f"a pattern with more than {_MOST_ALTERNATIVES} alternatives")
        parts = [_BRACES.split(alternative, maxsplit=1) for alternative in patterns]
        patterns = [f"{before}{option}{after}" for before, options_, after in parts for option in options_.split(",")]
    return patterns


def variables_in(patterns: Iterable[str]) -> Iterator[str]:
    """Yield the names of the variables in *patterns*."""
    for pattern in patterns:
        yield from (match[1] for match in _VARIABLE.finditer(pattern))


def match_any(patterns: Iterable[str], paths: Collection[str], variables: Mapping[str, str]) -> bool:
    """Return whether one of *patterns*, with the values of *variables*, matches one of *paths*."""
    texts = (_VARIABLE.sub(lambda match: variables.get(match[1], match[0]), pattern) for pattern in patterns)
    return any(_matches(text, path) for text in texts for path in paths)


def can_match(pattern: str) -> bool:
    """Return whether *pattern* matches any path: paths begin with a name, and are files."""
    return not pattern.startswith(("./", "/")) and not pattern.endswith("/")


def example(patterns: Sequence[str]) -> str:
    """Return a path that the first of *patterns* matches; "" if none is found."""
    try:
        pattern = alternatives(patterns[0])[0] if patterns else ""
    except UntranslatableError:
        return ""
    path = "".join(_WILDCARDS.get(token.lastgroup or "", token[0]) for token in _TOKEN.finditer(pattern))
    return path if path and can_match(pattern) and _matches(pattern, path) else ""


# The rules of many jobs test the same few files of an event.
@lru_cache(maxsize=20_000)
def _matches(pattern: str, path: str) -> bool:
    return any(finds(regex, path) for regex in _regexes(pattern))


@lru_cache(maxsize=1_000)
def _regexes(pattern: str) -> tuple[str, ...]:
    """Return the regular expressions for the alternatives of *pattern*."""
    try:
        patterns = alternatives(pattern)
    except UntranslatableError:
        return ()
    return tuple([f"^{''.join(map(_regex, _TOKEN.finditer(each)))}$" for each in patterns])


def _regex(token: re.Match[str]) -> str:
    """Return the regular expression of one *token* of a pattern."""
    match token.lastgroup:
        case "folders":
            return "(.*/)?"
        case "stars":
            return "[^/]*"
        case "one":
            return "[^/]"
        case "set":
            return f"[{re.sub('^!', '^', token['set'])}]"
    return escaped(token["literal"] or token[0])
