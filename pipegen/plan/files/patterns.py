"""Paths of a checkout, and their patterns with `*` and `**`, as Ant and GitLab both read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pipegen.plan.model.patterns import escaped
from pipegen.plan.model.retention import has_values, path_pattern
from pipegen.plan.regexes.match import ends

# The folders of pipegen and git in a checkout, and files that are always in them.
_OF_PIPEGEN = (".pipegen", ".pipegen/outputs/stage/name")
_OF_GIT = (".git", ".git/HEAD", ".git/refs/heads/main")


def is_outside(path: str) -> bool:
    """Return whether the normalized *path* is absolute or leaves its base directory."""
    return path.startswith(("/", "../")) or path == ".."


def is_pattern(path: str) -> bool:
    """Return whether *path* may match several paths."""
    return "*" in path or has_values(path)


def matches(pattern: str, path: str) -> bool:
    """Return whether *pattern* matches *path*, or a folder above it."""
    parts = (
        "([^/]*/)*" if part == "**" else f"{'[^/]*'.join(map(escaped, part.split('*')))}/"
        for part in path_pattern(pattern).split("/")
    )
    return bool(ends("".join(parts), f"{path}/", {0}, re.DOTALL))


class PatternIndex:
    """Patterns by their text before the first `*`, so that a path is compared with few of them."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._by_start: dict[str, list[tuple[str, str]]] = {}
        for pattern in patterns:
            text = path_pattern(pattern)
            end = text.rpartition("*")[2].lstrip("/")
            self._by_start.setdefault(text.partition("*")[0], []).append((f"{end}/", pattern))
        self._lengths = sorted({len(start) for start in self._by_start})

    def matching(self, path: str) -> Iterator[str]:
        """Yield the patterns that match *path*, or a folder above it."""
        folder = f"{path}/"
        for length in self._lengths:
            for end, pattern in self._by_start.get(folder[:length], ()) if length <= len(folder) else ():
                if end in folder and matches(pattern, path):
                    yield pattern


@lru_cache(maxsize=1024)
def matches_internal_files(pattern: str, *, has_git: bool) -> bool:
    """Return whether *pattern* matches data of pipegen, or with *has_git* of git, in the checkout."""
    first = pattern.split("/", maxsplit=1)[0]
    internal = (*_OF_PIPEGEN, *(_OF_GIT if has_git else ()))
    return first in internal or (is_pattern(first) and any(matches(pattern, path) for path in internal))
