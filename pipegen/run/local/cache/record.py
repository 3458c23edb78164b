"""Stored results of stages: outputs and files, by the digests of their contents."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property

from pipegen.run.checksum import verified, with_checksum
from pipegen.run.files.kept_file import KeptFile
from pipegen.structs import Struct


class CacheRecord(Struct, dict=True, gc=True):
    """A result: outputs, each a name and the digest of its value, and files in the order of their paths."""

    outputs: tuple[tuple[str, str], ...]
    files: tuple[KeptFile, ...]

    def digests(self) -> tuple[str, ...]:
        """Return the digests of all contents, each once."""
        digests = [digest for _, digest in self.outputs] + [file.digest for file in self.files if file.link is None]
        return tuple(dict.fromkeys(digests))

    def value(self, name: str) -> str:
        """Return the digest of the output *name*; a missing output has its own value."""
        return f"value {dict(self.outputs).get(name, '')}"

    @cached_property
    def tree(self) -> str:
        """The digest of the files."""
        return f"files {hashlib.sha256(json.dumps([_file_data(file) for file in self.files]).encode()).hexdigest()}"

    def dumped(self) -> str:
        """Return the record as text."""
        data = {"outputs": self.outputs, "files": [_file_data(file) for file in self.files]}
        return with_checksum(data).decode()

    @classmethod
    def loaded(cls, text: str) -> CacheRecord:
        """Return the record in *text*; raise `ValueError` if it is invalid."""
        data = verified(text.encode(), _Dumped)
        if data is None:
            raise ValueError("its checksum or its form is wrong")
        files = tuple(KeptFile(*fields) for fields in data.files)
        if not all(_is_inside(file.path) for file in files):
            raise ValueError("a file outside the workspace")
        return cls(data.outputs, files)


class _Dumped(Struct):
    """The stored form of a record."""

    outputs: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, int, str, str | None], ...]


def _is_inside(path: str) -> bool:
    """Return whether *path* is inside its root, apart from links."""
    return "\0" not in path and not path.startswith("/") and not {"", ".", ".."} & set(path.split("/"))


def _file_data(file: KeptFile) -> tuple[str, int, str, str | None]:
    return (file.path, file.mode, file.digest, file.link)
