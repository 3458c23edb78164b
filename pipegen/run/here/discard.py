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
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
