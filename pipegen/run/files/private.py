"""Private folders of the user for the state and cache of runs."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO


def state(environment: Mapping[str, str]) -> Path:
    """Return the folder for the state of runs; raise `PermissionError` if another user owns it."""
    return _own(environment, "XDG_STATE_HOME", ".local/state")


def cache(environment: Mapping[str, str]) -> Path:
    """Return the cache folder; raise `PermissionError` if another user owns it."""
    return _own(environment, "XDG_CACHE_HOME", ".cache")


def make_private(path: Path) -> None:
    """Create the folder *path* and missing parents, and deny access to other users."""
    if not os.path.lexists(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    _check_owner(path)
    if path.is_dir() and stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o700)


def open_private(path: Path) -> IO[bytes]:
    """Open or create the file *path* without access for other users; do not follow links."""
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "r+b")
    os.fchmod(file.fileno(), 0o600)
    return file


def _check_owner(path: Path) -> None:
    """Raise `PermissionError` if another user owns *path* or its link target, and so could change the content.

    Root and the user who called sudo are trusted. A missing path is fine.
    """
    trusted = {os.geteuid(), 0, int(os.environ.get("SUDO_UID") or 0)}
    try:
        owners = {path.lstat().st_uid, path.stat().st_uid}
    except FileNotFoundError:
        return
    if not owners <= trusted:
        raise PermissionError(1, "it belongs to another user, who could change its content", str(path))


def _own(environment: Mapping[str, str], variable: str, below_home: str) -> Path:
    # Relative paths are invalid: https://specifications.freedesktop.org/basedir-spec/latest/#basics
    configured, home = Path(environment.get(variable, "")), Path(environment.get("HOME", ""))
    if configured.is_absolute():
        folder = configured
    elif home.is_absolute():
        folder = home / below_home
    else:
        # In a world-writable folder, another user may have created it first.
        folder = Path(tempfile.gettempdir(), f"pipegen-{os.geteuid()}")
        make_private(folder)
        folder /= Path(below_home).name.lstrip(".")
    own = folder / "pipegen"
    _check_owner(own)
    return own
