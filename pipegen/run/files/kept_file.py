"""Files of results: path, mode, and digest of the content."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path
from typing import IO

from pipegen.run.files import no_follow
from pipegen.structs import Struct, replace

_PIECE = 1 << 20


class KeptFile(Struct):
    """A file of a result: its path in the workspace and its mode; *link* is the target of a symbolic link."""

    path: str
    mode: int = 0o644
    digest: str = ""
    link: str | None = None


def kept_file(name: str, entry: no_follow.FileEntry) -> KeptFile:
    """Return the description of the file *name* with its *entry*, without a digest."""
    return KeptFile(name, stat.S_IMODE(entry.mode)) if entry.link is None else KeptFile(name, link=entry.link)


def describe(root: str | Path, name: str) -> KeptFile:
    """Return the description of *name* below *root*; only regular files have a digest."""
    entry, opened = no_follow.open_entry(root, name)
    file = kept_file(name, entry)
    if opened is None:
        return file
    with opened:
        return replace(file, digest=_digest(opened))


def _digest(opened: IO[bytes]) -> str:
    """Return the digest of a file: `hashlib.file_digest` first clears a buffer that is larger than most files."""
    digest = hashlib.sha256()
    while piece := opened.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def is_there(root: Path, file: KeptFile) -> bool:
    """Return whether *file* exists unchanged below *root*."""
    try:
        return describe(root, file.path) == file
    except OSError:
        return False
