"""Runs git without executing programs that the repository configures.

`.git/config` and its included files can name programs: monitors, hooks, filters, transports. A clone does not contain
them, but an unpacked archive, a shared folder or a container's volume may. The user's global configuration applies
except for these keys.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

# See git-config(1): each of these names a program that one of our commands would execute.
_OFF = (
    "core.fsmonitor=",  # off in all versions: before 2.36 the value is a path
    "core.hooksPath=/dev/null",  # post-index-change
    "core.alternateRefsCommand=:",
    "core.sshCommand=:",
    "core.gitProxy=",
    "core.askPass=",
    "credential.helper=",
    "diff.external=",
    "submodule.recurse=false",  # git would run in submodules without these options
    "safe.bareRepository=explicit",
)
# No fetching: all our queries need only local objects.
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # overrides each `protocol.*.allow`
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# Git sets these for hooks. They would replace the repository of the folder in which git runs.
_REPOSITORY = frozenset({"GIT_DIR", "GIT_COMMON_DIR"})
_PARTS = frozenset({"GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"})
_EMPTY = "PIPEGEN_EMPTY"
_DIFF = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")


def ask(root: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git on the repository at *root* with *stdin* and return the result; raise `OSError` without git.

    The work tree is *root*, regardless of the configuration. In a hook, the index is that of the commit.
    """
    return _run(root, _options(_OFF), arguments, stdin)


def changed_files(root: Path, base: str, *, only_staged: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Return the names of the files that differ from the commit *base*, in the work tree or in the index.

    Files are compared without filters: a filtered file counts as changed if its time or size has changed.
    """
    staged = ("--cached",) if only_staged else ()
    return _run(root, (*_options(_OFF), *_without_filters(root)), (*_DIFF, *staged, "-z", base), b"")


def run_trusted(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git with *arguments* that create a local copy of a repository for stages, and return the result.

    Users who run stages trust the repository, so filters that they configured are applied.
    """
    environment = {**without_repository(os.environ), **_ENVIRONMENT, "GIT_ALLOW_PROTOCOL": "file"}
    command = ("git", *_options(_OFF[:2]), *arguments)
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)  # noqa: S603 - git


def without_repository(environment: Mapping[str, str]) -> dict[str, str]:
    """Return *environment* without the variables that replace the repository of a folder."""
    return {name: value for name, value in environment.items() if name not in _REPOSITORY | _PARTS}


def _run(
    root: Path, options: Sequence[str], arguments: Sequence[str], stdin: bytes
) -> subprocess.CompletedProcess[bytes]:
    command = ("git", "-C", str(root), *options, *arguments)
    inherited = {name: value for name, value in os.environ.items() if name not in _REPOSITORY}
    environment = {**inherited, **_ENVIRONMENT, "GIT_WORK_TREE": str(root.absolute()), _EMPTY: ""}
    return subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)  # noqa: S603 - git


def _options(settings: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for setting in settings for word in ("-c", setting))


def _without_filters(root: Path) -> Iterator[str]:
    """Yield the options that disable each configured filter."""
    listed = ask(root, "config", "--includes", "--null", "--name-only", "--get-regexp", r"^filter\.").stdout
    names = dict.fromkeys(os.fsdecode(key).rpartition(".")[0] for key in listed.split(b"\0") if key)
    for name in names:
        for key in ("clean", "smudge", "process", "required"):
            # In `-c`, the name ends at the first "="; in `--config-env` (git 2.31), at the last.
            yield from ("-c", f"{name}.{key}=") if "=" not in name else (f"--config-env={name}.{key}={_EMPTY}",)
