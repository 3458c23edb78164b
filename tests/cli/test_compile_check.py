"""`pipegen compile --check`: is what lies there what the config says?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, WARNED, Pipegen, names


def test_equal_files_are_fine(here: Path, pipegen: Pipegen) -> None:
    """Nothing on standard output; a person is told which files were looked at."""
    pipegen("compile", "-t", "gitlab", "-t", "jenkins")
    result = pipegen("compile", "-t", "gitlab", "-t", "jenkins", "--check")

    assert (result.status, result.out) == (0, "")
    assert result.err == ".gitlab-ci.yml unchanged\nJenkinsfile unchanged\n"
    assert names(here) == {".gitlab-ci.yml", "Jenkinsfile"}


def test_a_stale_file_is_shown_as_a_diff(here: Path, pipegen: Pipegen) -> None:
    """From what lies there to what the config says; nothing is written."""
    pipegen("compile", "-t", "gitlab")
    before = (here / ".gitlab-ci.yml").read_bytes()
    (here / "pipegen.yaml").write_text(CONFIG.replace("lint", "style"), encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "--check")
    lines = result.out.splitlines()

    assert result.status == 1
    assert lines[:2] == ["--- .gitlab-ci.yml", "+++ .gitlab-ci.yml"]
    assert {"-lint:", "+style:"} < set(lines)
    assert 'error[PG681]: ".gitlab-ci.yml" differs from "pipegen.yaml"\n --> .gitlab-ci.yml:6:3\n' in result.err
    assert 'hint: run "pipegen compile"\n' in result.err
    assert (here / ".gitlab-ci.yml").read_bytes() == before


def test_a_missing_file_is_a_difference(here: Path, pipegen: Pipegen) -> None:
    """The whole file is shown as new."""
    result = pipegen("compile", "-t", "jenkins", "--check")

    assert (result.status, names(here)) == (1, set())
    assert result.out.startswith(f"--- {os.devnull}\n+++ Jenkinsfile\n@@ -0,0 +1,")


def test_each_stale_file_is_shown(here: Path, pipegen: Pipegen) -> None:
    """One that is fine does not hide one that is not."""
    pipegen("compile", "-t", "gitlab", "-t", "jenkins")
    (here / "Jenkinsfile").write_text("", encoding="utf-8")
    result = pipegen("compile", "-t", "jenkins", "-t", "gitlab", "--check")

    assert result.status == 1
    assert result.out.startswith("--- Jenkinsfile\n+++ Jenkinsfile\n")
    assert 'error[PG681]: "Jenkinsfile" was not written by pipegen\n' in result.err
    assert result.err.endswith("\n.gitlab-ci.yml unchanged\n")


def test_line_ends_count(here: Path, pipegen: Pipegen) -> None:
    """A diff of lines does not show them, so words do."""
    pipegen("compile", "-t", "gitlab")
    file = here / ".gitlab-ci.yml"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    result = pipegen("compile", "-t", "gitlab", "--check")

    assert (result.status, result.out) == (1, ".gitlab-ci.yml: line ends differ\n")


def test_a_named_file_is_compared(here: Path, pipegen: Pipegen) -> None:
    """With -o as without."""
    pipegen("compile", "-t", "gitlab", "-o", "ci.yml")

    assert pipegen("compile", "-t", "gitlab", "-o", "ci.yml", "--check").status == 0
    assert pipegen("compile", "-t", "jenkins", "-o", "ci.yml", "--check").status == 1
    assert names(here) == {"ci.yml"}


def test_a_file_from_elsewhere_is_compared_all_the_same(here: Path, pipegen: Pipegen) -> None:
    """Nothing is written, so nothing needs to be protected."""
    (here / "Jenkinsfile").write_text("node { }\n", encoding="utf-8")
    result = pipegen("compile", "-t", "jenkins", "--check")

    assert (result.status, "-node { }" in result.out) == (1, True)


@pytest.mark.usefixtures("here")
def test_standard_output_holds_nothing_to_compare_with(pipegen: Pipegen) -> None:
    """Wrong usage."""
    result = pipegen("compile", "-t", "jenkins", "--check", "-o", "-")

    assert (result.status, result.out) == (2, "")
    assert result.err == "pipegen: --check compares with a file: omit --output, or name the file\n"


def test_errors_come_first(here: Path, pipegen: Pipegen) -> None:
    """A config with errors says nothing that could be compared."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    result = pipegen("compile", "-t", "jenkins", "--check")

    assert (result.status, result.out, "error[PG301]" in result.err) == (1, "", True)


def test_json_is_not_mixed_with_words(here: Path, pipegen: Pipegen) -> None:
    """Standard output holds the document alone, standard error the diff."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "--check", "--format", "json")

    assert (result.status, result.err[:4], result.out[:1], result.out[-2:]) == (1, "--- ", "{", "}\n")
    assert [one["code"] for one in json.loads(result.out)["diagnostics"]] == ["PG681", "PG624"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "github", "junit"])
def test_a_report_is_the_output(form: str, here: Path, pipegen: Pipegen) -> None:
    """Whole in a file that standard output goes to: with drift, with errors in the config, and without any."""
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
def test_a_concise_line_is_for_people(pipegen: Pipegen) -> None:
    """As the text is: the diff is the output."""
    result = pipegen("compile", "-t", "jenkins", "--check", "--format", "concise")

    assert (result.out.startswith("--- "), "PG681" in result.err) == (True, True)
