"""A program for stages that prints its secrets, in all forms and in chunks: `python print_secrets.py VARIABLE...`."""

from __future__ import annotations

import base64
import os
import sys
import textwrap
from collections.abc import Iterator

from robust.secret_search import disguises


def printed(secret: str) -> Iterator[bytes]:
    """Yield the output, chunk by chunk."""
    for _, form in disguises(secret):
        yield b"plain " + form + b" behind\n"
    for before in range(3):
        encoded = base64.b64encode(b"u" * before + secret.encode() + b" and more" * 9).decode()
        for width in (64, 76):
            yield ("\n".join(textwrap.wrap(encoded, width)) + "\n").encode()
    # One character at a time, on a line that is redrawn repeatedly, and on a line that is longer than any buffer.
    yield from (bytes([byte]) for byte in secret.encode())
    yield b"\n10%\r" + secret.strip().encode() + b"\r100%\n"
    yield b"x" * 70_000 + secret.splitlines()[0].encode() + b"x" * 70_000 + b"\n"


def main() -> None:
    """Print the secrets, the last one without a line break."""
    for name in sys.argv[1:]:
        for piece in printed(os.environ[name]):
            sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
    sys.stderr.write(os.environ[sys.argv[1]])


if __name__ == "__main__":
    main()
