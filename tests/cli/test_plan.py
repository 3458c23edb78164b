"""`pipegen plan` shows the plan of a config."""

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

CASES = """\
pipelines:
  service:
    stages:
      - name: deploy
        env: { SERVER: staging }
        cases:
          - { when: { branch: main }, env: { SERVER: "${HOST}\\n${setup.branch|none}" } }
          - { when: { event: schedule }, env: { SERVER: nightly, MODE: full } }
        script: ['./deploy "$SERVER" "$MODE"']
"""

APPROVALS = """\
pipelines:
  service:
    stages:
      - { name: load, script: [./load], approve: { optional: true, when: { branch: main } } }
      - { name: deploy, script: [./deploy], approve: { message: Deploy?, approvers: [ops] } }
      - { name: notify, script: [./notify], approve: { delay: 90 minutes } }
"""


@pytest.fixture
def jobs(here: Path, pipegen: Pipegen) -> dict[str, dict[str, Any]]:
    """Return the jobs of the JSON for READS by stage."""
    (here / "pipegen.yaml").write_text(READS, encoding="utf-8")
    (pipeline,) = json.loads(pipegen("plan", "--format", "json").out)["pipelines"]
    return {job["stage"]: job for job in pipeline["jobs"]}


@pytest.mark.parametrize("config", [CONFIG, SEVERAL, READS, CASES, APPROVALS])
def test_json_fits_its_schema(config: str, here: Path, pipegen: Pipegen) -> None:
    """Programs rely on the schema."""
    (here / "pipegen.yaml").write_text(config, encoding="utf-8")
    result = pipegen("plan", "--format", "json")
    Draft202012Validator.check_schema(SCHEMA)

    assert (result.status, result.out.isascii()) == (0, True)
    assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(result.out))) == []


@pytest.mark.usefixtures("here")
def test_json_of_a_small_config(pipegen: Pipegen) -> None:
    """Frames are counted from 0 and lines from 1; setup and teardown are left out."""
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


def test_jobs_are_in_the_order_of_the_config(jobs: dict[str, dict[str, Any]]) -> None:
    """It may differ from the order of the graph."""
    assert list(jobs) == ["release", "unit", "candidate"]


def test_needs_are_direct_arcs(jobs: dict[str, dict[str, Any]]) -> None:
    """They are exactly the arcs of the config, including redundant ones."""
    assert {name: job["needs"] for name, job in jobs.items()} == {
        "release": ["unit", "candidate"],
        "unit": ["candidate"],
        "candidate": [],
    }


def test_reads_are_outputs_of_other_stages(jobs: dict[str, dict[str, Any]]) -> None:
    """A stage's own values are left out."""
    assert jobs["release"]["reads"] == ["candidate.imageID", "unit.output"]
    assert jobs["unit"]["reads"] == ["candidate.imageID"]


def test_binds_do_not_contain_the_stage_name(jobs: dict[str, dict[str, Any]]) -> None:
    """Every stage binds it; exports are last."""
    assert jobs["unit"]["binds"] == ["container", "output", "seen"]
    assert not [job for job in jobs.values() if "stage" in job["binds"]]


def test_line_is_the_line_of_the_name(jobs: dict[str, dict[str, Any]]) -> None:
    """The stage may begin on an earlier line."""
    assert {name: job["line"] for name, job in jobs.items()} == {"release": 4, "unit": 6, "candidate": 10}


def test_text_describes_frames_and_stages(here: Path, pipegen: Pipegen) -> None:
    """It has frames, the longest path, and each stage with its needs, steps, reads and binds."""
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


def test_cases_are_listed_in_their_order(here: Path, pipegen: Pipegen) -> None:
    """The first whose condition holds applies."""
    (here / "pipegen.yaml").write_text(CASES, encoding="utf-8")
    ((job,),) = (pipeline["jobs"] for pipeline in json.loads(pipegen("plan", "--format", "json").out)["pipelines"])

    assert job["cases"] == [
        {"when": "branch main", "env": {"SERVER": "${HOST}\n${setup.branch|none}"}},
        {"when": "event schedule", "env": {"SERVER": "nightly", "MODE": "full"}},
    ]
    assert pipegen("plan").out.endswith(
        "    case      branch main: SERVER=${HOST}\\n${setup.branch|none}\n"
        "    case      event schedule: SERVER=nightly, MODE=full\n"
    )


def test_frames_have_the_same_numbers_in_plan_and_graph(here: Path, pipegen: Pipegen) -> None:
    """Both are for people, so they are counted from 1."""
    (here / "pipegen.yaml").write_text(READS, encoding="utf-8")
    drawn = [line.split()[:2] for line in pipegen("graph").out.splitlines()]
    displayed = [line.replace(":", "").split()[1:3] for line in pipegen("plan").out.splitlines() if "frame" in line]

    assert displayed == drawn


def test_one_of_several_pipelines_can_be_shown(here: Path, pipegen: Pipegen) -> None:
    """The option works for both formats."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    document = json.loads(pipegen("plan", "--format", "json", "--pipeline", "nightly").out)

    assert [pipeline["name"] for pipeline in document["pipelines"]] == ["nightly"]
    assert "checks" not in pipegen("plan", "--pipeline", "nightly").out


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_config_with_errors_has_no_plan(form: str, here: Path, pipegen: Pipegen) -> None:
    """Standard output is empty."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    result = pipegen("plan", "--format", form)

    assert (result.status, result.out, result.err[:12]) == (1, "", "error[PG301]")


def test_names_with_commas_are_quoted(here: Path, pipegen: Pipegen) -> None:
    """Names of combinations contain commas, which also separate list items."""
    (here / "pipegen.yaml").write_text(
        "pipelines: {p: {stages: [{name: t, matrix: {a: [1], b: [2, 3]}, script: x}, {name: z, script: y}]}}\n"
    )
    displayed = pipegen("plan").out

    assert '  frame 1: "t: 1, 2", "t: 1, 3"\n' in displayed
    assert '    after     "t: 1, 2", "t: 1, 3"\n' in displayed
    assert "  longest path: t: 1, 2 -> z\n" in displayed


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


def test_conditions_schedules_and_inputs_are_shown(here: Path, pipegen: Pipegen) -> None:
    """They are in text and JSON, and are left out if a pipeline has none."""
    (here / "pipegen.yaml").write_text(TOLD, encoding="utf-8")
    displayed = pipegen("plan").out
    document = json.loads(pipegen("plan", "--format", "json").out)

    assert displayed.startswith(
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
    assert "    when      event push\n" in displayed
    assert "pipeline q\n  runs: only on demand\n" in displayed
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


def test_approvals_and_delays_are_in_the_plan(here: Path, pipegen: Pipegen) -> None:
    """People see which stages wait for them."""
    (here / "pipegen.yaml").write_text(APPROVALS, encoding="utf-8")
    text = pipegen("plan").out
    (pipeline,) = json.loads(pipegen("plan", "--format", "json").out)["pipelines"]
    load, deploy, notify = pipeline["jobs"]

    assert [line.strip() for line in text.split("\n") if "approval " in line or "delay " in line] == [
        "approval  optional when branch main",
        "approval  required by ops: Deploy?",
        "delay     1 h 30 min",
    ]
    assert load["approve"] == {"optional": True, "approvers": [], "when": "branch main"}
    assert deploy["approve"] == {"optional": False, "approvers": ["ops"], "message": "Deploy?"}
    assert notify["delay"] == 5400
