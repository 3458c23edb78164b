"""`pipegen check` reports every diagnostic and writes no files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, WARNED, Pipegen, names


@pytest.fixture
def three(empty: Path) -> Path:
    """Return the current folder with one valid config and two invalid ones."""
    (empty / "fine.yaml").write_text(CONFIG, encoding="utf-8")
    (empty / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    (empty / "torn.yaml").write_text("pipelines: [\n", encoding="utf-8")
    return empty


def test_a_valid_config_is_confirmed_on_standard_error(here: Path, pipegen: Pipegen) -> None:
    """Standard output is for diagnostics, so it is empty."""
    result = pipegen("check")

    assert (result.status, result.out, result.err) == (0, "", "no errors in pipegen.yaml\n")
    assert names(here) == set()


@pytest.mark.usefixtures("three")
def test_diagnostics_go_to_standard_output(pipegen: Pipegen) -> None:
    """They are the result that the user asked for."""
    result = pipegen("check", "broken.yaml")

    assert (result.status, result.err) == (1, "")
    assert result.out.startswith('error[PG301]: arc names stage "unti", which is not defined\n --> broken.yaml:5:16\n')
    assert result.out.endswith("\n1 error\n")


@pytest.mark.usefixtures("three")
def test_several_configs_are_checked_in_order(pipegen: Pipegen) -> None:
    """A syntax error in one does not hide the diagnostics of the next."""
    result = pipegen("check", "torn.yaml", "fine.yaml", "broken.yaml", "--format", "concise")
    places = [line.split(": ")[0] for line in result.out.splitlines()]

    assert result.status == 1
    assert places[-1] == "broken.yaml:5:16"
    assert {place.split(":")[0] for place in places[:-1]} == {"torn.yaml"}


@pytest.mark.usefixtures("three")
def test_several_valid_configs_are_counted(pipegen: Pipegen) -> None:
    """The message counts arguments."""
    result = pipegen("check", "fine.yaml", "fine.yaml")

    assert (result.status, result.out, result.err) == (0, "", "no errors in 2 configs\n")


@pytest.mark.usefixtures("three")
def test_nothing_is_checked_if_a_config_is_missing(pipegen: Pipegen) -> None:
    """Wrong usage is reported before any work is done."""
    result = pipegen("check", "broken.yaml", "missing.yaml")

    assert (result.status, result.out, result.err) == (2, "", 'pipegen: "missing.yaml" does not exist\n')


@pytest.mark.usefixtures("three")
def test_concise_format_has_one_line_per_diagnostic(pipegen: Pipegen) -> None:
    """It is for editors and grep, so there is no summary."""
    result = pipegen("check", "broken.yaml", "--format", "concise")

    assert result.out.splitlines()[0].startswith("broken.yaml:5:16: error[PG301]")
    assert result.err == ""


@pytest.mark.usefixtures("three")
def test_json_format_matches_its_documentation(pipegen: Pipegen) -> None:
    """Keys, types and offsets are those of docs/plan.md, in ASCII."""
    result = pipegen("check", "broken.yaml", "--format", "json")
    (data,) = json.loads(result.out)["diagnostics"]

    assert result.out.isascii()
    assert (data["code"], data["name"], data["severity"]) == ("PG301", "unknown-stage", "error")
    assert data["message"] == 'arc names stage "unti", which is not defined'
    assert data["file"] == "broken.yaml"
    assert data["span"]["start"] == {"line": 5, "column": 16, "offset": BROKEN.index("unti")}
    assert data["span"]["end"] == {"line": 5, "column": 20, "offset": BROKEN.index("unti") + len("unti")}
    assert set(data) == {"code", "name", "severity", "message", "file", "span", "label", "labels", "hint", "fix"}


@pytest.mark.usefixtures("here")
def test_json_of_a_valid_config_has_an_empty_list(pipegen: Pipegen) -> None:
    """Programs need no special case."""
    result = pipegen("check", "--format", "json")
    document = json.loads(result.out)

    assert (result.status, result.err) == (0, "")
    assert (set(document), document["diagnostics"]) == ({"version", "diagnostics"}, [])


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_every_format_has_the_same_exit_code(form: str, pipegen: Pipegen) -> None:
    """The exit code does not depend on who reads the output."""
    assert pipegen("check", "broken.yaml", "--format", form).status == 1
    assert pipegen("check", "fine.yaml", "--format", form).status == 0


def test_warnings_fail_only_with_strict(here: Path, pipegen: Pipegen) -> None:
    """They are reported in either case."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    lenient, strict = (pipegen("check", "-t", "gitlab", *extra) for extra in ((), ("--strict",)))

    assert (lenient.status, strict.status) == (0, 1)
    assert lenient.out == strict.out
    assert lenient.out.startswith("warning[PG624]")


