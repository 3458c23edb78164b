"""Diagnostics for other programs have the same formats in every verb and do not depend on the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, WARNED, Pipegen
from diagnostics_render.published_schemas import CHECKS

FORMATS = ("text", "concise", "json", "sarif", "gitlab", "github", "junit")


@pytest.fixture
def below(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, a subfolder of a repository with a broken config."""
    (empty / ".git").mkdir()
    folder = empty / "services" / "api"
    folder.mkdir(parents=True)
    (folder / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.usefixtures("below")
@pytest.mark.parametrize("verb", ["check", "compile", "plan", "graph", "run", "simulate"])
def test_every_verb_supports_the_formats(verb: str, pipegen: Pipegen) -> None:
    """The option and the exit code are the same for all verbs."""
    extra = ("-t", "gitlab") if verb == "compile" else ()
    result = pipegen(verb, *extra, "--diagnostics-format", "gitlab")
    (data,) = json.loads(result.out if verb == "check" else result.err)

    assert result.status == 1
    assert (data["check_name"], data["location"]["path"]) == ("PG301", "services/api/pipegen.yaml")


def test_gitlab_paths_are_relative_to_the_repository_root(
    below: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They do not depend on the current folder or on how the config is named."""
    root = below.parent.parent
    reports = []
    for place, named in (
        (below, "pipegen.yaml"),
        (root, "services/api/pipegen.yaml"),
        (root / "services", "../services/./api/pipegen.yaml"),
        (root, str(below / "pipegen.yaml")),
    ):
        monkeypatch.chdir(place)
        reports.append(pipegen("check", named, "--format", "gitlab").out)

    assert len(set(reports)) == 1
    assert json.loads(reports[0])[0]["location"]["path"] == "services/api/pipegen.yaml"


@pytest.mark.parametrize("form", FORMATS)
def test_reports_do_not_depend_on_the_machine(form: str, below: Path, pipegen: Pipegen) -> None:
    """They contain no absolute path."""
    result = pipegen("check", "--format", form)

    assert result.status == 1
    assert str(below.parent.parent) not in result.out


@pytest.mark.usefixtures("below")
@pytest.mark.parametrize("form", FORMATS)
def test_a_report_can_be_written_to_a_file(form: str, pipegen: Pipegen) -> None:
    """Standard output then has the text format."""
    shown, plain = pipegen("check", "--format", form), pipegen("check")
    result = pipegen("check", "--format", form, "--output", "report")

    assert (result.status, result.out) == (1, plain.out)
    assert Path("report").read_text(encoding="utf-8") == shown.out


@pytest.mark.usefixtures("below")
def test_a_dash_is_standard_output(pipegen: Pipegen) -> None:
    """The verb `compile` has the same convention."""
    assert pipegen("check", "--format", "gitlab", "-o", "-").out == pipegen("check", "--format", "gitlab").out
    assert not Path("-").exists()


@pytest.mark.parametrize("form", CHECKS)
def test_a_report_without_diagnostics_is_written(form: str, here: Path, pipegen: Pipegen) -> None:
    """A CI job therefore always has its artifact; a message states that there are no errors."""
    result = pipegen("check", "--format", form, "-o", "report")

    assert (result.status, result.out, result.err) == (0, "", "no errors in pipegen.yaml\n")
    assert CHECKS[form]((here / "report").read_text(encoding="utf-8")) == []


def test_a_report_never_replaces_the_config(here: Path, pipegen: Pipegen) -> None:
    """A folder is not a valid path either."""
    config, folder = (pipegen("check", "-o", path).status for path in ("./pipegen.yaml", "."))

    assert (config, folder) == (2, 2)
    assert (here / "pipegen.yaml").read_text(encoding="utf-8") == CONFIG


def test_a_diagnostic_in_a_shared_include_is_reported_once(empty: Path, pipegen: Pipegen) -> None:
    """GitLab would count it twice."""
    (empty / "stages.yaml").write_text("pipelines: { p: { stages: [{ name: a, run: {} }] } }\n", encoding="utf-8")
    for name in ("one.yaml", "two.yaml"):
        (empty / name).write_text("include: stages.yaml\n", encoding="utf-8")
    result = pipegen("check", "one.yaml", "two.yaml", "--format", "gitlab")

    assert [entry["check_name"] for entry in json.loads(result.out)] == ["PG210"]


def test_the_github_format_is_not_detected(here: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The format depends only on the option, not on the environment."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    at_home = pipegen("check", "-t", "gitlab").out
    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    assert pipegen("check", "-t", "gitlab").out == at_home
    assert pipegen("check", "-t", "gitlab", "--format", "github").out.startswith("::warning file=pipegen.yaml,")
