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
      - { name: announce, approve: { delay: 90 minutes }, script: [./announce] }
      - { name: tidy, script: [./tidy] }
    execution: [[build, test, deploy, announce]]
    finally: [tidy]
"""


def stages(text: str) -> dict[str, Any]:
    """Return the stages on a page by name."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return {stage["name"]: stage for pipeline in json.loads(found[1]) for stage in pipeline["stages"]}


@pytest.fixture
def flow(empty: Path, pipegen: Pipegen) -> dict[str, Any]:
    """Return what the page of FLOW tells."""
    (empty / "pipegen.yaml").write_text(FLOW, encoding="utf-8")
    result = pipegen("graph", "--format", "html")
    assert (result.status, result.err) == (0, "")
    return stages(result.out)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("form", "start"), [("svg", "<svg "), ("html", "<!DOCTYPE html>\n")])
def test_a_picture_is_written_out_or_to_a_file(form: str, start: str, pipegen: Pipegen) -> None:
    """The same text, and twice the same."""
    shown = pipegen("graph", "--format", form)
    written = [pipegen("graph", "--format", form, "-o", "picture") for _ in range(2)]

    assert [one.status for one in (shown, *written)] == [0, 0, 0]
    assert shown.out.startswith(start)
    assert Path("picture").read_text(encoding="utf-8") == shown.out
    assert {one.out for one in written} == {""}


@pytest.mark.usefixtures("here")
def test_no_other_file_is_written_over(pipegen: Pipegen) -> None:
    """Nor a folder, nor one that is not there."""
    for name, told in (("pipegen.yaml", "is not HTML"), (".", "is a folder"), ("no/page.html", "does not exist")):
        result = pipegen("graph", "--format", "html", "-o", name)

        assert result.status == 2
        assert told in result.err
    assert Path("pipegen.yaml").read_text(encoding="utf-8") == CONFIG


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--output", "graph.dot", "--format", "dot"], "--output is for --format svg and html"),
        (["--target", "gitlab", "--format", "svg"], "--target is for --format html"),
        (["--target", "gitlub", "--format", "html"], "gitlub"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments: list[str], told: str, pipegen: Pipegen) -> None:
    """With the way out."""
    result = pipegen("graph", *arguments)

    assert (result.status, result.out) == (2, "")
    assert told in result.err


def test_a_stage_is_told_as_it_is_written(flow: dict[str, Any]) -> None:
    """Its script to the byte, what templates add, and where it stands."""
    assert flow["build"]["script"] == "make dist\necho '  two  spaces'"
    assert flow["test: 3.11"]["script"] == ('python${matrix.python} -m pytest  \\\n  --expected "${build.version}"\n')
    assert flow["build"]["description"] == "Runs on Python."
    assert flow["build"]["place"] == "pipegen.yaml:6"
    assert "image: python:3.12" in flow["build"]["config"]


def test_what_holds_for_a_stage_is_told_in_words(flow: dict[str, Any]) -> None:
    """Conditions, what it waits for, where it runs and its limits."""
    assert flow["deploy"]["marks"] == ["when", "approval", "may fail"]
    assert flow["deploy"]["facts"] == [
        ["When", "branch main"],
        ["Approval", "Ship it?"],
        ["Environment", "prod/${setup.branch}"],
        ["Lock", "production"],
        ["Agent", "linux, big"],
        ["Timeout", "1 h"],
        ["Attempts", "3"],
        ["May fail", "with exit status 3"],
    ]
    assert flow["test: 3.12"]["facts"] == [["Matrix", "python = 3.12"]]
    assert flow["announce"]["facts"] == [["Starts after", "1 h 30 min"]]
    assert flow["tidy"]["marks"] == ["finally"]


def test_who_reads_what_is_told_at_both_ends(flow: dict[str, Any]) -> None:
    """An output that nobody reads, too."""
    assert flow["build"]["outputs"] == [["version", ["test: 3.11", "test: 3.12", "deploy"]], ["size", []]]
    assert flow["deploy"]["reads"] == [["build", "version"]]
    assert flow["deploy"]["files"] == ["build"]
    assert flow["build"]["leaves"] == ["dist"]


