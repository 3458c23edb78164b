"""Folders of a user's own, which nobody else may look into: what runs keep, and take again, stands there."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO


def state(environment: Mapping[str, str]) -> Path:
    """Return the folder for what runs keep of themselves; raise `PermissionError` where it is somebody else's."""
    return _own(environment, "XDG_STATE_HOME", ".local/state")


def cache(environment: Mapping[str, str]) -> Path:
    """Return the folder for what can be made again; raise `PermissionError` where it is somebody else's."""
    return _own(environment, "XDG_CACHE_HOME", ".cache")


def make_private(path: Path) -> None:
    """Make the folder *path*, and those above it that are missing; what there is of it is closed to others."""
    if not os.path.lexists(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    check_owner(path)
    if path.is_dir() and stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o700)


def open_private(path: Path) -> IO[bytes]:
    """Open the file *path*, made where it is missing, which nobody else may read; no link is followed."""
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "r+b")
    os.fchmod(file.fileno(), 0o600)
    return file


def check_owner(path: Path) -> None:
    """Raise `PermissionError` where *path*, or what it links to, is somebody else's, who may change what is read there.

    What is root's, or the user's who became root, is no stranger's; what is not there is nobody's.
    """
    trusted = {os.geteuid(), 0, int(os.environ.get("SUDO_UID") or 0)}
    try:
        owners = {path.lstat().st_uid, path.stat().st_uid}
    except FileNotFoundError:
        return
    if not owners <= trusted:
        raise PermissionError(1, "it belongs to another user, who could change what is read there", str(path))


def _own(environment: Mapping[str, str], variable: str, below_home: str) -> Path:
    given, home = environment.get(variable), environment.get("HOME")
    if given or home:
        folder = Path(given) if given else Path(home or "", below_home)
    else:
        # In a folder that everybody writes to, somebody may have been there first.
        folder = Path(tempfile.gettempdir(), f"pipegen-{os.geteuid()}")
        make_private(folder)
        folder /= Path(below_home).name.lstrip(".")
    own = folder / "pipegen"
    check_owner(own)
    return own
