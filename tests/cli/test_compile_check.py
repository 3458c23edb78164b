"""`pipegen compile --check` compares generated files with the config."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, WARNED, Pipegen, names


def test_unchanged_files_succeed(here: Path, pipegen: Pipegen) -> None:
    """Standard output is empty, and standard error lists the files."""
    pipegen("compile", "-t", "gitlab", "-t", "jenkins")
    result = pipegen("compile", "-t", "gitlab", "-t", "jenkins", "--check")

    assert (result.status, result.out) == (0, "")
    assert result.err == ".gitlab-ci.yml unchanged\nJenkinsfile unchanged\n"
    assert names(here) == {".gitlab-ci.yml", "Jenkinsfile"}


def test_a_stale_file_is_shown_as_a_diff(here: Path, pipegen: Pipegen) -> None:
    """The diff goes from the file to the expected text, and nothing is written."""
    pipegen("compile", "-t", "gitlab")
    before = (here / ".gitlab-ci.yml").read_bytes()
    (here / "pipegen.yaml").write_text(CONFIG.replace("lint", "style"), encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "--check")
    lines = result.out.splitlines()

    assert result.status == 1
    assert lines[:2] == ["--- .gitlab-ci.yml", "+++ .gitlab-ci.yml"]
    assert {"-lint:", "+style:"} < set(lines)
    assert 'error[PG681]: ".gitlab-ci.yml" differs from "pipegen.yaml"\n --> .gitlab-ci.yml:6:3\n' in result.err
    assert 'hint: run "pipegen compile";\n' in result.err
    assert "this version of pipegen generates other text than the last" in result.err
    assert (here / ".gitlab-ci.yml").read_bytes() == before


def test_a_missing_file_is_a_difference(here: Path, pipegen: Pipegen) -> None:
    """The diff shows the whole file as new."""
    result = pipegen("compile", "-t", "jenkins", "--check")

    assert (result.status, names(here)) == (1, set())
    assert result.out.startswith(f"--- {os.devnull}\n+++ Jenkinsfile\n@@ -0,0 +1,")


def test_each_stale_file_is_shown(here: Path, pipegen: Pipegen) -> None:
    """An unchanged file does not hide a stale one."""
    pipegen("compile", "-t", "gitlab", "-t", "jenkins")
    (here / "Jenkinsfile").write_text("", encoding="utf-8")
    result = pipegen("compile", "-t", "jenkins", "-t", "gitlab", "--check")

    assert result.status == 1
    assert result.out.startswith("--- Jenkinsfile\n+++ Jenkinsfile\n")
    assert 'error[PG681]: "Jenkinsfile" was not written by pipegen\n' in result.err
    assert result.err.endswith("\n.gitlab-ci.yml unchanged\n")


def test_different_line_ends_are_a_difference(here: Path, pipegen: Pipegen) -> None:
    """A line diff does not show them, so a message does."""
    pipegen("compile", "-t", "gitlab")
    file = here / ".gitlab-ci.yml"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    result = pipegen("compile", "-t", "gitlab", "--check")

    assert (result.status, result.out) == (1, ".gitlab-ci.yml: line ends differ\n")


def test_check_compares_the_output_file(here: Path, pipegen: Pipegen) -> None:
    """The option `--output` names it."""
    pipegen("compile", "-t", "gitlab", "-o", "ci.yml")

    assert pipegen("compile", "-t", "gitlab", "-o", "ci.yml", "--check").status == 0
    assert pipegen("compile", "-t", "jenkins", "-o", "ci.yml", "--check").status == 1
    assert names(here) == {"ci.yml"}


def test_a_file_that_pipegen_did_not_write_is_compared(here: Path, pipegen: Pipegen) -> None:
    """Nothing is written, so it needs no protection."""
    (here / "Jenkinsfile").write_text("node { }\n", encoding="utf-8")
    result = pipegen("compile", "-t", "jenkins", "--check")

    assert (result.status, "-node { }" in result.out) == (1, True)


@pytest.mark.usefixtures("here")
def test_check_with_standard_output_is_wrong_usage(pipegen: Pipegen) -> None:
    """There is no file to compare with."""
    result = pipegen("compile", "-t", "jenkins", "--check", "-o", "-")

    assert (result.status, result.out) == (2, "")
    assert result.err == "pipegen: --check compares with a file: omit --output, or name the file\n"


def test_a_config_with_errors_is_not_compared(here: Path, pipegen: Pipegen) -> None:
    """It generates no text to compare with."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    result = pipegen("compile", "-t", "jenkins", "--check")

    assert (result.status, result.out, "error[PG301]" in result.err) == (1, "", True)


def test_json_and_the_diff_are_separate_streams(here: Path, pipegen: Pipegen) -> None:
    """Standard output has only the document, and standard error has the diff."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "--check", "--format", "json")

    assert (result.status, result.err[:4], result.out[:1], result.out[-2:]) == (1, "--- ", "{", "}\n")
    assert [diagnostic["code"] for diagnostic in json.loads(result.out)["diagnostics"]] == ["PG681", "PG624"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "github", "junit"])
def test_a_report_is_written_to_standard_output(form: str, here: Path, pipegen: Pipegen) -> None:
    """It is complete with drift, with errors in the config, and without either."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    broken = pipegen("compile", "-t", "jenkins", "--check", "--format", form)
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    stale = pipegen("compile", "-t", "jenkins", "--check", "--format", form)
    pipegen("compile", "-t", "jenkins")
    fresh = pipegen("compile", "-t", "jenkins", "--check", "--format", form)

    assert ("PG301" in broken.out, broken.err) == (True, "")
    assert ("PG681" in stale.out, stale.out.count("\n+++"), stale.err.startswith("--- ")) == (True, 0, True)
    assert ("PG681" in fresh.out, fresh.err) == (False, "")
    assert fresh.out or form == "github"


@pytest.mark.usefixtures("here")
def test_concise_diagnostics_go_to_standard_error(pipegen: Pipegen) -> None:
    """As with text, standard output has the diff."""
    result = pipegen("compile", "-t", "jenkins", "--check", "--format", "concise")

    assert (result.out.startswith("--- "), "PG681" in result.err) == (True, True)
