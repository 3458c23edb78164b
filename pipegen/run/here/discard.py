"""Folders that nobody needs any more, removed while others go on: thousands of files take seconds."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path


def discard(folders: Sequence[Path]) -> None:
    """Let a process of its own remove *folders*; nobody waits for it, and what it does not finish, a later one does."""
    if folders:
        quiet = [(os.POSIX_SPAWN_OPEN, place, os.devnull, os.O_RDWR, 0) for place in range(3)]
        os.posix_spawn(
            "/bin/rm", ("rm", "-rf", "--", *map(str, folders)), {"PATH": os.defpath}, file_actions=quiet, setsid=True
        )


def remove(path: Path) -> None:
    """Remove what is at *path*, be it a file, a link or a folder; what cannot be removed stays."""
    if path.is_dir() and not path.is_symlink():
        _unlock(path)
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def make_folder(path: Path) -> None:
    """Make the folder *path* where there is none that can be used; whatever else stands there goes."""
    if path.is_dir() and not path.is_symlink():
        _unlock(path)
    elif not path.is_dir():
        remove(path)
        path.mkdir(parents=True, exist_ok=True)


def _unlock(folder: Path) -> None:
    """Give *folder* back to its owner, who may have lost it."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        with contextlib.suppress(OSError):
            folder.chmod(0o700)
