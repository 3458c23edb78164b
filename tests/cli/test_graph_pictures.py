"""`pipegen graph` as SVG and HTML."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.program import CONFIG, SEVERAL, Pipegen

FLOW = """\
templates:
  python: { image: 'python:3.12', description: Runs on Python. }
pipelines:
  service:
    stages:
      - name: build
        extends: python
        script: [make dist, "echo '  two  spaces'"]
        outputs: { version: { command: cat VERSION }, size: { command: cat SIZE } }
        artifacts: [dist/]
      - name: test
        matrix: { python: ['3.11', '3.12'] }
        script: |
          python${matrix.python} -m pytest  \\
            --expected "${build.version}"
      - name: deploy
        when: { branch: main }
        approve: Ship it?
        lock: production
        environment: 'prod/${setup.branch}'
        agent: [linux, big]
        timeout: 1 hour
        retry: 2
        allow_failure: { exit_codes: [3] }
        script: ['./deploy "${build.version|none}"']
      - name: announce
        approve: { delay: 90 minutes }
        cases: [{ when: { event: schedule }, env: { ROOM: nightly } }]
        script: [./announce "$ROOM"]
      - { name: tidy, script: [./tidy] }
    execution: [[build, test, deploy, announce]]
    finally: [tidy]
"""


def stages(text: str) -> dict[str, Any]:
    """Return the stages of a page by name."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert match
    return {stage["name"]: stage for pipeline in json.loads(match[1]) for stage in pipeline["stages"]}


@pytest.fixture
def flow(empty: Path, pipegen: Pipegen) -> dict[str, Any]:
    """Return the stages on the page of FLOW."""
    (empty / "pipegen.yaml").write_text(FLOW, encoding="utf-8")
    result = pipegen("graph", "--format", "html")
    assert (result.status, result.err) == (0, "")
    return stages(result.out)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("form", "start"), [("svg", "<svg "), ("html", "<!DOCTYPE html>\n")])
def test_a_picture_goes_to_standard_output_or_a_file(form: str, start: str, pipegen: Pipegen) -> None:
    """The text is the same in both, and in every call."""
    shown = pipegen("graph", "--format", form)
    written = [pipegen("graph", "--format", form, "-o", "picture") for _ in range(2)]

    assert [result.status for result in (shown, *written)] == [0, 0, 0]
    assert shown.out.startswith(start)
    assert Path("picture").read_text(encoding="utf-8") == shown.out
    assert {result.out for result in written} == {""}


@pytest.mark.usefixtures("here")
def test_a_picture_does_not_overwrite_other_files(pipegen: Pipegen) -> None:
    """Folders and paths in missing folders are rejected, too."""
    for name, text in (("pipegen.yaml", "is not HTML"), (".", "is a folder"), ("no/page.html", "does not exist")):
        result = pipegen("graph", "--format", "html", "-o", name)

        assert result.status == 2
        assert text in result.err
    assert Path("pipegen.yaml").read_text(encoding="utf-8") == CONFIG


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "gitlab", "--format", "svg"], "--target is for --format html"),
        (["--target", "gitlub", "--format", "html"], "gitlub"),
    ],
)
def test_options_of_other_formats_are_rejected(arguments: list[str], message: str, pipegen: Pipegen) -> None:
    """The message names the formats that have the option."""
    result = pipegen("graph", *arguments)

    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_a_stage_has_its_script_config_and_location(flow: dict[str, Any]) -> None:
    """The script is unchanged, and the config includes templates."""
    assert flow["build"]["script"] == "make dist\necho '  two  spaces'"
    assert flow["test: 3.11"]["script"] == ('python${matrix.python} -m pytest  \\\n  --expected "${build.version}"\n')
    assert flow["build"]["description"] == "Runs on Python."
    assert flow["build"]["place"] == "pipegen.yaml:6"
    assert "image: python:3.12" in flow["build"]["config"]


def test_a_stage_has_its_settings_as_text(flow: dict[str, Any]) -> None:
    """These are conditions, approvals, agents and limits."""
    assert flow["deploy"]["marks"] == ["when", "approval", "may fail"]
    assert flow["deploy"]["facts"] == [
        ["When", "branch main"],
        ["Approval", "required: Ship it?"],
        ["Environment", "prod/${setup.branch}"],
        ["Lock", "production"],
        ["Agent", "linux, big"],
        ["Timeout", "1 h"],
        ["Attempts", "3"],
        ["May fail", "with exit status 3"],
    ]
    assert flow["test: 3.12"]["facts"] == [["Matrix", "python = 3.12"]]
    assert flow["announce"]["facts"] == [["Case", "event schedule: ROOM=nightly"], ["Starts after", "1 h 30 min"]]
    assert flow["tidy"]["marks"] == ["finally"]


