"""`pipegen check`: everything that is wrong, and no files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, WARNED, Pipegen, names


@pytest.fixture
def three(empty: Path) -> Path:
    """Return the current folder with a config that is fine and two that are not."""
    (empty / "fine.yaml").write_text(CONFIG, encoding="utf-8")
    (empty / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    (empty / "torn.yaml").write_text("pipelines: [\n", encoding="utf-8")
    return empty


def test_a_config_that_is_fine(here: Path, pipegen: Pipegen) -> None:
    """A person is told so; standard output, which holds diagnostics, is empty."""
    result = pipegen("check")

    assert (result.status, result.out, result.err) == (0, "", "no errors in pipegen.yaml\n")
    assert names(here) == set()


@pytest.mark.usefixtures("three")
def test_diagnostics_are_the_output(pipegen: Pipegen) -> None:
    """They are what was asked for, so they go to standard output."""
    result = pipegen("check", "broken.yaml")

    assert (result.status, result.err) == (1, "")
    assert result.out.startswith('error[PG301]: arc names stage "unti", which is not defined\n --> broken.yaml:5:16\n')
    assert result.out.endswith("\n1 error\n")


@pytest.mark.usefixtures("three")
def test_all_configs_are_checked(pipegen: Pipegen) -> None:
    """One that is torn does not hide another; they are told in the order of the call."""
    result = pipegen("check", "torn.yaml", "fine.yaml", "broken.yaml", "--format", "concise")
    places = [line.split(": ")[0] for line in result.out.splitlines()]

    assert result.status == 1
    assert places[-1] == "broken.yaml:5:16"
    assert {place.split(":")[0] for place in places[:-1]} == {"torn.yaml"}


@pytest.mark.usefixtures("three")
def test_several_configs_that_are_fine(pipegen: Pipegen) -> None:
    """They are counted."""
    result = pipegen("check", "fine.yaml", "fine.yaml")

    assert (result.status, result.out, result.err) == (0, "", "no errors in 2 configs\n")


@pytest.mark.usefixtures("three")
def test_nothing_is_checked_when_a_config_is_not_there(pipegen: Pipegen) -> None:
    """Wrong usage is told before any work is done."""
    result = pipegen("check", "broken.yaml", "missing.yaml")

    assert (result.status, result.out, result.err) == (2, "", 'pipegen: "missing.yaml" does not exist\n')


@pytest.mark.usefixtures("three")
def test_concise_is_a_line_for_each(pipegen: Pipegen) -> None:
    """For editors and grep; no words beside it."""
    result = pipegen("check", "broken.yaml", "--format", "concise")

    assert result.out.splitlines()[0].startswith("broken.yaml:5:16: error[PG301]")
    assert result.err == ""


@pytest.mark.usefixtures("three")
def test_json_is_what_its_document_says(pipegen: Pipegen) -> None:
    """Keys, kinds and the numbering of docs/plan.md, in ASCII."""
    result = pipegen("check", "broken.yaml", "--format", "json")
    (found,) = json.loads(result.out)["diagnostics"]

    assert result.out.isascii()
    assert (found["code"], found["name"], found["severity"]) == ("PG301", "unknown-stage", "error")
    assert found["message"] == 'arc names stage "unti", which is not defined'
    assert found["file"] == "broken.yaml"
    assert found["span"]["start"] == {"line": 5, "column": 16, "offset": BROKEN.index("unti")}
    assert found["span"]["end"] == {"line": 5, "column": 20, "offset": BROKEN.index("unti") + len("unti")}
    assert set(found) == {"code", "name", "severity", "message", "file", "span", "label", "labels", "hint", "fix"}


@pytest.mark.usefixtures("here")
def test_json_of_nothing_wrong_is_a_document_all_the_same(pipegen: Pipegen) -> None:
    """With an empty list; a program needs no special case."""
    result = pipegen("check", "--format", "json")
    document = json.loads(result.out)

    assert (result.status, result.err) == (0, "")
    assert (set(document), document["diagnostics"]) == ({"version", "diagnostics"}, [])


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_every_format_ends_alike(form: str, pipegen: Pipegen) -> None:
    """The exit status does not depend on who reads the output."""
    assert pipegen("check", "broken.yaml", "--format", form).status == 1
    assert pipegen("check", "fine.yaml", "--format", form).status == 0


def test_warnings_are_fine_unless_strict(here: Path, pipegen: Pipegen) -> None:
    """They are told in either case."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    lenient, strict = (pipegen("check", "-t", "gitlab", *extra) for extra in ((), ("--strict",)))

    assert (lenient.status, strict.status) == (0, 1)
    assert lenient.out == strict.out
    assert lenient.out.startswith("warning[PG624]")


def test_targets_have_a_say_when_they_are_named(here: Path, pipegen: Pipegen) -> None:
    """In the call or in the config; else only the language has."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    unnamed, called, other = pipegen("check"), pipegen("check", "-t", "gitlab"), pipegen("check", "-t", "jenkins")
    (here / "pipegen.yaml").write_text(f"targets: {{ gitlab: {{}} }}\n{WARNED}", encoding="utf-8")
    written = pipegen("check")

    assert ["PG624" in result.out for result in (unnamed, called, other, written)] == [False, True, False, True]
    assert names(here) == set()


def test_one_pipeline_can_be_checked(here: Path, pipegen: Pipegen) -> None:
    """What is wrong with another is not told."""
    two = BROKEN + "  other:\n    stages: [{ name: lint }]\n"
    (here / "pipegen.yaml").write_text(two, encoding="utf-8")

    assert pipegen("check").status == 1
    assert pipegen("check", "--pipeline", "other").status == 0


def test_all_configs_of_a_repository_are_checked(
    empty: Path, monkeypatch: pytest.MonkeyPatch, pipegen: Pipegen
) -> None:
    """Those called as usual, and those that something was generated from; what they include is none of its own."""
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


@pytest.mark.usefixtures("here")
def test_all_configs_leave_none_to_name(pipegen: Pipegen) -> None:
    """Wrong usage, as is a repository without one."""
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


def test_errors_of_all_stages_of_a_compilation_are_reported_at_once(empty: Path, pipegen: Pipegen) -> None:
    """Of bindings, of a target, and of lint, each in another stage; a compilation does not ask all rules of lint."""
    (empty / "pipegen.yaml").write_text(MIXED, encoding="utf-8")
    checked = pipegen("check", "-t", "gitlab", "--format", "concise")
    compiled = pipegen("compile", "-t", "gitlab", "--format", "concise")

    assert (checked.status, compiled.status) == (1, 1)
    assert [line.split()[1][-6:-1] for line in checked.out.splitlines()] == ["PG307", "PG653", "PG705"]
    assert [line.split()[1][-6:-1] for line in compiled.err.splitlines()] == ["PG307", "PG653"]
