"""Revisions of the git repository: changed files, and contents of files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pipegen.cli.exits import WrongUsage
from pipegen.source.git import ask, changed_files
from pipegen.structs import Struct

if TYPE_CHECKING:
    import subprocess

# The placeholder of engines for a missing previous commit.
_NO_COMMIT = re.compile(r"0{40}|0{64}")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f]")


class Revision(Struct):
    """A commit of the repository at *root*; *name* is the user's name for it."""

    root: Path
    name: str
    commit: str

    def changed(self) -> tuple[str, ...]:
        """Return the files that differ from the merge base with the revision, including untracked files.

        Raise `WrongUsage` if there is no merge base.
        """
        base = _line(self.root, "merge-base", "HEAD", self.commit)
        if not base:
            is_shallow = _line(self.root, "rev-parse", "--is-shallow-repository") == "true"
            raise WrongUsage(
                f'"{self.name}" and the checkout have no common commit'
                + (': the clone is shallow, fetch more of the history ("git fetch --unshallow")' if is_shallow else "")
            )
        tracked = _run_git(lambda: changed_files(self.root, base))
        untracked = _output(self.root, "ls-files", "--others", "--exclude-standard", "-z")
        return tuple(os.fsdecode(path) for path in (tracked + untracked).split(b"\0") if path)

    def content(self, path: str) -> bytes | None:
        """Return the content of *path*, relative to the root; None if there is none. Links are followed."""
        request = f"{self.commit}:{path}\n".encode(errors="surrogateescape")
        # For a missing file or a link out of the repository, the first line does not end with a size.
        output = _output(self.root, "cat-file", "--batch", "--follow-symlinks", stdin=request)
        head, _, rest = output.partition(b"\n")
        fields = head.split(b" ")
        return rest[: int(fields[2])] if fields[1:2] == [b"blob"] else None


def revision(root: Path, name: str) -> Revision | None:
    """Return the revision *name* of the repository at *root*, None if there is none.

    The name is also searched at `origin`, because engines check out a commit without local branches.
    """
    if not name or name.startswith("-") or _UNSEEN.search(name):
        return None
    for candidate in (name, f"refs/remotes/origin/{name}"):
        commit = _line(root, "rev-parse", "--verify", "--quiet", f"{candidate}^{{commit}}")
        if commit:
            return Revision(root, name, commit)
    return None


def is_no_commit(name: str) -> bool:
    """Return whether *name* is the placeholder of engines for a missing commit."""
    return _NO_COMMIT.fullmatch(name) is not None


def known_revision(root: Path, name: str, option: str) -> Revision:
    """Return the revision *name* of the repository at *root*; raise `WrongUsage` if there is none."""
    if not (root / ".git").exists():
        raise WrongUsage(f"{option} needs git, but there is no repository at or above {root}")
    known = revision(root, name)
    if known is None:
        raise WrongUsage(
            f'{option}: unknown revision "{name}"'
            + ("; fetch it first: engines often fetch a single branch with a short history" if name else "")
        )
    return known


def _line(root: Path, *arguments: str) -> str:
    return _output(root, *arguments).decode(errors="replace").strip()


def _output(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    return _run_git(lambda: ask(root, *arguments, stdin=stdin))


def _run_git(call: Callable[[], subprocess.CompletedProcess[bytes]]) -> bytes:
    """Return the output of git, empty without a result; raise `WrongUsage` if it reports an error."""
    try:
        process = call()
    except FileNotFoundError:
        raise WrongUsage("git is not installed") from None
    error = process.stderr.decode(errors="replace").strip()
    if process.returncode and error:
        raise WrongUsage(f"git: {error.splitlines()[0].removeprefix('fatal: ')}")
    return process.stdout
