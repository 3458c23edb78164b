"""Builtin commands of shells, with a word at each position after them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from string import ascii_letters

# All builtins of bash, dash and busybox, except `suspend`, which would stop the shell.
_NAMES = """
    . : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown
    echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd
    printf pushd pwd read readarray readonly return set shift shopt source test times trap true type typeset ulimit
    umask unalias unset wait
"""
BUILTINS = tuple(_NAMES.split())
# Operands that builtins read before others: names, operators, numbers.
_FRONTS = ("", " x", " 1", " x x", " -- ", " -- x")


def builtin_commands(word: str, names: tuple[str, ...] = BUILTINS) -> Iterator[str]:
    """Yield commands of each builtin with *word* as an operand, an option's argument, or after that."""
    for name in names:
        closing = " ]" if name == "[" else ""
        for front in _FRONTS:
            yield f"{name}{front} {word}{closing}"
            yield f"{name}{front} {word} x{closing}"
        yield f"{name} x={word}{closing}"
        yield f"{name} {word}=x{closing}"
        yield f"{name} a[{word}]{closing}"
        yield f"{name} 'a['{word}']=1'{closing}"
        for letter in options(name):
            yield f"{name} -{letter} {word}{closing}"
            yield f"{name} -{letter}{word}{closing}"
            yield f"{name} -{letter} {word} x{closing}"
            yield f"{name} -{letter} x {word}{closing}"
            yield f"{name} -{letter} x={word}{closing}"
            yield f"{name} +{letter} {word}{closing}"


@cache
def options(name: str) -> tuple[str, ...]:
    """Return the options of a builtin from bash's own help; all letters if it has none."""
    command = ("bash", "-c", 'help -s "$1"', "bash", name)
    synopsis = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    letters = "".join(re.findall(r"-([A-Za-z]+)", synopsis))
    return tuple(dict.fromkeys(letters if synopsis else ascii_letters))
