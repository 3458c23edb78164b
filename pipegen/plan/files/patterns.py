"""Paths in which `*` and `**` stand for any names, read as Ant and GitLab both read them."""

from __future__ import annotations

import re

from pipegen.plan.model.patterns import escaped
from pipegen.plan.regex_match import ends

# What git and pipegen keep in a checkout: folders, and files that are there.
_KEPT = (".git", ".pipegen")
_NOT_TO_TAKE = (".git", ".git/HEAD", ".git/refs/heads/main", ".pipegen", ".pipegen/outputs/stage/name")


def is_pattern(path: str) -> bool:
    """Return whether *path* may stand for several."""
    return "*" in path


def matches(pattern: str, path: str) -> bool:
    """Return whether *pattern* stands for *path*, or for a folder above it."""
    parts = (
        "([^/]*/)*" if part == "**" else f"{'[^/]*'.join(map(escaped, part.split('*')))}/"
        for part in pattern.split("/")
    )
    return bool(ends("".join(parts), f"{path}/", {0}, re.DOTALL))


def takes_too_much(pattern: str) -> bool:
    """Return whether *pattern* stands for what git, or pipegen, keeps in the checkout."""
    return pattern.split("/", maxsplit=1)[0] in _KEPT or any(matches(pattern, path) for path in _NOT_TO_TAKE)
