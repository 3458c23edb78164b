"""What is kept of a stage's result: its outputs and its files, by the digests of their contents."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection
from pathlib import Path

from pipegen.structs import Struct


class KeptFile(Struct):
    """A file of a result: its path in the workspace and its mode; of a symbolic link, *link* is what it points to."""

    path: str
    mode: int = 0o644
    digest: str = ""
    link: str | None = None


class Record(Struct):
    """A result: outputs, each a name and the digest of its value, and files in the order of their paths."""

    outputs: tuple[tuple[str, str], ...] = ()
    files: tuple[KeptFile, ...] = ()

    def digests(self) -> tuple[str, ...]:
        """Return the digests of all contents, each once."""
        found = [digest for _, digest in self.outputs] + [file.digest for file in self.files if file.link is None]
        return tuple(dict.fromkeys(found))

    def content(self, outputs: Collection[str], *, has_files: bool) -> str:
        """Return a digest of the part that a reader of *outputs*, and of the files, sees."""
        read = {
            "outputs": sorted(pair for pair in self.outputs if pair[0] in outputs),
            "files": [_file_data(file) for file in self.files] if has_files else [],
        }
        return hashlib.sha256(json.dumps(read).encode()).hexdigest()

    def dumped(self) -> str:
        """Return the record as text."""
        return json.dumps({"outputs": self.outputs, "files": [_file_data(file) for file in self.files]})

    @classmethod
    def loaded(cls, text: str) -> Record:
        """Return the record that was dumped to *text*."""
        data = json.loads(text)
        return cls(
            tuple((name, digest) for name, digest in data["outputs"]), tuple(KeptFile(*f) for f in data["files"])
        )


def described(path: Path, name: str) -> KeptFile:
    """Return the file at *path* as one of the *name*."""
    about = path.lstat()
    if stat.S_ISLNK(about.st_mode):
        return KeptFile(name, link=os.readlink(path))  # noqa: PTH115 - the text itself
    with path.open("rb") as file:
        return KeptFile(name, stat.S_IMODE(about.st_mode), hashlib.file_digest(file, "sha256").hexdigest())


def is_there(path: Path, file: KeptFile) -> bool:
    """Return whether what is at *path* is *file*."""
    try:
        return described(path, file.path) == file
    except OSError:
        return False


def _file_data(file: KeptFile) -> tuple[str, int, str, str | None]:
    return (file.path, file.mode, file.digest, file.link)
