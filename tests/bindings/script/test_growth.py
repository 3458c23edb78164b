"""Reading a script takes linear time, whatever surrounds its references."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from textwrap import indent

import pytest
from test_growth import calls

from pipegen.compiler import analyse
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile

R = "${.stage}"
# A part that is repeated between a start and an end.
SHAPES = {
    "words": ("", f"\\x {R} ", ""),
    "one word": ("\\x", f"{R}x", ""),
    "one text": ('"\\x', f"{R}x", '"'),
    "single quotes": ("\\x", f" '{R}'", ""),
    "ANSI quotes": ("\\x", f" $'{R}'", ""),
    "substitutions": ("", f"$(echo {R}) ", ""),
    "backticks": ("", f"`echo {R}` ", ""),
    "defaults": ("", f"${{x:-{R}}} ", ""),
    "patterns": ("", f"${{x#{R}}} ", ""),
    "escapes": ("", "$${stage.x} ", ""),
    "combinations": ("\\x", " ${stage[a=1].x}", ""),
    "slips": ("\\x", " ${stge.x}", ""),
    "lines": ("", f"echo \\x {R}\n", ""),
    "comments": ("\\x", f" # {R}\n", ""),
    "here-documents": ("", f"cat <<E\n{R}\nE\n", ""),
    "quoted here-documents": ("", f"cat <<'E'\n{R}\nE\n", ""),
    "here-documents on a line": ("cat ", "<<E ", f"{R}\n"),
    "arithmetic": (f"echo {R}", "$((1))", ""),
    "no arithmetic": ("", f"$((a) b){R} ", ""),
    "open arithmetic": ("", f"((a {R}", ""),
    "open subshells": ("", f"( {R} ", ""),
    "open conditions": ("", f"if {R}; then ", ""),
    "conditions": ("", f"[[ {R} -eq 1 ]] && ", "x"),
    "cases": ("", f"case {R} in a) b;; esac\n", ""),
    "open cases": ("", f"case {R} in a) ", ""),
    "arrays": ("a=(", f"{R} ", ")"),
    "open arrays": ("", f"a=({R} ", ""),
    "declarations": ("", f"declare -i x={R}; ", ""),
    "pipes into a shell": ("", f"echo {R} | sh; ", ""),
    "a pipe through shells": ("", f"echo {R} | sh | ", "cat"),
    "programs": ("", f"python -c '{R}' ", ""),
    "interpreters": ("docker run ", "sh bash python ", f"{R}\\x"),
    "entry points": ("docker run ", "--entrypoint sh ", f"{R}\\x"),
    "commands of find": ("find ", "-exec sh -c ", f"{R}\\x"),
    "modules": ("docker run ", "python -m timeit ", f"{R}\\x"),
    "words passed on": ("docker run ", "capsh -- sh -c ", f"{R}\\x"),
    "named programs": ("start-stop-daemon ", "-x sh -- -c ", f"{R}\\x"),
    "lists of commands": ("az ", f"--scripts a {R} ", "\\x"),
    "outputs": ("", f"x -o '|{R}' ", "\\x"),
    "machines": ("", "ssh h ", f"{R}\\x"),
}


DEEP = ("open arithmetic", "open subshells", "open conditions", "open cases", "open arrays", "machines")


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_reading_a_script_is_linear_in_its_length(shape: str) -> None:
    """A large script must not block the compiler, whatever its syntax."""
    check(shape, 1)
    few, some, many = (calls(partial(check, shape, count)) for count in (25, 50, 100))

    assert many - some < 2.4 * (some - few) + 500


@pytest.mark.slow
@pytest.mark.parametrize("shape", DEEP)
def test_a_deeply_nested_script_is_read_or_reported(shape: str) -> None:
    """A script nested beyond the limit is either reported, or read as far as references need it."""
    assert {code.name for code in check(shape, 1_500)} <= {"reference-in-program", "unreadable-shell"}


def check(shape: str, count: int) -> set[Code]:
    """Return the codes reported for a script that repeats the part of *shape* *count* times."""
    start, part, end = SHAPES[shape]
    script = indent(f"true\n{start}{part * count}{end}\n", " " * 12)
    config = f"pipelines:\n  p:\n    stages:\n      - name: a\n        script:\n          - |\n{script}"
    report = Report()
    with suppress(Stopped):
        analyse(SourceFile("pipegen.yaml", config), (), report)
    return {diagnostic.code for diagnostic in report.diagnostics()}
