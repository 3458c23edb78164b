"""A reference anywhere in a script is the value, byte for byte, and nothing of it is executed: in every shell."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from bindings.scripted import parsed
from engines.requirement import require
from shell.rewrite_positions import POSITIONS, Position

from pipegen.shell.rewrite import defaults, rewrite

SHELLS = {
    "dash": ("dash",),
    "bash": ("bash",),
    "posix": ("bash", "--posix"),
    "busybox": ("busybox", "sh"),
}
VALUES = {
    "plain": "abc",
    "command": "'; touch canary #",
    "substitution": "$(touch canary)",
    "backticks": '`touch canary` "`touch canary`"',
    "subscript": "a[$(touch canary)]",
    "backslash": "a lone backslash at the end \\",
    "apostrophes": "'''",
    "quotes": "\"'\\\"'",
    "braces": '}"; touch canary; echo "${x',
    "parenthesis": ")); touch canary; echo $((",
    "delimiter": "EOF\ntouch canary\nEOF",
    "lines": "one  \ntwo \t\nthree   ",
    "dash": "-rf",
    "glob": "* ? [a-z] ~ {a,b} @(x|y)",
    "ampersand": "& \\& && /",
    "comment": "# a",
    "empty": "",
    "newlines": "\n\na\n\n",
    "unicode": "Größe → 名 😀",
    "return": "a\r\nb\r",
    "percent": "%s %d \\n \\0",
    "long": "x\"'$" * 16384,
}
# Legal as the name of a file.
FILE = "a '\"*$(touch canary)  `touch canary`\\;b"
HEADER = r"""
set -u
p() { printf '<%s>' "$@"; }
q() { q=$(cat; echo .); p "${q%.}"; }
unset unset fresh
command -v shopt >/dev/null && shopt -s extglob
"""


def rewritten(position: Position) -> str:
    """Return the script of *position* for a shell; defaults that it needs are set in front."""
    script = parsed(position.script, "s")
    names = {text: f"pipegen_default_{number}" for number, text in enumerate(defaults(script))}
    lines = ["{}='{}'".format(name, text.replace("'", "'\\''")) for text, name in names.items()]
    return "\n".join([*lines, rewrite(script, lambda placed: f"pipegen_{placed.reference.name}".replace(".", "_"), names)])


def program(positions: list[Position]) -> str:
    """Return a program that leaves what each position prints for each value in `out/VALUE/POSITION`."""
    lines = [HEADER, f"for name in {' '.join(VALUES)}; do", 'value=$(cat "values/$name" && echo .)']
    lines += ["value=${value%.} pipegen_empty= pipegen_full=full file=$(cat file)", 'mkdir "out/$name"']
    lines += ["pipegen_v=$value pipegen_params_v=$value pipegen_file=$file"]
    for position in positions:
        spared = '[ "$name" = long ] || ' if position.is_quadratic else ""
        lines += [f"{spared}(", rewritten(position), f') >"out/$name/{POSITIONS.index(position)}" || :']
    return "\n".join([*lines, "done", ""])


@cache
def printed(shell: str) -> dict[tuple[str, int], str]:
    """Return what each position prints for each value in *shell*; files that nobody asked for are in "stray"."""
    positions = [one for one in POSITIONS if shell == "bash" or not one.is_bash]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for made in ("out", "values"):
            (folder / made).mkdir()
        (folder / "file").write_text(FILE)
        for value, text in VALUES.items():
            (folder / "values" / value).write_bytes(text.encode())
        (folder / "program").write_text(program(positions), encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        run = subprocess.run((*SHELLS[shell], "program"), cwd=folder, env=environment, capture_output=True, check=False)
        files = [path for path in folder.glob("out/*/*") if path.is_file()]
        result = {(path.parent.name, int(path.name)): path.read_bytes().decode() for path in files}
        result["stray", 0] = "canary" if (folder / "canary").exists() else ""
        result["error", 0] = run.stderr.decode()
        return result


@pytest.fixture(params=list(SHELLS))
def shell(request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield each shell."""
    missing = [name for name in ("dash", "bash", "busybox") if shutil.which(name) is None]
    require(f"{', '.join(missing)} not found: run tests/engines/install" if missing else None)
    yield request.param


def test_values_are_unchanged_everywhere(shell: str) -> None:
    """Each position prints the value, byte for byte, whatever it is."""
    found = printed(shell)
    wrong = [
        f"{position.name}, {value}: {rewritten(position)!r} printed {found.get((value, number), '')[:100]!r}"
        for number, position in enumerate(POSITIONS)
        if shell == "bash" or not position.is_bash
        for value, text in VALUES.items()
        if not (position.is_quadratic and value == "long")
        if found.get((value, number)) != position.prints.replace("@", text)
    ]

    assert wrong == []


def test_nothing_of_a_value_is_executed(shell: str) -> None:
    """No value makes the file that all of them try to make, and no shell complains."""
    found = printed(shell)

    assert found["stray", 0] == ""
    assert found["error", 0] == ""


def test_there_are_enough_positions() -> None:
    """Each has a name of its own."""
    assert len({position.name for position in POSITIONS}) == len(POSITIONS) > 150
