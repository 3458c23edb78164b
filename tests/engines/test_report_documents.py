"""The jobs in docs/reports.md: engines accept them, and their commands write the documented reports."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import check_jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
from cli.program import BROKEN
from diagnostics_render.published_schemas import CHECKS
from engines import gitlab_local
from engines.gitlab_local import Result
from engines.gitlab_schema import check
from engines.jenkins_harness import validate
from engines.jenkins_jvm import available
from engines.requirement import require

from pipegen.cli.app import run

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(?P<kind>[^\n]+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"pipegen (check [^'\n]*)")


def blocks(kind: str) -> Iterator[str]:
    """Yield the text of each block of *kind* in the document."""
    text = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    return (match["text"] for match in _BLOCK.finditer(text) if match["kind"] == kind)


GITLAB = [text for text in blocks("yaml fragment") if "runs-on" not in text]
GITHUB = [text for text in blocks("yaml fragment") if "runs-on" in text]
JENKINS = [*blocks("groovy")]
COMMANDS = sorted({command for text in (*GITLAB, *GITHUB, *JENKINS) for command in _COMMAND.findall(text)})


def test_the_document_has_a_job_for_every_format() -> None:
    """One for GitLab, two each for GitHub and Jenkins, and a command for each format but JSON."""
    assert (len(GITLAB), len(GITHUB), len(JENKINS)) == (1, 2, 2)
    assert {command.split()[2] for command in COMMANDS} == CHECKS.keys()


@pytest.mark.parametrize("text", GITLAB)
def test_the_gitlab_job_is_valid(text: str) -> None:
    """By GitLab's schema."""
    assert check(text) == ()


@pytest.mark.parametrize("text", GITHUB)
def test_the_github_workflows_are_valid(text: str, tmp_path: Path) -> None:
    """By the schema of workflows."""
    path, output = tmp_path / "workflow.yml", StringIO()
    path.write_text(text, encoding="utf-8")
    with redirect_stdout(output):
        check_jsonschema.main(
            ["--builtin-schema=vendor.github-workflows", "--output-format=json", str(path)], standalone_mode=False
        )

    assert json.loads(output.getvalue())["errors"] == []


def test_the_jenkins_pipelines_are_valid() -> None:
    """By Jenkins' linter."""
    require(available())
    values = validate({str(number): text for number, text in enumerate(JENKINS)})

    assert [*values.values()] == [()] * len(JENKINS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_write_reports_and_fail(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the named format, to the named file."""
    (tmp_path / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)
    monkeypatch.setattr(sys, "argv", ["pipegen", *words])
    status = run()
    form, output = words[2], words[4:5]
    text = Path(output[0]).read_text(encoding="utf-8") if output else capsys.readouterr().out

    assert status == 1
    assert "PG301" in text
    assert CHECKS[form](text) == []


def test_the_gitlab_job_fails_and_stores_its_report(
    repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """Its log has the reason, and paths in the report are relative to the root."""
    require(gitlab_local.available())
    programs = tmp_path / "programs"
    programs.mkdir()
    call = "from pipegen.__main__ import main; main()"
    for name, line in (("pip", ""), ("pipegen", f"PYTHONPATH='{ROOT}' exec '{sys.executable}' -c '{call}' \"$@\"")):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    workdir = tmp_path / "run"
    workdir.mkdir()
    in_folder = GITLAB[0].replace("pipegen check", "cd api && pipegen check").replace(": gl-", ": api/gl-")
    pipeline = gitlab_local.run(
        repository({"api/pipegen.yaml": BROKEN}),
        in_folder,
        workdir=workdir,
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
    )
    job = pipeline["pipegen"]
    (data,) = json.loads((job.workspace / "api" / "gl-code-quality-report.json").read_text(encoding="utf-8"))

    assert (job.result, "error[PG301]" in job.log) == (Result.FAILED, True)
    assert data["location"]["path"] == "api/pipegen.yaml"
