"""Options of `pipegen compile` that change the generated files."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.program import CONFIG, SEVERAL, SKEWED, WARNED, Pipegen, names


def test_one_pipeline_can_be_selected(here: Path, pipegen: Pipegen) -> None:
    """The names of its jobs then have no prefix."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "-o", "-", "--pipeline", "checks")

    assert result.status == 0
    assert ("\nlint:\n" in result.out, "soak" in result.out) == (True, False)


def test_several_pipelines_can_be_selected(here: Path, pipegen: Pipegen) -> None:
    """The option can be repeated."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "-o", "-", "--pipeline", "nightly", "--pipeline", "checks")

    assert result.status == 0
    assert ("checks: lint" in result.out, "nightly: soak" in result.out) == (True, True)


def test_an_unknown_pipeline_has_a_suggestion(here: Path, pipegen: Pipegen) -> None:
    """Nothing is written."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "--pipeline", "nigthly")

    assert (result.status, names(here)) == (1, set())
    assert 'error[PG640]: "pipegen.yaml" has no pipeline "nigthly"' in result.err
    assert 'hint: write "--pipeline nightly"' in result.err


@pytest.mark.parametrize(("style", "starts"), [("declarative", "pipeline {"), ("scripted", "addStage(")])
def test_style_selects_the_syntax_of_the_jenkinsfile(style: str, starts: str, here: Path, pipegen: Pipegen) -> None:
    """Each of the two styles can be forced."""
    (here / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    lines = pipegen("compile", "-t", "jenkins", "-o", "-", "--style", style).out.splitlines()

    assert [line for line in lines if line.startswith(starts)]


def test_style_auto_is_the_default(here: Path, pipegen: Pipegen) -> None:
    """It generates the same bytes as no option."""
    (here / "pipegen.yaml").write_text(SKEWED, encoding="utf-8")
    outputs = [pipegen("compile", "-t", "jenkins", "-o", "-", *style).out for style in ((), ("--style", "auto"))]

    assert outputs[0] == outputs[1]
    assert "addStage(" in outputs[0]


def test_waits_that_a_forced_style_adds_are_reported(here: Path, pipegen: Pipegen) -> None:
    """They are in a warning and at the top of the file."""
    (here / "pipegen.yaml").write_text(SKEWED, encoding="utf-8")
    result = pipegen("compile", "-t", "jenkins", "-o", "-", "--style", "declarative")

    assert (result.status, "warning[PG601]" in result.err) == (0, True)
    assert "report" in result.out.partition("\n\n")[0]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "gitlab", "--style", "auto"], "--style is for the target jenkins"),
        (
            ["-t", "jenkins", "--style", "fancy"],
            '--style takes "auto", "declarative", "scripted", not "fancy"',
        ),
        (["-t", "jenkins", "--style", ""], '--style takes "auto", "declarative", "scripted", not ""'),
    ],
)
def test_an_invalid_style_is_wrong_usage(arguments: list[str], message: str, pipegen: Pipegen) -> None:
    """The message lists the styles, or the target that has them."""
    result = pipegen("compile", *arguments)

    assert (result.status, result.err) == (2, f"pipegen: {message}\n")


def test_style_is_allowed_if_one_of_the_targets_has_it(here: Path, pipegen: Pipegen) -> None:
    """Other targets ignore it."""
    assert pipegen("compile", "-t", "gitlab", "-t", "jenkins", "--style", "scripted").status == 0
    assert "addStage(" in (here / "Jenkinsfile").read_text(encoding="utf-8")


def test_strict_writes_no_files_if_there_are_warnings(here: Path, pipegen: Pipegen) -> None:
    """A message states this, because no error is shown."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")
    result = pipegen("compile", "-t", "gitlab", "--strict")

    assert (result.status, names(here)) == (1, set())
    assert result.err.endswith("\n1 warning\nno files are written: with --strict, warnings count as errors\n")


def test_strict_succeeds_without_warnings(here: Path, pipegen: Pipegen) -> None:
    """The same config has no warning on Jenkins."""
    (here / "pipegen.yaml").write_text(WARNED, encoding="utf-8")

    assert pipegen("compile", "-t", "jenkins", "--strict").status == 0
    assert names(here) == {"Jenkinsfile"}
