"""Regular expressions that grep, RE2 and Python read alike."""

from __future__ import annotations

import os
import subprocess

import pytest

from pipegen.plan.runs.input_patterns import first_incompatibility, matches

TAKEN = {
    "v[0-9]+([.][0-9]+)*": (("v1", "v1.20"), ("v", "1", "v1.", "v1 ")),
    "a|bc": (("a", "bc"), ("ac", "abc", "")),
    "(a|b)?c{2,3}": (("acc", "bccc", "cc"), ("c", "abcc", "cccc")),
    "^x.*y$": (("xy", "x\\\"'$(id)y"), ("axy", "xyb")),
    r"\.\*\+\?\(\)\[\]\{\}\|\^\$\\": ((".*+?()[]{}|^$\\",), (".",)),
    "[^a-c-]+": (("xyz", "A"), ("b", "-")),
    "[+*.?(){}|^$-]": (("+", "-", "^", "$"), ("a", "")),
    "a{0,2}b{1}c{2,}": (("bcc", "aabccc"), ("aaabcc", "bc")),
    "(a(b(c)))": (("abc",), ("a",)),
    "..": (("ab", "ä", "  "), ("a", "€")),
}


@pytest.mark.parametrize("pattern", TAKEN)
def test_grep_and_python_match_the_same_values(pattern: str) -> None:
    """Both match the whole value, byte by byte."""
    taken, refused = TAKEN[pattern]
    grep = {
        value: subprocess.run(
            ["grep", "-Eqx", pattern], input=f"{value}\n".encode(), env={**os.environ, "LC_ALL": "C"}, check=False
        ).returncode
        == 0
        for value in (*taken, *refused)
    }

    assert first_incompatibility(pattern) is None
    assert grep == {**dict.fromkeys(taken, True), **dict.fromkeys(refused, False)}
    assert {value: matches(pattern, value) for value in grep} == grep


@pytest.mark.parametrize(
    ("pattern", "at"),
    [
        *((r"a\d", 1), (r"\w+", 0), ("a\\", 1), (r"\b", 0), (r"(a)\1", 3)),
        *(("(?:a)", 0), ("(?i)a", 0), ("a+?", 2), ("a*+", 2), ("a{2}{3}", 4), ("*a", 0), ("^*", 1), ("(*)", 1)),
        *(("(a", 0), ("a)", 1), ("()", 1), ("a|", 1), ("|a", 0), ("a||b", 2), ("", 0), ("^$", 1)),
        *(("[a", 0), ("[]a]", 1), ("[[:alpha:]]", 1), (r"[\d]", 1), ("[z-a]", 1), ("[a-c-e]", 1), ("[a&&b]", 2)),
        *(("a{", 1), ("a{,2}", 1), ("a{3,2}", 1), ("a{256}", 1), ("a}", 1), ("a]", 1)),
        ("(" * 3_000 + "a" + ")" * 3_000, 50),
        *(("a^b", 1), ("a$b", 1), ("naïve", 2), ("a\tb", 1)),
    ],
)
def test_incompatible_patterns_are_reported(pattern: str, at: int) -> None:
    """The diagnostic has a location."""
    incompatibility = first_incompatibility(pattern)

    assert incompatibility is not None
    assert incompatibility.at == at
    assert incompatibility.hint
