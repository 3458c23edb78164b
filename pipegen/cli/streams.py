"""Standard output and error, so that any text can be written and every loss is noticed."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path


def prepare() -> None:
    """Let characters that a terminal cannot show be escaped, and a stream that is closed be no surprise."""
    if sys.stdout is None:  # what is written there would be lost: not writable, it fails
        sys.stdout = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open until the process ends
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard() -> None:
    """Drop what the streams still hold: the reader went away, and the interpreter would tell so when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
