"""Git repositories for tests."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

_WHO = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")


def git(root: Path, *arguments: str) -> str:
    """Return the output of git with *arguments* in the repository at *root*."""
    command = ["git", "-C", str(root), *_WHO, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def repository(root: Path, files: Mapping[str, str]) -> Path:
    """Return *root* as a repository whose first commit, on the branch main, has *files*."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, files)
    return root


def commit(root: Path, files: Mapping[str, str]) -> str:
    """Write *files*, commit everything in *root*, and return the commit."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "a change")
    return git(root, "rev-parse", "HEAD")
