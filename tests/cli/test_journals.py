"""Durations of stages from earlier runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import Pipegen

CONFIG = """\
pipelines:
  one:
    stages:
      - { name: slow, script: [sleep 0.2] }
      - { name: quick, script: [':'] }
"""


@pytest.fixture
def project(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder with a config; its runs are recorded in a subfolder."""
    (empty / "pipegen.yaml").write_text(CONFIG)
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))
    return empty


def makespan(pipegen: Pipegen) -> float:
    """Return the makespan of a simulated run with durations from the journals."""
    result = pipegen("simulate", "--durations", "journal", "--format", "json")
    assert (result.status, result.err) == (0, "")
    seconds: float = json.loads(result.out)["makespan"]
    return seconds


def test_durations_are_read_from_earlier_runs(project: Path, pipegen: Pipegen) -> None:
    """Only successful attempts in this repository count."""
    assert pipegen("run").status == 0

    assert makespan(pipegen) >= 0.2
    assert project.joinpath("state").is_dir()


@pytest.mark.usefixtures("project")
def test_journal_durations_need_an_earlier_run(pipegen: Pipegen) -> None:
    """Without one, the option is wrong usage, and the message says why."""
    result = pipegen("simulate", "--durations", "journal")

    assert (result.status, "no earlier run has durations of these stages" in result.err) == (2, True)


def test_stages_that_have_not_run_are_reported(project: Path, pipegen: Pipegen) -> None:
    """They get the mean of the others; `./journal` names a file."""
    pipegen("run", "--stage", "slow")
    result = pipegen("simulate", "--durations", "journal")

    assert (result.status, "PG812" in result.err, '"quick"' in result.err) == (0, True, True)
    (project / "journal").write_text("slow: 3\nquick: 4\n")
    assert "7 s" in pipegen("simulate", "--durations", "./journal").out
