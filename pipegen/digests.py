"""Digests, by which names and files are told apart.

`hashlib` loads OpenSSL, which takes 2 ms and is made up for by large texts alone. Others have the one that Python
itself brings, as its own `random` does.
"""

import sys
from importlib import import_module

try:
    _sha256 = import_module("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
except ImportError:  # a distribution may leave it out
    _sha256 = import_module("hashlib").sha256

# In bytes: Python takes 0.3 ms for as many, OpenSSL a fifth of that, and a call takes digests of many files.
_LARGE = 100_000


def digest_of(text: str, digits: int) -> str:
    """Return the first *digits*, hexadecimal, of the SHA-256 of *text*."""
    data = text.encode()
    if len(data) > _LARGE:
        from hashlib import sha256  # noqa: PLC0415 - see above

        return sha256(data).hexdigest()[:digits]
    return str(_sha256(data).hexdigest()[:digits])
