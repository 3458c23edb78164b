"""How long stages take, as earlier runs tell."""

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
    """Return the current folder, with a config; runs are kept beside it."""
    (empty / "pipegen.yaml").write_text(CONFIG)
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))
    return empty


def makespan(pipegen: Pipegen) -> float:
    """Return how long the run takes on paper, by the journals."""
    result = pipegen("simulate", "--durations", "journal", "--format", "json")
    assert (result.status, result.err) == (0, "")
    found: float = json.loads(result.out)["makespan"]
    return found


def test_earlier_runs_tell_how_long_stages_take(project: Path, pipegen: Pipegen) -> None:
    """Those that ended well, of this repository."""
    assert pipegen("run").status == 0

    assert makespan(pipegen) >= 0.2
    assert project.joinpath("state").is_dir()


@pytest.mark.usefixtures("project")
def test_without_an_earlier_run_there_are_no_durations(pipegen: Pipegen) -> None:
    """Wrong usage, with the way out."""
    result = pipegen("simulate", "--durations", "journal")

    assert (result.status, "no earlier run has durations of these stages" in result.err) == (2, True)


def test_what_no_run_has_timed_is_told(project: Path, pipegen: Pipegen) -> None:
    """It takes the mean of the others."""
    pipegen("run", "--stage", "slow")
    result = pipegen("simulate", "--durations", "journal")

    assert (result.status, "PG812" in result.err, '"quick"' in result.err) == (0, True, True)
    (project / "journal").write_text("slow: 3\nquick: 4\n")
    assert "7 s" in pipegen("simulate", "--durations", "./journal").out
