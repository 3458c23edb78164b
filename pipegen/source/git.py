"""The door to git: a repository is asked what it holds, and no program that it configures is executed.

`.git/config` and the files that it includes name programs: monitors, hooks, filters, transports. A clone does not bring
them, an unpacked archive, a shared folder or a container's volume does. What the user configures for all repositories
is heeded but for these keys.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
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
    "submodule.recurse=false",  # another git in there, which would not be told all of this
    "safe.bareRepository=explicit",
)
# What git would fetch is missing: nothing that we ask for needs more than lies here.
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # goes before each `protocol.*.allow`
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_EMPTY = "PIPEGEN_EMPTY"
_COMPARED = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")


def ask(root: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Return what git answers about the repository at *root*, to which *given* is written; raise `OSError` without git.

    The work tree is *root*, whatever the configuration says.
    """
    return _asked(root, _options(_OFF), arguments, given)


def changed_files(root: Path, base: str, *, only_staged: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Return the names of the files that differ from the commit *base*: of the work tree, or of what is staged.

    Files are compared without filters: one that a filter rewrites counts as changed once its time or size has changed.
    """
    staged = ("--cached",) if only_staged else ()
    return _asked(root, (*_options(_OFF), *_without_filters(root)), (*_COMPARED, *staged, "-z", base), b"")


def carry_out(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Return what git answers to *arguments* that make a repository from one here, for stages to run in.

    Whoever runs stages trusts what they were written with: filters that the user configured do their work.
    """
    environment = {**os.environ, **_ENVIRONMENT, "GIT_ALLOW_PROTOCOL": "file"}
    command = ("git", *_options(_OFF[:2]), *arguments)
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)  # noqa: S603 - git


def _asked(
    root: Path, options: Sequence[str], arguments: Sequence[str], given: bytes
) -> subprocess.CompletedProcess[bytes]:
    command = ("git", "-C", str(root), *options, *arguments)
    environment = {**os.environ, **_ENVIRONMENT, "GIT_WORK_TREE": str(root.absolute()), _EMPTY: ""}
    return subprocess.run(command, input=given, capture_output=True, env=environment, check=False)  # noqa: S603 - git


def _options(settings: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for setting in settings for word in ("-c", setting))


def _without_filters(root: Path) -> Iterator[str]:
    """Yield the options that turn each filter off which any configuration names."""
    listed = ask(root, "config", "--includes", "--null", "--name-only", "--get-regexp", r"^filter\.").stdout
    names = dict.fromkeys(os.fsdecode(key).rpartition(".")[0] for key in listed.split(b"\0") if key)
    for name in names:
        for key in ("clean", "smudge", "process", "required"):
            # `-c` takes what stands before the first "=" for the name; the other one, from 2.31 on, before the last.
            yield from ("-c", f"{name}.{key}=") if "=" not in name else (f"--config-env={name}.{key}={_EMPTY}",)
