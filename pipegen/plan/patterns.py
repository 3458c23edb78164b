"""Paths in which `*` and `**` stand for any names, read as Ant and GitLab both read them."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What git and pipegen keep in a checkout: folders, and files that are there.
_KEPT = (".git", ".pipegen")
_NOT_TO_TAKE = (".git", ".git/HEAD", ".git/refs/heads/main", ".pipegen", ".pipegen/outputs/stage/name")


def is_pattern(path: str) -> bool:
    """Return whether *path* may stand for several."""
    return "*" in path


def matches(pattern: str, path: str) -> bool:
    """Return whether *pattern* stands for *path*, or for a folder above it."""
    return _matches(pattern.split("/"), path.split("/"))


def takes_too_much(pattern: str) -> bool:
    """Return whether *pattern* stands for what git, or pipegen, keeps in the checkout."""
    return pattern.split("/", maxsplit=1)[0] in _KEPT or any(matches(pattern, path) for path in _NOT_TO_TAKE)


def _matches(pattern: Sequence[str], names: Sequence[str]) -> bool:
    if not pattern:
        return True
    first, rest = pattern[0], pattern[1:]
    if first == "**":
        return any(_matches(rest, names[skipped:]) for skipped in range(len(names) + 1))
    return bool(names) and _is_name(first, names[0]) and _matches(rest, names[1:])


def _is_name(pattern: str, name: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name, re.DOTALL) is not None
