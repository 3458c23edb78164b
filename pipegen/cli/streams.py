"""Standard output and error: any text can be written, every loss is noticed, and nothing steers a terminal."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import typer

from pipegen.visible import visible_lines


def prepare() -> None:
    """Let characters that a terminal cannot show be escaped, and a stream that is closed be no surprise."""
    if sys.stdout is None:  # what is written there would be lost: not writable, it fails
        sys.stdout = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open until the process ends
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def show_text(text: str, *, ends_line: bool = True) -> None:
    """Write *text* for a person to standard output: what steers a terminal is written as escapes."""
    typer.echo(visible_lines(text), nl=ends_line)


def show_data(text: str, *, ends_line: bool = True) -> None:
    """Write *text* in a form that programs read, and that has its own escapes, to standard output."""
    typer.echo(text, nl=ends_line)


def show_file(text: str) -> None:
    """Write the *text* of a file to standard output: its own bytes, whatever the encoding; to a terminal as for people.

    What is copied from there is no longer the file where that holds what cannot be seen.
    """
    if sys.stdout.isatty():
        show_text(text, ends_line=False)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())


def say(words: str, *, ends_line: bool = True) -> None:
    """Write *words* for the user beside the output, likewise."""
    sys.stderr.write(visible_lines(words) + ("\n" if ends_line else ""))
    sys.stderr.flush()


def discard() -> None:
    """Drop what the streams still hold: the reader went away, and the interpreter would tell so when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
