"""A file of a result: its path, mode, and the digest of its content."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from pipegen.run.files import no_follow
from pipegen.structs import Struct


class KeptFile(Struct):
    """A file of a result: its path in the workspace and its mode; of a symbolic link, *link* is what it points to."""

    path: str
    mode: int = 0o644
    digest: str = ""
    link: str | None = None


def described(root: str | Path, name: str) -> KeptFile:
    """Return what stands at *name* below *root*; what is neither a file nor a link has no content."""
    about = no_follow.entry(root, name)
    if about.link is not None:
        return KeptFile(name, link=about.link)
    mode = stat.S_IMODE(about.mode)
    if not about.is_file:
        return KeptFile(name, mode)
    with no_follow.opened(root, name) as file:
        return KeptFile(name, mode, hashlib.file_digest(file, "sha256").hexdigest())


def is_there(root: Path, file: KeptFile) -> bool:
    """Return whether *file* stands below *root* as it is."""
    try:
        return described(root, file.path) == file
    except OSError:
        return False
