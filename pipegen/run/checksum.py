"""Data stored with a checksum, so that a reader detects damage."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import TypeVar

from pipegen.structs import convert

T = TypeVar("T")

_WITH_CHECKSUM = re.compile(rb'\{"checksum": "([0-9a-f]{16})", (.*\})\s*', re.DOTALL)


def checksum(*parts: object) -> str:
    """Return the checksum of *parts*; it detects accidental changes only."""
    return hashlib.blake2b(repr(parts).encode(errors="surrogateescape"), digest_size=8).hexdigest()


def with_checksum(data: Mapping[str, object]) -> bytes:
    """Return *data*, which is not empty, as one line of JSON that begins with the checksum of the rest."""
    rest = json.dumps(data)[1:]
    return f'{{"checksum": "{checksum(rest)}", {rest}'.encode()


def verified(text: bytes, kind: type[T]) -> T | None:
    """Return the data in *text*; None if its checksum is wrong or it is not of that *kind*.

    Anybody who may write the file can compute a checksum, so the data is still untrusted.
    """
    match = _WITH_CHECKSUM.fullmatch(text)
    if match is None or not match[2].isascii() or checksum(match[2].decode()) != match[1].decode():
        return None
    try:
        return convert(json.loads(b"{" + match[2]), kind)
    except (ValueError, RecursionError):
        return None
