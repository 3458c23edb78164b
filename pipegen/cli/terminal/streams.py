"""Standard output and error: any text can be written, errors are detected, and control characters are escaped."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TextIO

import click

from pipegen.visible import visible_lines


def prepare() -> None:
    """Escape characters that the encoding lacks, and replace closed streams."""
    if sys.stdout is None:  # read-only, so that writing fails instead of losing output
        sys.stdout = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open until the process ends
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def has_colour(stream: TextIO) -> bool:
    """Return whether text on *stream* has colours: on a terminal, unless NO_COLOR, or where FORCE_COLOR is set."""
    # https://no-color.org and https://force-color.org
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def show_text(text: str, *, ends_line: bool = True, colours: str | None = None) -> None:
    """Write *text* to standard output, with control characters escaped, and *colours* on a terminal."""
    shown = visible_lines(text)
    if colours is not None and has_colour(sys.stdout):
        from pipegen.cli.terminal.colours import coloured  # noqa: PLC0415 - only for a terminal

        shown = coloured(shown, colours)
    sys.stdout.write(shown + ("\n" if ends_line else ""))
    sys.stdout.flush()


def show_data(text: str, *, ends_line: bool = True) -> None:
    """Write *text* in a format for programs, which has its own escapes, to standard output."""
    click.echo(text, nl=ends_line)


def show_file(text: str) -> None:
    """Write the *text* of a file to standard output as UTF-8; on a terminal, escape control characters.

    With escapes, text copied from the terminal differs from the file.
    """
    if sys.stdout.isatty():
        show_text(text, ends_line=False)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())


def say(words: str, *, ends_line: bool = True) -> None:
    """Write *words* to standard error, with control characters escaped."""
    sys.stderr.write(visible_lines(words) + ("\n" if ends_line else ""))
    sys.stderr.flush()


def discard() -> None:
    """Drop buffered output after the reader closed the pipe, so that the interpreter reports no error at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
