"""Path patterns with `*` and `**`, as Ant and GitLab both read them."""

from __future__ import annotations

import re
from functools import lru_cache

from pipegen.plan.model.patterns import escaped
from pipegen.plan.model.retention import has_values, path_pattern
from pipegen.plan.regexes.match import ends

# The folders of pipegen and git in a checkout, and files that are always in them.
_OF_PIPEGEN = (".pipegen", ".pipegen/outputs/stage/name")
_OF_GIT = (".git", ".git/HEAD", ".git/refs/heads/main")


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


@lru_cache(maxsize=1024)
def matches_internal_files(pattern: str, *, has_git: bool) -> bool:
    """Return whether *pattern* matches data of pipegen, or with *has_git* of git, in the checkout."""
    first = pattern.split("/", maxsplit=1)[0]
    internal = (*_OF_PIPEGEN, *(_OF_GIT if has_git else ()))
    return first in internal or (is_pattern(first) and any(matches(pattern, path) for path in internal))
