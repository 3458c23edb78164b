"""Diagnostics of shellcheck, at the user's own lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from engines.requirement import require
from lint.findings import diagnostics_of, findings, stages

from pipegen.lint.rules.shellcheck import check


@pytest.fixture
def _shellcheck() -> None:
    """Skip if shellcheck is not installed."""
    require(None if shutil.which("shellcheck") else "shellcheck is not installed")


def block(script: str, more: str = "") -> str:
    """Return a config with *script* as a block."""
    lines = "".join(f"            {line}\n" if line else "\n" for line in script.splitlines())
    return f"pipelines:\n  p:\n    stages:\n      - name: a\n{more}        script:\n          - |\n{lines}"


@pytest.mark.usefixtures("_shellcheck")
@pytest.mark.parametrize(
    "text",
    [
        block("cd x\n\nfor f in *; do\n  rm $f\ndone"),
        stages("{name: a, script: [cd x, 'rm $f']}"),
        stages("{name: a, script: 'rm $f'}"),
        stages('{name: a, script: ["echo \\"x\\"", "rm $f"]}'),
        stages("{name: a, script: [ls], after: ['rm $f']}"),
        stages("{name: a, script: [ls], outputs: {x: {command: 'rm $f'}}}", "{name: b, script: ['echo ${a.x}']}"),
        block("echo '${a.stage}' ${.stage}; rm $f"),
    ],
)
def test_diagnostics_are_at_the_text_of_the_config(text: str) -> None:
    """The script may be a block, a list, an output or after references and escapes."""
    assert [text for _, text in findings(check, text)] == ["$f"]


@pytest.mark.usefixtures("_shellcheck")
@pytest.mark.parametrize(
    "script",
    [
        "rm ${b.x}",
        'rm "${b.x}"',
        "rm '${b.x}'",
        "[ ${b.x} = main ]",
        "case ${b.x} in main) ls ;; esac",
        'v=${b.x}; echo "$v"',
        "cat <<END\n${b.x}\nEND",
        "cat <<'END'\n${b.x}\nEND",
        "cd dist",
        "local_name=1; echo $local_name",
        "f() { local x=1; echo $x; }; f",
        "echo -n x",
        ". ./env",
        'echo "$from_outside"',
        "./ci/test | tail",
    ],
)
def test_code_that_pipegen_makes_safe_is_not_reported(script: str) -> None:
    """Pipegen quotes references and stops after errors, and variables may come from the environment."""
    text = (
        stages("{name: b, script: [ls], outputs: {x: {command: ls}}}")
        + block(script)[len("pipelines:\n  p:\n    stages:\n") :]
    )

    assert findings(check, text) == []


@pytest.mark.usefixtures("_shellcheck")
@pytest.mark.parametrize("script", ["\u201cmake\u201d", "echo $[[ inputs.x ]]", 'echo "$[[ inputs.x ]]"'])
def test_text_that_other_rules_report_is_not_reported_again(script: str) -> None:
    """Shellcheck reports each of the quotes, and that it cannot parse the expression."""
    assert findings(check, stages(f"{{name: a, script: ['{script}']}}")) == []
    assert findings(check, stages(f"{{name: a, script: ['{script} $f']}}")) != []


@pytest.mark.usefixtures("_shellcheck")
def test_each_shell_has_its_dialect() -> None:
    """Some bash syntax is an error in dash."""
    script = "if [[ $x = y ]]; then ls; fi"

    assert len(findings(check, block(script))) == 1
    assert findings(check, block(script, more="        shell: bash\n")) == []


@pytest.mark.usefixtures("_shellcheck")
def test_severities_and_disable_comments() -> None:
    """Errors and warnings have one code and notes another; style is not checked, and comments disable codes."""
    diagnostics = diagnostics_of(check, block("x=1\nrm $f\nls `ls`\n# shellcheck disable=SC2086\nrm $g"))

    assert [(diagnostic.code.number, diagnostic.message[:6]) for diagnostic in diagnostics] == [
        ("PG706", "SC2034"),
        ("PG707", "SC2086"),
        ("PG706", "SC2046"),
    ]


@pytest.mark.usefixtures("_shellcheck")
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_disable_comment_at_the_start_applies_to_all_entries(shell: str) -> None:
    """The comment is a separate entry."""
    text = stages(f"{{name: a, shell: {shell}, script: ['# shellcheck disable=SC2086', 'rm $f', ls, 'rm $g']}}")

    assert findings(check, text) == []


@pytest.mark.usefixtures("_shellcheck")
def test_equal_scripts_are_reported_for_each_stage() -> None:
    """They are checked once."""
    text = stages("{name: a, script: ['rm $f']}", "{name: b, script: ['rm $f']}")

    assert [line for line, _ in findings(check, text)] == [4, 5]


@pytest.mark.usefixtures("_shellcheck")
def test_line_breaks_and_columns_match_the_file() -> None:
    """Columns count characters, and lines may end in CRLF."""
    text = stages("{name: a, script: ['echo ä€😀 $f']}").replace("\n", "\r\n")

    assert findings(check, text) == [(4, "$f")]


def test_without_shellcheck_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is optional."""
    monkeypatch.setenv("PATH", "")

    assert findings(check, stages("{name: a, script: ['rm $f']}")) == []


def test_a_shellcheck_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be too old for our options."""
    program = tmp_path / "shellcheck"
    program.write_text("#!/bin/sh\necho 'unrecognized option' >&2\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(ChildProcessError, match="unrecognized option"):
        findings(check, stages("{name: a, script: ['rm $f']}"))