def test_named_targets_are_checked(here: Path, pipegen: Pipegen) -> None:
    """A target is named in the call or in the config; otherwise, only the language is checked."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    unnamed, called, other = pipegen("check"), pipegen("check", "-t", "gitlab"), pipegen("check", "-t", "jenkins")
    (here / "pipegen.yaml").write_text(f"targets: {{ gitlab: {{}} }}\n{WARNED}", encoding="utf-8")
    written = pipegen("check")

    assert ["PG624" in result.out for result in (unnamed, called, other, written)] == [False, True, False, True]
    assert names(here) == set()


def test_one_pipeline_can_be_checked(here: Path, pipegen: Pipegen) -> None:
    """Errors of other pipelines are not reported."""
    two = BROKEN + "  other:\n    stages: [{ name: lint }]\n"
    (here / "pipegen.yaml").write_text(two, encoding="utf-8")

    assert pipegen("check").status == 1
    assert pipegen("check", "--pipeline", "other").status == 0


def test_all_checks_every_config_of_the_repository(
    empty: Path, monkeypatch: pytest.MonkeyPatch, pipegen: Pipegen
) -> None:
    """These are configs with a default name, and configs that a generated file names."""
    (empty / ".git").mkdir()
    for name in ("a/pipegen.yaml", "b/.pipeline/config.yaml", "c/ci.yaml", "c/other.yaml"):
        (empty / name).parent.mkdir(parents=True, exist_ok=True)
        (empty / name).write_text(CONFIG, encoding="utf-8")
    pipegen("compile", "c/ci.yaml", "-t", "jenkins", "-o", "c/Jenkinsfile")
    assert pipegen("check", "--all").err == "no errors in 3 configs\n"

    (empty / "c/ci.yaml").write_text(BROKEN, encoding="utf-8")
    monkeypatch.chdir(empty / "a")
    result = pipegen("check", "--all", "--format", "concise")
    assert (result.status, result.out[:17]) == (1, "../c/ci.yaml:5:16")


def test_all_checks_an_included_file_with_the_config_that_includes_it(empty: Path, pipegen: Pipegen) -> None:
    """Alone, it lacks templates of other files; it is checked alone if a generated file names it."""
    (empty / ".git").mkdir()
    part = "pipelines: { p: { stages: [{ name: a, extends: t }] } }\n"
    templates = "templates: { t: { script: [make] } }\n"
    (empty / "a").mkdir()
    (empty / "pipegen.yaml").write_text(f"include: [t.yaml, a/pipegen.yaml]\n{part.replace('p:', 'q:')}")
    (empty / "t.yaml").write_text(templates)
    (empty / "a/pipegen.yaml").write_text(f"{templates}{part}")
    pipegen("compile", "a/pipegen.yaml", "-t", "jenkins", "-o", "a/Jenkinsfile")
    (empty / "a/pipegen.yaml").write_text(part)
    alone = pipegen("check", "--all", "--format", "concise")
    (empty / "a/Jenkinsfile").unlink()
    included = pipegen("check", "--all", "--format", "concise")

    assert (alone.status, alone.out[:33]) == (1, "a/pipegen.yaml:1:48: error[PG330]")
    assert (included.status, included.out) == (0, "")


def test_all_reports_files_that_include_each_other(empty: Path, pipegen: Pipegen) -> None:
    """Neither is only a part of the other."""
    (empty / ".git").mkdir()
    (empty / "a").mkdir()
    (empty / "pipegen.yaml").write_text(f"include: a/pipegen.yaml\n{CONFIG}")
    (empty / "a/pipegen.yaml").write_text(f"include: ../pipegen.yaml\n{CONFIG.replace('service', 'other')}")
    result = pipegen("check", "--all", "--format", "concise")

    assert result.status == 1
    assert result.out.count("PG112") == 2


@pytest.mark.usefixtures("here")
def test_all_with_a_config_argument_is_wrong_usage(pipegen: Pipegen) -> None:
    """A repository without configs is also wrong usage."""
    assert pipegen("check", "--all", "pipegen.yaml").status == 2
    Path("pipegen.yaml").unlink()
    assert pipegen("check", "--all").err.startswith("pipegen: no config in this repository: looked for pipegen.yaml,")


MIXED = """\
pipelines:
  p:
    stages:
      - { name: unbound, script: 'echo ${.v}' }
      - { name: locks, lock: [a, b], script: make }
      - { name: image, image: alpine, script: make }
"""


def test_errors_of_every_compiler_stage_are_reported_together(empty: Path, pipegen: Pipegen) -> None:
    """Each is in another pipeline stage; `compile` does not run all lint rules."""
    (empty / "pipegen.yaml").write_text(MIXED, encoding="utf-8")
    checked = pipegen("check", "-t", "gitlab", "--format", "concise")
    compiled = pipegen("compile", "-t", "gitlab", "--format", "concise")

    assert (checked.status, compiled.status) == (1, 1)
    assert [line.split()[1][-6:-1] for line in checked.out.splitlines()] == ["PG307", "PG653", "PG705"]
    assert [line.split()[1][-6:-1] for line in compiled.err.splitlines()] == ["PG307", "PG653"]
