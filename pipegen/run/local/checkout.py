"""The checkout of a run: its revision, files and changes."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pipegen.plan.model.facts import DEFAULT_BRANCH
from pipegen.source.git import ask, changed_files
from pipegen.structs import Struct

# The part before the path in the address of a repository: protocol and machine, or `user@machine:`.
_BEFORE_PATH = re.compile(r"[a-z+]+://[^/]*/(?:r/)?|[^/:]+:")
# A login in the address, which may be secret.
_LOGIN = re.compile(r"([a-z+]+://)[^/@]*@")


class LocalCheckout(Struct, dict=True, gc=True):
    """The tree at *root*; with *only_known*, only committed and staged files count.

    Unknown values are "": there may be no repository, commit or remote.
    """

    root: Path
    only_known: bool = False

    @cached_property
    def is_repository(self) -> bool:
        """Whether the tree is a git repository."""
        return (self.root / ".git").exists()

    @cached_property
    def commit(self) -> str:
        """The commit that is checked out."""
        return self._line("rev-parse", "--verify", "--quiet", "HEAD")

    @cached_property
    def branch(self) -> str:
        """The branch that is checked out; "" for a commit without one."""
        return self._line("symbolic-ref", "--quiet", "--short", "HEAD")

    @cached_property
    def default_branch(self) -> str:
        """The default branch of the repository that it was cloned from, if git knows it."""
        name = self._line("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").removeprefix("origin/")
        return name or DEFAULT_BRANCH

    @cached_property
    def tag(self) -> str:
        """The tag that is checked out; "" if a branch is, as on an engine."""
        return "" if self.branch else self._line("describe", "--tags", "--exact-match", "HEAD")

    @cached_property
    def remote(self) -> str:
        """The address that the repository was cloned from, without a login."""
        return _LOGIN.sub(r"\1", self._line("config", "--get", "remote.origin.url"))

    @cached_property
    def project(self) -> str:
        """The path in the remote address, or the name of the folder if there is no remote."""
        path = _BEFORE_PATH.sub("", self.remote, count=1).rstrip("/").removesuffix(".git").strip("/")
        return path or self.root.name

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files of the repository, relative to its root."""
        if not self.is_repository:
            return tuple(_walked(self.root))
        others = () if self.only_known else ("--others", "--exclude-standard")
        return self._paths("ls-files", "--cached", *others)

    def changed(self, base: str) -> tuple[str, ...] | None:
        """Return the files that differ from the merge base with the branch *base*; None if there is none."""
        for name in (f"refs/remotes/origin/{base}", f"refs/heads/{base}"):
            merge_base = self._line("merge-base", "HEAD", name)
            if merge_base:
                break
        else:
            return None
        tracked = changed_files(self.root, merge_base, only_staged=self.only_known).stdout
        untracked = () if self.only_known else self._paths("ls-files", "--others", "--exclude-standard")
        return (*_split(tracked), *untracked)

    def _line(self, *arguments: str) -> str:
        return self._git_output(arguments).decode(errors="replace").removesuffix("\n")

    def _paths(self, *arguments: str) -> tuple[str, ...]:
        return _split(self._git_output((*arguments, "-z")))

    def _git_output(self, arguments: Sequence[str]) -> bytes:
        """Return the output of git, empty if it fails."""
        if not self.is_repository:
            return b""
        try:
            return ask(self.root, *arguments).stdout
        except FileNotFoundError:
            return b""


def _split(names: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(name) for name in names.split(b"\0") if name)


def _walked(root: Path) -> list[str]:
    paths: list[str] = []
    for folder, _, names in os.walk(root):
        paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]  # noqa: PTH118 - many of them
    return paths
