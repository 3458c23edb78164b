"""Data that is kept with a seal: a short digest by which a reader knows that it is what was written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import TypeVar

from pipegen.structs import convert

T = TypeVar("T")

_WITH_CHECKSUM = re.compile(rb'\{"seal": "([0-9a-f]{16})", (.*\})\s*', re.DOTALL)


def checksum(*parts: object) -> str:
    """Return the seal of *parts*: chance changes none of them without a change of it."""
    return hashlib.blake2b(repr(parts).encode(errors="surrogateescape"), digest_size=8).hexdigest()


def with_checksum(data: Mapping[str, object]) -> bytes:
    """Return *data*, which holds something, as one line of JSON that begins with the seal of the rest."""
    rest = json.dumps(data)[1:]
    return f'{{"seal": "{checksum(rest)}", {rest}'.encode()


def opened(text: bytes, kind: type[T]) -> T | None:
    """Return the data that was sealed as *text*, None where that is not as it was written, or is not of that *kind*.

    A seal keeps nobody out who may write there: what bears one may still be anything.
    """
    found = _WITH_CHECKSUM.fullmatch(text)
    if found is None or not found[2].isascii() or checksum(found[2].decode()) != found[1].decode():
        return None
    try:
        return convert(json.loads(b"{" + found[2]), kind)
    except (ValueError, RecursionError):
        return None