def test_outputs_have_readers_and_readers_have_outputs(flow: dict[str, Any]) -> None:
    """An output without readers is shown, too."""
    assert flow["build"]["outputs"] == [["version", ["test: 3.11", "test: 3.12", "deploy"]], ["size", []]]
    assert flow["deploy"]["reads"] == [["build", "version"]]
    assert flow["deploy"]["files"] == ["build"]
    assert flow["build"]["leaves"] == ["dist"]


def test_a_stage_has_an_excerpt_of_each_generated_file(flow: dict[str, Any]) -> None:
    """It is a job for GitLab and a stage of the Jenkinsfile."""
    (gitlab, gitlab_text, _), (jenkins, jenkins_text, _) = flow["deploy"]["generated"]

    assert (gitlab, jenkins) == ("gitlab", "jenkins")
    assert gitlab_text.startswith("deploy:\n")
    assert "environment:" in gitlab_text
    assert re.match(r"(addStage|stage)\('deploy'", jenkins_text)
    assert jenkins_text.count("{") == jenkins_text.count("}")


def test_a_target_with_errors_shows_the_reason(empty: Path, pipegen: Pipegen) -> None:
    """The page is still created."""
    (empty / "pipegen.yaml").write_text(
        "pipelines: { a: { stages: [{ name: docs, lock: [one, two], script: [make] }] } }", encoding="utf-8"
    )
    result = pipegen("graph", "--format", "html", "--target", "gitlab")
    ((name, text, reason),) = stages(result.out)["docs"]["generated"]

    assert (result.status, name, text) == (0, "gitlab", "")
    assert reason.startswith("PG6")


def test_excerpts_are_for_the_targets_of_the_config(empty: Path, pipegen: Pipegen) -> None:
    """The option `--target` selects others."""
    (empty / "pipegen.yaml").write_text(CONFIG + "targets: { jenkins: {} }\n", encoding="utf-8")
    own = stages(pipegen("graph", "--format", "html").out)["lint"]["generated"]
    generated = stages(pipegen("graph", "--format", "html", "-t", "gitlab").out)["lint"]["generated"]

    assert [excerpt[0] for excerpt in own] == ["jenkins"]
    assert [excerpt[0] for excerpt in generated] == ["gitlab"]


def test_several_pipelines_share_one_picture(empty: Path, pipegen: Pipegen) -> None:
    """The option `--pipeline` selects one."""
    (empty / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")

    assert pipegen("graph", "--format", "svg").out.count('class="title"') == 2
    alone = pipegen("graph", "--format", "svg", "--pipeline", "nightly").out
    assert alone.count('class="title"') == 1
    assert "longest path" not in alone


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
@pytest.mark.parametrize("form", ["svg", "html"])
def test_a_picture_of_a_generated_file_has_its_stages(target: str, form: str, pipegen: Pipegen) -> None:
    """They have their names from the config."""
    pipegen("compile", "--target", target, "-o", "made")
    result = pipegen("graph", "made", "--format", form)

    assert result.status == 0
    assert re.findall(r'class="name"[^>]*>([^<]*)<', result.out) == ["lint", "unit", "candidate"]


@pytest.mark.usefixtures("here")
def test_text_formats_do_not_import_picture_modules(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """They start faster without them."""
    for name in [name for name in sys.modules if name.startswith(("pipegen.pictures", "pipegen.cli.pictures.drawing"))]:
        monkeypatch.delitem(sys.modules, name)
    pipegen("graph")

    assert "pipegen.cli.pictures.drawing" not in sys.modules


def test_simulate_writes_an_html_page(here: Path, pipegen: Pipegen) -> None:
    """It has a chart and figures, and does not overwrite a file that is not HTML."""
    result = pipegen("simulate", "--executors", "1", "--html", "chart.html")
    refused = pipegen("simulate", "--html", "pipegen.yaml")
    text = (here / "chart.html").read_text(encoding="utf-8")

    assert result.status == 0
    assert text.startswith("<!DOCTYPE html>\n")
    assert "<td>candidate</td><td>2</td><td>3</td>" in text
    assert "Longest path" in text
    assert (refused.status, refused.err) == (2, 'pipegen: "pipegen.yaml" exists and is not HTML: name another file\n')
