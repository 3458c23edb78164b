"""Words of a shell script that contain a text, and their values in dash."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator

_DOCUMENT = re.compile(r"<<EOF\n(.*?)\nEOF$", re.DOTALL | re.MULTILINE)
_ENDS = frozenset(" \t\n;&|()<>")


def words(script: str, mark: str) -> Iterator[str]:
    """Yield the words of *script* that contain *mark*, unevaluated; words of a nested command separately."""
    at = script.find(mark)
    while at >= 0:
        document = next((match for match in _DOCUMENT.finditer(script) if match.start(1) <= at < match.end(1)), None)
        if document is not None:
            # A here-document has the escapes of double quotes, except that of the quotes themselves.
            yield '"' + document[1].replace('"', '\\"') + '"'
        else:
            start = _start(script, at)
            yield script[start : _end(script, start, at)]
        at = script.find(mark, at + 1)


def _start(script: str, at: int) -> int:
    """Return the start of the word that contains *at*."""
    stack: list[str] = []
    starts, index = [0], 0
    while index < at:
        index = _step(script, index, stack, starts)
    return starts[-1]


def _end(script: str, start: int, at: int) -> int:
    """Return the end, after *at*, of the word that begins at *start*."""
    stack: list[str] = []
    index = start
    while index < len(script):
        if index > at and not stack and script[index] in _ENDS:
            return index
        if not stack and script[index] == ")":
            return index
        index = _step(script, index, stack, [start])
    return index


def _step(script: str, index: int, stack: list[str], starts: list[int]) -> int:
    """Return the index after the character at *index*; *stack* has open constructs, *starts* starts of words."""
    sign, inside = script[index], stack[-1] if stack else ""
    if inside == "'":
        if sign == "'":
            stack.pop()
        return index + 1
    if sign == "\\":
        return index + 2
    if inside == '"' and sign == '"':
        stack.pop()
    elif sign == '"' or (sign == "'" and inside != '"'):
        stack.append(sign)
    elif script.startswith("$(", index):
        stack.append("(")
        starts.append(index + 2)
        return index + 2
    elif inside == "(" and sign == ")":
        stack.pop()
        starts.pop()
    elif inside != '"' and sign in _ENDS:
        starts[-1] = index + 1
    elif inside != '"' and sign == "#" and starts[-1] == index:
        end = script.find("\n", index)
        return end if end >= 0 else len(script)
    return index + 1


def evaluated(word: str) -> str | None:
    """Return the value of *word* in dash without any variables; None if it is not a word."""
    script = f"set -f\nprintf '%s' {word}\n"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["/bin/dash", "-c", script], cwd=folder, env={"PATH": "/nonexistent"}, capture_output=True, check=False
        )
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 and not done.stderr else None
