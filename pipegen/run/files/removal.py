"""Folders that nobody needs any more, removed while others go on: thousands of files take seconds."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
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
    if _is_folder(path):
        unlock(path)
        for folder, inside, _ in os.walk(path):
            for name in inside:
                unlock(Path(folder, name))
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def make_folder(path: Path) -> None:
    """Make the folder *path* where there is none that can be used; whatever else stands there goes."""
    unlock(path)
    if not path.is_dir():
        remove(path)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def unlock(path: Path) -> None:
    """Give the folder *path* back to its owner, who may have lost it; nothing where there is none."""
    if _is_folder(path) and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        with contextlib.suppress(OSError):
            path.chmod(0o700)


def _is_folder(path: Path) -> bool:
    """Return whether a folder is at *path*, and no link to one; False where nobody may look."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
