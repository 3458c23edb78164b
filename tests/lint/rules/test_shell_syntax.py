"""Scripts that their shell cannot parse are reported at the user's line, and are never executed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from engines.requirement import require
from lint.findings import diagnostics_of, findings, stages

from pipegen.lint.rules.shell_syntax import check


@pytest.fixture(autouse=True)
def _shells() -> None:
    """Skip if a shell is missing, because the rule then reports nothing."""
    require(None if shutil.which("sh") and shutil.which("bash") else "sh and bash are not both installed")


def codes(*written: str) -> list[str]:
    """Return the codes reported for the stages *written*."""
    return [diagnostic.code.number for diagnostic in diagnostics_of(check, stages(*written))]


@pytest.mark.parametrize(
    ("script", "location"),
    [
        ("[make, 'echo \"a', echo b]", '"'),
        ("[make, 'echo $(', echo b]", "$"),
        ("[make, 'echo `date', echo b]", "`"),
        ("[make, 'if true; then', echo b]", "echo b"),
        ("[make, '(cd x', echo b]", "("),
        ("[make, fi, echo b]", "fi"),
        ("[make, 'echo a )', echo b]", ")"),
        ("[make, '}', echo b]", "}"),
    ],
)
def test_a_script_with_a_syntax_error_is_reported(script: str, location: str) -> None:
    """The location is the unclosed syntax, or the line that the shell names."""
    assert findings(check, stages(f"{{name: a, script: {script}}}")) == [(4, location)]
    assert codes(f"{{name: a, script: {script}}}") == ["PG720"]


@pytest.mark.parametrize(
    ("script", "location"),
    [
        ('["echo \'a", "b\'", make]', "'"),
        ("['echo \"a', 'b\"']", '"'),
        ("[make, 'echo `date', '+%s`']", "`"),
        ("[cat <<X, text, X]", "<"),
        ("['cat <<-\"END\" | sort', b, a, END, make]", "<"),
    ],
)
def test_an_entry_that_needs_a_later_one_is_reported(script: str, location: str) -> None:
    """The shell parses the whole script, but engines indent entries or print each one."""
    assert findings(check, stages(f"{{name: a, script: {script}}}")) == [(4, location)]


@pytest.mark.parametrize(
    "script",
    [
        "['if true; then', make, fi]",
        '["echo it\\\\\'s", make]',
        "['echo a # it is not', \"make # it's\"]",
        "['grep -q X <<<X', X]",
        "['echo \"cat <<X\"', make]",
        '["cat <<X\\na\\nX", X]',
    ],
)
def test_complete_entries_are_not_reported(script: str) -> None:
    """Compound commands may span entries; comments, escaped quotes and here-strings open nothing."""
    assert [code for code in codes(f"{{name: a, shell: bash, script: {script}}}") if code == "PG720"] == []


@pytest.mark.slow
@pytest.mark.parametrize("opening", ["'", '"', "`", "$(", "(", "{ ", "if x; then", "case x in", "cat <<E"])
@pytest.mark.parametrize("closing", ["'", '"', "`", ")", "} ", "fi", "esac", "E"])
def test_scripts_are_parsed_independently(opening: str, closing: str) -> None:
    """One process reads them all; an open here-document ends with its script."""
    texts = (opening, closing, "make")
    written = [f"{{name: s{number}, script: [': x', {text!r}]}}" for number, text in enumerate(texts)]
    alone = [number for number, script in enumerate(written) if codes(script)]

    assert [line - 4 for line, _ in findings(check, stages(*written))] == alone


@pytest.mark.parametrize("script", ["x=(1 2)", "cat < <(date)", "f-g() { ls; }", "[[ $x =~ (a|b) ]]", "((i++)) |& cat"])
def test_bash_syntax_is_a_warning_for_sh(script: str) -> None:
    """There is none if sh is bash, or with `shell: bash`."""
    is_bash = not codes("{name: a, script: 'x=(1 2)'}")

    assert codes(f"{{name: a, script: '{script}'}}") == ([] if is_bash else ["PG721"])
    assert codes(f"{{name: a, shell: bash, script: '{script}'}}") == []


@pytest.mark.parametrize(
    "script",
    [
        '["shopt -s extglob", "rm -f !(a|b)"]',
        "[if true; then, ls, fi]",
        '["cat <<E\\nit\'s (\\nE"]',
        '["# it\'s", "echo \\"it\'s\\""]',
        "['echo ${b.stage} \"${b.stage}\"', 'case ${b.stage} in a) ls ;; esac']",
        "[\"cat <<'E'\\n${b.stage} $(\\nE\"]",
        '["echo ${b.stage|it\'s}", make]',
    ],
)
def test_valid_scripts_are_not_reported(script: str) -> None:
    """They span entries and contain comments, here-documents and references."""
    assert codes("{name: b, script: ls}", f"{{name: a, shell: bash, script: {script}}}") == []


def test_outputs_and_after_are_separate_scripts() -> None:
    """Each error is reported at its line."""
    text = stages(
        "{name: a, script: make, after: ['echo (']}", "{name: b, script: make, outputs: {v: {command: '\"'}}}"
    )

    assert findings(check, text) == [(4, "("), (5, '"')]


def test_no_script_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment and scripts that close the surrounding syntax cannot change this."""
    canary = tmp_path / "canary"
    (tmp_path / "rc").write_text(f"touch {canary}-rc\n", encoding="utf-8")
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "rc"))
    monkeypatch.setenv("ENV", str(tmp_path / "rc"))
    touch = f"touch {canary}"
    scripts = (touch, f"}}; {touch}; {{", f"set +n; {touch}", f"x=$({touch}) y=`{touch}`")
    for shell in ("sh", "bash"):
        codes(*(f"{{name: s{number}, shell: {shell}, script: '{script}'}}" for number, script in enumerate(scripts)))

    assert [path.name for path in tmp_path.iterdir()] == ["rc"]


def test_many_scripts_take_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one cannot be parsed, it is found by bisection."""
    started: list[Sequence[str]] = []
    start = subprocess.run

    def counted(words: Sequence[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        started.append(words)
        return start(words, **more)

    monkeypatch.setattr(subprocess, "run", counted)
    written = [f"{{name: s{number}, script: echo {number}}}" for number in range(64)]
    codes(*written)
    assert len(started) == 1

    assert codes(*written, "{name: bad, script: 'echo \"'}") == ["PG720"]
    assert len(started) < 24
