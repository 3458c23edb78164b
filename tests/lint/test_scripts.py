"""Scripts for shellcheck have the length of the original, with each character at its offset."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as some
from lint.findings import checked, stages

from pipegen.diagnostics.report import Stopped
from pipegen.lint.scripts import ShellText, shell_texts
from pipegen.plan.model import ShellProgram

MAKER = "{name: a, script: [ls], outputs: {x: {command: ls}}}"


def texts(*entries: str, more: str = "") -> list[ShellText]:
    """Return the scripts of a stage with *entries*, without those of the stage that it may read."""
    return list(shell_texts(checked(stages(MAKER, f"{{name: b, script: {json.dumps(entries)}{more}}}"))))[2:]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("ls ${a.x}", 'ls "$pa_"'),
        ('ls "${a.x}"', 'ls "${pa_}"'),
        ("ls '${a.x}'", "ls 'pa_x__'"),
        ("ls $${a.x}", "ls xxxxxxx"),
        ("cat <<E\n${a.x}\nE", "cat <<E\n${pa_}\nE"),
        ("ls ${FOO} $(pwd)", "ls ${FOO} $(pwd)"),
        ("ls ${a.x|none}", 'ls "$pa_x____"'),
    ],
)
def test_a_reference_is_replaced_by_a_variable(entry: str, expected: str) -> None:
    """The variable is quoted as the reference would be; in single quotes, it is text."""
    (scripts,) = texts(entry)

    assert scripts.text == f"{expected}\n"


def test_after_and_outputs_are_separate_scripts() -> None:
    """Each runs in a separate shell."""
    scripts = texts("ls", "pwd", more=", after: [date], outputs: {v: {command: id}}, shell: bash")

    assert [script.text for script in scripts] == ["ls\npwd\n", "id\n", "date\n"]
    assert {script.shell for script in scripts} == {ShellProgram.BASH}


PIECES = some.sampled_from(
    [
        "ls ",
        "${a.x}",
        '"',
        "'",
        "\n",
        "$f ",
        "ä€😀",
        "# x",
        "\t",
        "$${a.x}",
        "${a.x|d e}",
        "\\\\",
        "$(pwd)",
        "cat <<E\n${a.x}\nE\n",
    ]
)


@given(some.lists(some.lists(PIECES, min_size=1, max_size=6).map("".join), min_size=1, max_size=3))
def test_any_script_keeps_its_offsets(entries: list[str]) -> None:
    """Each part is mapped to a span within its entry."""
    try:
        scripts = texts(*entries)
    except Stopped:
        return
    for text in scripts:
        assert len(text.text) == sum(len(entry.text) + 1 for entry in text.entries)
        assert "${a.x" not in re.sub("#.*", "", text.text)
        assert text.text.count("\n") == sum(entry.text.count("\n") + 1 for entry in text.entries)
        for start in range(len(text.text)):
            span = text.span_of(start, start + 1)

            assert any(entry.span.start <= span.start <= span.end <= entry.span.end for entry in text.entries)
