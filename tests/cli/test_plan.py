"""`pipegen plan`: what a config comes to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.program import BROKEN, CONFIG, SEVERAL, Pipegen
from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "plan.schema.json").read_text(encoding="utf-8"))

READS = """\
pipelines:
  image:
    stages:
      - name: release
        publish: { image: { id: '${candidate.imageID}', tag: 'v${unit.output}' } }
      - name: unit
        run: { image: '${candidate.imageID}', tail: 1 }
        exports: { seen: '${.container}' }
      - build: production
        name: candidate
    execution:
      - [candidate, unit, release]
      - [candidate, release]
"""


@pytest.fixture
def jobs(here: Path, pipegen: Pipegen) -> dict[str, dict[str, Any]]:
    """Return the jobs of the JSON for READS by their stage."""
    (here / "pipegen.yaml").write_text(READS, encoding="utf-8")
    (pipeline,) = json.loads(pipegen("plan", "--format", "json").out)["pipelines"]
    return {job["stage"]: job for job in pipeline["jobs"]}


@pytest.mark.parametrize("config", [CONFIG, SEVERAL, READS])
def test_json_fits_its_schema(config: str, here: Path, pipegen: Pipegen) -> None:
    """The contract, as programs can check it."""
    (here / "pipegen.yaml").write_text(config, encoding="utf-8")
    result = pipegen("plan", "--format", "json")
    Draft202012Validator.check_schema(SCHEMA)

    assert (result.status, result.out.isascii()) == (0, True)
    assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(result.out))) == []


@pytest.mark.usefixtures("here")
def test_json_of_a_small_config(pipegen: Pipegen) -> None:
    """Frames count from 0, lines from 1; no setup, no teardown."""
    binds = ["imageID", "imageLocalName"]
    ran = [*binds, "container", "output"]

    assert json.loads(pipegen("plan", "--format", "json").out) == {
        "pipelines": [
            {
                "name": "service",
                "frames": [["lint", "unit"], ["candidate"]],
                "jobs": [
                    {"stage": "lint", "frame": 0, "needs": [], "reads": [], "binds": ran, "line": 4},
                    {"stage": "unit", "frame": 0, "needs": [], "reads": [], "binds": ran, "line": 5},
                    {
                        "stage": "candidate",
                        "frame": 1,
                        "needs": ["lint", "unit"],
                        "reads": [],
                        "binds": binds,
                        "line": 6,
                    },
                ],
            }
        ]
    }


def test_jobs_stand_in_the_order_of_the_user(jobs: dict[str, dict[str, Any]]) -> None:
    """Not in that of the graph."""
    assert list(jobs) == ["release", "unit", "candidate"]


def test_needs_are_direct_arcs(jobs: dict[str, dict[str, Any]]) -> None:
    """All that the user wrote, also one that another path implies, and nothing else."""
    assert {name: job["needs"] for name, job in jobs.items()} == {
        "release": ["unit", "candidate"],
        "unit": ["candidate"],
        "candidate": [],
    }


def test_reads_are_outputs_of_other_stages(jobs: dict[str, dict[str, Any]]) -> None:
    """A stage's own values are not read from anywhere."""
    assert jobs["release"]["reads"] == ["candidate.imageID", "unit.output"]
    assert jobs["unit"]["reads"] == ["candidate.imageID"]


def test_binds_leave_the_name_of_the_stage_out(jobs: dict[str, dict[str, Any]]) -> None:
    """Every stage binds it; exports come last."""
    assert jobs["unit"]["binds"] == ["container", "output", "seen"]
    assert not [job for job in jobs.values() if "stage" in job["binds"]]


def test_line_is_that_of_the_name(jobs: dict[str, dict[str, Any]]) -> None:
    """Not where the stage begins."""
    assert {name: job["line"] for name, job in jobs.items()} == {"release": 4, "unit": 6, "candidate": 10}


