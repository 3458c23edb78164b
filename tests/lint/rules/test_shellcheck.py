"""What shellcheck says, at the user's own lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from engines.requirement import require
from lint.findings import asked, stages, told

from pipegen.lint.rules.shellcheck import check


@pytest.fixture
def _shellcheck() -> None:
    """Skip where there is none."""
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
def test_places_are_those_of_the_user(text: str) -> None:
    """In a block, a list, a text alone, behind escapes, after a script, for an output, behind references."""
    assert [text for _, text in told(check, text)] == ["$f"]


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
def test_what_pipegen_writes_is_right(script: str) -> None:
    """A reference is quoted by pipegen, a script stops where a command fails, and the environment is from outside."""
    text = (
        stages("{name: b, script: [ls], outputs: {x: {command: ls}}}")
        + block(script)[len("pipelines:\n  p:\n    stages:\n") :]
    )

    assert told(check, text) == []


@pytest.mark.usefixtures("_shellcheck")
def test_each_shell_has_its_dialect() -> None:
    """What bash knows, dash does not."""
    script = "if [[ $x == y ]]; then ls; fi"

    assert len(told(check, block(script))) == 1
    assert told(check, block(script, more="        shell: bash\n")) == []


@pytest.mark.usefixtures("_shellcheck")
def test_severities_and_comments() -> None:
    """Errors and warnings are one code, notes another, style is not asked for; a comment keeps one from being told."""
    diagnostics = asked(check, block("x=1\nrm $f\nls `ls`\n# shellcheck disable=SC2086\nrm $g"))

    assert [(one.code.number, one.message[:6]) for one in diagnostics] == [
        ("PG706", "SC2034"),
        ("PG707", "SC2086"),
        ("PG706", "SC2046"),
    ]


@pytest.mark.usefixtures("_shellcheck")
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_comment_at_the_start_is_about_all(shell: str) -> None:
    """As an entry of its own."""
    text = stages(f"{{name: a, shell: {shell}, script: ['# shellcheck disable=SC2086', 'rm $f', ls, 'rm $g']}}")

    assert told(check, text) == []


@pytest.mark.usefixtures("_shellcheck")
def test_equal_scripts_are_asked_of_once_and_told_of_each() -> None:
    """Two stages with one script are two places."""
    text = stages("{name: a, script: ['rm $f']}", "{name: b, script: ['rm $f']}")

    assert [line for line, _ in told(check, text)] == [4, 5]


@pytest.mark.usefixtures("_shellcheck")
def test_any_line_break_and_any_character() -> None:
    """Lines end as the file has them, and columns count characters."""
    text = stages("{name: a, script: ['echo ä€😀 $f']}").replace("\n", "\r\n")

    assert told(check, text) == [(4, "$f")]


def test_without_shellcheck_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a hook says does not hang on it."""
    monkeypatch.setenv("PATH", "")

    assert told(check, stages("{name: a, script: ['rm $f']}")) == []


def test_a_shellcheck_that_fails_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is too old for our options, say."""
    program = tmp_path / "shellcheck"
    program.write_text("#!/bin/sh\necho 'unrecognized option' >&2\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(ChildProcessError, match="unrecognized option"):
        told(check, stages("{name: a, script: ['rm $f']}"))
