"""What git knows of the repository: its revisions, what has changed since one, and what files held in it."""

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

# What engines give for the commit before the first one of a branch.
_NO_COMMIT = re.compile(r"0{40}|0{64}")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f]")


class Revision(Struct):
    """A commit of the repository at *root*: *name* is how the user calls it."""

    root: Path
    name: str
    commit: str

    def changed(self) -> tuple[str, ...]:
        """Return the files that differ from where the checkout left the revision, new ones included.

        Ends with wrong usage where git cannot tell that place.
        """
        base = _line(self.root, "merge-base", "HEAD", self.commit)
        if not base:
            is_shallow = _line(self.root, "rev-parse", "--is-shallow-repository") == "true"
            raise WrongUsage(
                f'git knows no commit that "{self.name}" and the checkout have in common'
                + (': the clone is shallow, fetch more of the history ("git fetch --unshallow")' if is_shallow else "")
            )
        known = _answer(lambda: changed_files(self.root, base))
        others = _said(self.root, "ls-files", "--others", "--exclude-standard", "-z")
        return tuple(os.fsdecode(path) for path in (known + others).split(b"\0") if path)

    def content(self, path: str) -> bytes | None:
        """Return what the file at *path*, seen from the root, held; None where there was none. Links are followed."""
        asked = f"{self.commit}:{path}\n".encode(errors="surrogateescape")
        # Where a link leads out of the repository, and where nothing is, the first line does not end in a size.
        said = _said(self.root, "cat-file", "--batch", "--follow-symlinks", given=asked)
        head, _, rest = said.partition(b"\n")
        kind = head.split(b" ")
        return rest[: int(kind[2])] if kind[1:2] == [b"blob"] else None


def revision(root: Path, name: str) -> Revision | None:
    """Return the revision *name* of the repository at *root*, None where it has none.

    What git does not find is looked for at `origin`: engines check a commit out, and make no branches.
    """
    if not name or name.startswith("-") or _UNSEEN.search(name):
        return None
    for asked in (name, f"refs/remotes/origin/{name}"):
        commit = _line(root, "rev-parse", "--verify", "--quiet", f"{asked}^{{commit}}")
        if commit:
            return Revision(root, name, commit)
    return None


def is_no_commit(name: str) -> bool:
    """Return whether *name* is what engines write where there is no earlier commit."""
    return _NO_COMMIT.fullmatch(name) is not None


def known_revision(root: Path, name: str, option: str) -> Revision:
    """Return the revision *name* of the repository at *root*; end with wrong usage without one."""
    if not (root / ".git").exists():
        raise WrongUsage(f"{option} asks git, and there is no repository at or above {root}")
    found = revision(root, name)
    if found is None:
        raise WrongUsage(
            f'{option}: git knows no revision "{name}"'
            + (" here; fetch it first: engines often fetch one branch alone, and little of its history" if name else "")
        )
    return found


def _line(root: Path, *arguments: str) -> str:
    return _said(root, *arguments).decode(errors="replace").strip()


def _said(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    return _answer(lambda: ask(root, *arguments, stdin=given))


def _answer(asked: Callable[[], subprocess.CompletedProcess[bytes]]) -> bytes:
    """Return what git answers; nothing where it finds nothing. End with wrong usage where it refuses to look."""
    try:
        found = asked()
    except FileNotFoundError:
        raise WrongUsage("git is not installed here") from None
    refused = found.stderr.decode(errors="replace").strip()
    if found.returncode and refused:
        raise WrongUsage(f"git: {refused.splitlines()[0].removeprefix('fatal: ')}")
    return found.stdout