def test_text_tells_a_person(here: Path, pipegen: Pipegen) -> None:
    """Frames, the longest path, and for each stage what it waits for, does, reads and binds."""
    (here / "pipegen.yaml").write_text(READS, encoding="utf-8")
    result = pipegen("plan")

    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[:5] == [
        "pipeline image",
        "  frame 1: candidate",
        "  frame 2: unit",
        "  frame 3: release",
        "  longest path: candidate -> unit -> release",
    ]
    assert (
        "  unit\n"
        "    after     candidate\n"
        "    steps     run\n"
        "    reads     candidate.imageID\n"
        "    binds     container, output, seen\n"
    ) in result.out.replace("run, export\n", "run\n")


def test_frames_have_the_same_numbers_as_in_the_drawing(here: Path, pipegen: Pipegen) -> None:
    """Both are for people, who count from one."""
    (here / "pipegen.yaml").write_text(READS, encoding="utf-8")
    drawn = [line.split()[:2] for line in pipegen("graph").out.splitlines()]
    told = [line.replace(":", "").split()[1:3] for line in pipegen("plan").out.splitlines() if "frame" in line]

    assert told == drawn


def test_one_of_several_can_be_shown(here: Path, pipegen: Pipegen) -> None:
    """In either format."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    document = json.loads(pipegen("plan", "--format", "json", "--pipeline", "nightly").out)

    assert [pipeline["name"] for pipeline in document["pipelines"]] == ["nightly"]
    assert "checks" not in pipegen("plan", "--pipeline", "nightly").out


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_config_with_errors_has_no_plan(form: str, here: Path, pipegen: Pipegen) -> None:
    """Standard output stays empty."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    result = pipegen("plan", "--format", form)

    assert (result.status, result.out, result.err[:12]) == (1, "", "error[PG301]")


def test_names_with_commas_stand_in_quotes(here: Path, pipegen: Pipegen) -> None:
    """Those of combinations hold some, and lists are told with commas between."""
    (here / "pipegen.yaml").write_text(
        "pipelines: {p: {stages: [{name: t, matrix: {a: [1], b: [2, 3]}, script: x}, {name: z, script: y}]}}\n"
    )
    told = pipegen("plan").out

    assert '  frame 1: "t: 1, 2", "t: 1, 3"\n' in told
    assert '    after     "t: 1, 2", "t: 1, 3"\n' in told
    assert "  longest path: t: 1, 2 -> z\n" in told


TOLD = """\
inputs:
  level: { choices: [fast, full], default: fast }
  who: { type: number }
pipelines:
  p:
    schedule: { cron: '0 3 * * *', timezone: Europe/Berlin }
    when: { branch: main }
    stages:
      - { name: a, script: [x], when: { event: push } }
      - { name: z, script: [x] }
    finally: [z]
  q:
    stages: [{ name: a, trigger: { name: other } }]
"""


def test_conditions_clocks_and_inputs_are_told(here: Path, pipegen: Pipegen) -> None:
    """To people and to programs; where there are none, nothing is."""
    (here / "pipegen.yaml").write_text(TOLD, encoding="utf-8")
    told = pipegen("plan").out
    document = json.loads(pipegen("plan", "--format", "json").out)

    assert told.startswith(
        "inputs\n"
        '  level: string, one of fast, full, default "fast"\n'
        "  who: number, must be set\n"
        "\n"
        "pipeline p\n"
        "  when: branch main\n"
        "  schedule: 0 3 * * * (Europe/Berlin)\n"
        "  frame 1: a\n"
        "  finally: z\n"
    )
    assert "    when      event push\n" in told
    assert "pipeline q\n  runs: only on demand\n" in told
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    first, second = document["pipelines"]
    assert document["inputs"] == [
        {"name": "level", "type": "string", "default": "fast", "choices": ["fast", "full"]},
        {"name": "who", "type": "number", "default": None},
    ]
    assert (first["when"], first["finally"], first["jobs"][0]["when"]) == ("branch main", ["z"], "event push")
    assert first["schedules"] == [{"cron": "0 3 * * *", "timezone": "Europe/Berlin"}]
    assert second["on_demand"] is True
    assert not {"when", "finally", "schedules"} & second.keys()
