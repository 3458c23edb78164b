"""Arrivals of `pipegen simulate --fleet` from a file of recorded start times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import Pipegen

CONFIG = "pipelines: { p: { stages: [{ name: a }] } }\n"
FLEET = """\
machines: [{ name: m }]
load:
  - { config: ../pipegen.yaml, arrivals: { file: starts.json }, durations: { a: 2m } }
"""


@pytest.fixture
def fleet(empty: Path) -> Path:
    """Return the folder of a fleet, which is below that of the repository."""
    (empty / ".git").mkdir()
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    (empty / "fleets").mkdir()
    (empty / "fleets/fleet.yaml").write_text(FLEET, encoding="utf-8")
    return empty / "fleets"


@pytest.mark.parametrize(
    "starts", ["[0, 60, 2h]", "- 0\n- 2h\n- 1 minute\n", "load: [{ arrivals: { times: [2h, 0, 60] } }]"]
)
def test_times_are_those_of_the_file(starts: str, fleet: Path, pipegen: Pipegen) -> None:
    """It is relative to the fleet. The second pipeline waits a minute for the machine."""
    (fleet / "starts.json").write_text(starts, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleets/fleet.yaml", "--format", "json")
    (load,) = json.loads(result.out)["loads"]

    assert (result.status, result.err) == (0, "")
    assert (load["result"]["count"], load["result"]["longest"], load["result"]["mean"]) == (3, 180, 140)


def test_recorded_starts_are_a_file(fleet: Path, pipegen: Pipegen) -> None:
    """The output of `--record` is such a file; its builds start on Wednesday, a minute apart."""
    builds = [{"number": number, "timestamp": 1_772_611_200_000 + 60_000 * number} for number in range(2)]
    Path("builds.json").write_text(json.dumps({"builds": builds}), encoding="utf-8")
    (fleet / "starts.json").write_text(pipegen("simulate", "--record", "builds.json").out, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleets/fleet.yaml", "--format", "json")
    values = json.loads(result.out)

    assert (result.status, result.err) == (0, "")
    assert values["loads"][0]["result"]["longest"] == 180
    assert values["end"] == (2 * 24 + 8) * 3600 + 240


@pytest.mark.parametrize(
    ("starts", "error"),
    [
        (None, 'error[PG805]: there is no file "starts.json"\n --> fleets/fleet.yaml:3:50\n'),
        ("", "error[PG104]: the file is empty\n --> starts.json:1:1\n"),
        ("{}", "error[PG805]: the file has no list of start times\n --> starts.json:1:1\n"),
        ('[{"id": 1}]', "error[PG805]: the file has no list of start times\n --> starts.json:1:1\n"),
        ("load: [{ arrivals: { rate: 1 } }]", "error[PG805]: the file has no list of start times\n"),
        (
            "load: [{ arrivals: { times: [0] } }, { arrivals: { times: [1] } }]",
            "error[PG805]: the file has 2 loads, and none is chosen\n --> starts.json:1:1\n",
        ),
        ("load: [{ arrivals: { times: [soon] } }]", 'error[PG204]: an item of "times" cannot be "soon"\n'),
        ("[0, -1]", 'error[PG204]: an item of "times" takes a number from 0 up, not -1\n --> starts.json:1:5\n'),
        ("[.nan]", 'error[PG805]: ".nan" is not a number\n --> starts.json:1:2\n'),
        ("[0, 1", "error[PG102]: a list or map on one line is not closed\n --> starts.json:1:6\n"),
        ("[200h]", 'error[PG805]: no time of "p" is within the duration\n --> fleets/fleet.yaml:3:50\n'),
        ("[]", 'error[PG805]: "p" never starts: it has no start times\n --> fleets/fleet.yaml:3:50\n'),
    ],
)
def test_other_files_are_reported(starts: str | None, error: str, fleet: Path, pipegen: Pipegen) -> None:
    """The place is that of the name, or in the file."""
    if starts is not None:
        (fleet / "starts.json").write_text(starts, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleets/fleet.yaml")

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(error)


def test_an_empty_list_of_times_is_reported(fleet: Path, pipegen: Pipegen) -> None:
    """A longer duration would not help."""
    (fleet / "fleet.yaml").write_text(FLEET.replace("{ file: starts.json }", "{ times: [] }"), encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleets/fleet.yaml")

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith('error[PG805]: "p" never starts: it has no start times\n --> fleets/fleet.yaml:3:51\n')
    assert "= hint: add a time, or remove the load\n" in result.err


def test_a_file_of_another_repository_is_reported(fleet: Path, pipegen: Pipegen) -> None:
    """It is not read."""
    text = FLEET.replace("starts.json", "../../../starts.json")
    (fleet / "fleet.yaml").write_text(text, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleets/fleet.yaml")

    assert result.status == 1
    assert 'error[PG130]: "../../../starts.json" leads out of the repository of the fleet' in result.err
    assert 'move "starts.json" into the folder of the fleet, or the fleet to a folder that contains it' in result.err


@pytest.mark.parametrize(("arrivals", "column"), [("{ file: starts.json }", 50), ("{ times: [0, 167h, 8 days] }", 51)])
def test_times_after_the_duration_are_reported(arrivals: str, column: int, fleet: Path, pipegen: Pipegen) -> None:
    """They start nothing, and the hint says how long the recording is."""
    (fleet / "starts.json").write_text("[8 days, 0, 167h]", encoding="utf-8")
    text = FLEET.replace("{ file: starts.json }", arrivals)
    (fleet / "fleet.yaml").write_text(text, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleets/fleet.yaml")
    (fleet / "fleet.yaml").write_text(f"{text}duration: 9 days\n", encoding="utf-8")
    longer = pipegen("simulate", "--fleet", "fleets/fleet.yaml")

    message = 'warning[PG807]: 1 of 3 times of "p" start nothing: they are not within the duration\n'
    assert result.err.startswith(f"{message} --> fleets/fleet.yaml:3:{column}\n")
    assert '= hint: write "duration: 9 days", or remove them\n' in result.err
    assert (longer.status, longer.err) == (0, "")