def test_each_target_shows_what_it_makes_of_a_stage(flow: dict[str, Any]) -> None:
    """The job of GitLab, the stage of a Jenkinsfile."""
    (gitlab, gitlab_text, _), (jenkins, jenkins_text, _) = flow["deploy"]["generated"]

    assert (gitlab, jenkins) == ("gitlab", "jenkins")
    assert gitlab_text.startswith("deploy:\n")
    assert "environment:" in gitlab_text
    assert re.match(r"(addStage|stage)\('deploy'", jenkins_text)
    assert jenkins_text.count("{") == jenkins_text.count("}")


def test_a_target_that_refuses_says_why(empty: Path, pipegen: Pipegen) -> None:
    """And the page is made all the same."""
    (empty / "pipegen.yaml").write_text(
        "pipelines: { a: { stages: [{ name: docs, lock: [one, two], script: [make] }] } }", encoding="utf-8"
    )
    result = pipegen("graph", "--format", "html", "--target", "gitlab")
    ((name, text, reason),) = stages(result.out)["docs"]["generated"]

    assert (result.status, name, text) == (0, "gitlab", "")
    assert reason.startswith("PG6")


def test_the_targets_of_the_config_are_shown(empty: Path, pipegen: Pipegen) -> None:
    """No others, unless they are asked for."""
    (empty / "pipegen.yaml").write_text(CONFIG + "targets: { jenkins: {} }\n", encoding="utf-8")
    own = stages(pipegen("graph", "--format", "html").out)["lint"]["generated"]
    asked = stages(pipegen("graph", "--format", "html", "-t", "gitlab").out)["lint"]["generated"]

    assert [one[0] for one in own] == ["jenkins"]
    assert [one[0] for one in asked] == ["gitlab"]


def test_several_pipelines_are_one_picture(empty: Path, pipegen: Pipegen) -> None:
    """Unless one is chosen."""
    (empty / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")

    assert pipegen("graph", "--format", "svg").out.count('class="title"') == 2
    alone = pipegen("graph", "--format", "svg", "--pipeline", "nightly").out
    assert alone.count('class="title"') == 1
    assert "longest path" not in alone


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
@pytest.mark.parametrize("form", ["svg", "html"])
def test_what_a_generated_file_enforces_is_drawn(target: str, form: str, pipegen: Pipegen) -> None:
    """Its stages by their names."""
    pipegen("compile", "--target", target, "-o", "made")
    result = pipegen("graph", "made", "--format", form)

    assert result.status == 0
    assert re.findall(r'class="name"[^>]*>([^<]*)<', result.out) == ["lint", "unit", "candidate"]


@pytest.mark.usefixtures("here")
def test_other_drawings_do_not_wait_for_pictures(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pictures need is imported for pictures."""
    for name in [name for name in sys.modules if name.startswith(("pipegen.pictures", "pipegen.cli.pictures.drawing"))]:
        monkeypatch.delitem(sys.modules, name)
    pipegen("graph")

    assert "pipegen.cli.pictures.drawing" not in sys.modules


def test_a_simulation_is_a_page_too(here: Path, pipegen: Pipegen) -> None:
    """With the chart and its figures; nothing else is written over."""
    result = pipegen("simulate", "--executors", "1", "--html", "chart.html")
    refused = pipegen("simulate", "--html", "pipegen.yaml")
    text = (here / "chart.html").read_text(encoding="utf-8")

    assert result.status == 0
    assert text.startswith("<!DOCTYPE html>\n")
    assert "<td>candidate</td><td>2</td><td>3</td>" in text
    assert "Longest path" in text
    assert (refused.status, refused.err) == (2, 'pipegen: "pipegen.yaml" exists and is not HTML: name another file\n')
