"""A reference anywhere in a script is the value, byte for byte, and never executed, in every shell."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from bindings.sample_scripts import parsed
from engines.requirement import require_program
from shell.rewrite_positions import POSITIONS, Position, special_defaults

from pipegen.bindings.script.model import PlacedReference
from pipegen.shell.words.rewrite import rewrite, with_constants

SHELLS = {
    "dash": ("dash",),
    "bash": ("bash",),
    "posix": ("bash", "--posix"),
    "busybox": ("busybox", "sh"),
}
VALUES = {
    "plain": "abc",
    "words": "a b: c/d",
    "keyword": "if",
    "delimiter alone": "EOF",
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
# This is a valid name of a file.
FILE = "a '\"*$(touch canary)  `touch canary`\\;b"
HEADER = r"""
set -u
p() { printf '<%s>' "$@"; }
q() { q=$(cat; echo .); p "${q%.}"; }
unset unset fresh
command -v shopt >/dev/null && shopt -s extglob
"""

# Constructs that print the output of the script in place of `@`. The `:` is for bash 5.2, which forgets an assignment
# right after a here-document in `$( )`.
NESTS = (
    "{\n@\n}",
    "(\n@\n)",
    "if :; then\n@\nfi",
    "case a in (a)\n@\n;; b) ;; esac",
    "f() {\n@\n}\nf",
    "for i in 1; do\n@\ndone",
    "{\n@\n} | cat",
    "{\n@\n} && : it\\'s # it's ) }",
    'printf %s "$(\n@\n)"',
    "printf '%s%s' '' \"$(printf %s \"$(\n@\n)\")\"",
    'x=$(\n@\n)\nprintf %s "$x"',
    'printf %s "${unset:-$(\n@\n)}"',
    'printf %s ${unset:-"$(\n@\n)"}',
    'x=$(cat <<END\n$(\n@\n)\nEND\n)\nprintf %s "$x"',
    "cat <<'END' >/dev/null\n\"`$(\nEND\n:\n@",
)


def rewritten(position: Position, constant: str | None = None) -> str:
    """Return the script of *position* for a shell, after assignments of its defaults.

    With a *constant*, this text is the value of `v`, and may be in the script itself.
    """
    script = parsed(position.script, "s")
    names = {text: f"pipegen_default_{number}" for number, text in enumerate(special_defaults(script))}
    lines = ["{}='{}'".format(name, text.replace("'", "'\\''")) for text, name in names.items()]

    def variable(placed: PlacedReference) -> str:
        return f"pipegen_{placed.reference.name}".replace(".", "_")

    def value(placed: PlacedReference) -> str | None:
        return constant if variable(placed) in ("pipegen_v", "pipegen_params_v") else None

    return "\n".join([*lines, rewrite(with_constants(script, value), variable, names, lambda _: False)])


def nested(position: Position, chance: Random) -> Position:
    """Return *position* inside other constructs that print the same text."""
    script = position.script
    for depth in range(chance.randint(2, 4)):
        script = chance.choice(NESTS).replace("END", f"END{depth}").replace("@", script)
    return replace(position, script=script, name=f"{position.name}, nested")


def program(positions: Sequence[Position], values: Sequence[str], constant: str | None) -> str:
    """Return a program that writes the output of each position for each value to `out/VALUE/POSITION`.

    A *constant* is the only value.
    """
    lines = [
        HEADER,
        "for name in {}; do".format(" ".join(f"'{value}'" for value in values)),
        'value=$(cat "values/$name" && echo .)',
    ]
    lines += ["value=${value%.}", "pipegen_empty= pipegen_full=full file=$(cat file)", 'mkdir "out/$name"']
    lines += ["pipegen_v=$value pipegen_params_v=$value pipegen_file=$file"]
    for number, position in enumerate(positions):
        spared = '[ "$name" = long ] || ' if position.is_quadratic else ""
        lines += [f"{spared}(", rewritten(position, constant), f') >"out/$name/{number}" || :']
    return "\n".join([*lines, "done", ""])


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a program: positions with wrong output, executed values, and the shell's errors."""

    wrong: list[str]
    is_canary_there: bool
    errors: str


def run(
    positions: Sequence[Position], shell: str, values: Sequence[str] = tuple(VALUES), constant: str | None = None
) -> Ran:
    """Run each position with each value in *shell*; a *constant* is the only value."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for subfolder in ("out", "values"):
            (folder / subfolder).mkdir()
        (folder / "file").write_text(FILE)
        for value, text in VALUES.items():
            (folder / "values" / value).write_bytes(text.encode())
        (folder / "program").write_text(program(positions, values, constant), encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        command = (*SHELLS[shell], "program")
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        wrong = [
            f"{position.name}, {value}: {rewritten(position, constant)!r} printed {printed_text[:100]!r}"
            for value in values
            for number, position in enumerate(positions)
            if not (position.is_quadratic and value == "long")
            if (printed_text := printed(folder, value, number)) != position.prints.replace("@", VALUES[value])
        ]
        return Ran(wrong, (folder / "canary").exists(), result.stderr.decode())


def printed(folder: Path, value: str, number: int) -> str:
    """Return the printed text; a shell that cannot parse the program writes no file."""
    file = folder / "out" / value / str(number)
    return file.read_bytes().decode() if file.exists() else "nothing"


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_values_are_unchanged_and_nothing_is_executed(shell: str) -> None:
    """Each value tries to create a file if executed, and none does."""
    require_program(SHELLS[shell][0])
    ran = run([position for position in POSITIONS if shell == "bash" or not position.is_bash], shell)

    assert ran.wrong == []
    assert not ran.is_canary_there
    assert ran.errors == ""


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("value", ["plain", "words", "keyword", "delimiter alone"])
def test_plain_constants_in_the_script_are_unchanged(shell: str, value: str) -> None:
    """Also those with blanks, and those that would end a here-document or be a keyword."""
    require_program(SHELLS[shell][0])
    positions = [position for position in POSITIONS if shell == "bash" or not position.is_bash]
    ran = run(positions, shell, (value,), VALUES[value])

    assert ran.wrong == []
    assert ran.errors == ""


def test_positions_are_many_and_have_unique_names() -> None:
    """The number must not shrink unnoticed."""
    assert len({position.name for position in POSITIONS}) == len(POSITIONS) > 150


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_nested_positions_print_the_same_value(shell: str) -> None:
    """Inside up to four other constructs."""
    require_program(SHELLS[shell][0])
    chance = Random(3)  # noqa: S311 - chance for tests, no secret
    alone = [
        position for position in POSITIONS if (shell == "bash" or not position.is_bash) and not position.is_quadratic
    ]
    ran = run([nested(chance.choice(alone), chance) for _ in range(60)], shell, ("substitution", "delimiter", "quotes"))

    assert ran.wrong == []
    assert not ran.is_canary_there
    assert ran.errors == ""
