"""Marks in a script: before each command of the user, a line that records which one runs.

A mark changes nothing for the commands around it: not `$?`, nor the output of `set -x`. It is not written where a line
continues the command before it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

VARIABLE = "PIPEGEN_COMMAND"
# A file that cannot be written, or that `set -C` protects, is no reason to fail.
MARK_FUNCTION = (
    "pipegen_mark() {",
    "  pipegen_status=$?",
    f'  printf %s "$1" >|"${VARIABLE}" || :',
    '  return "$pipegen_status"',
    "}",
)
_MARKS = r"^ *\{ pipegen_mark (?:[0-9]+\.[0-9]+|-) && :; \} 2>/dev/null\n"


def mark(entry: int | None, line: int = 0) -> str:
    """Return the mark of a *line* of an *entry*, both from 0; None ends the commands of the user."""
    position = f"{entry}.{line}" if entry is not None else "-"
    # A list that `&&` ends does not stop a shell with -e, and has the status of its first command.
    return f"{{ pipegen_mark {position} && :; }} 2>/dev/null"


def marked_lines(entries: Sequence[str]) -> list[str]:
    """Return *entries*, the commands of one shell, with marks on lines of their own."""
    from pipegen.bindings.script.lexer import lex  # noqa: PLC0415 - most scripts need no grammar: 3 % of 10 stages

    text = "\n".join(entries)
    starts = [0, *accumulate(len(entry) + 1 for entry in entries)][:-1]
    lines = [entry.split("\n") for entry in entries]
    for offset in lex(text, ())[0].line_starts:
        number = bisect_right(starts, offset) - 1
        line = text.count("\n", starts[number], offset)
        lines[number][line] = f"{mark(number, line)}\n{lines[number][line]}"
    return ["\n".join(entry_lines) for entry_lines in lines]


def is_marked(script: str) -> bool:
    """Return whether *script* records its commands."""
    return VARIABLE in script


def unmarked(script: str) -> str:
    """Return the text of *script* without marks, for people."""
    function = "".join(f"{line}\n" for line in MARK_FUNCTION)
    return re.sub(_MARKS, "", script.replace(function, "", 1), flags=re.MULTILINE)
