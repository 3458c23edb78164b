"""Which stages run for an event: the options of plan, graph, simulate and run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import Pipegen
from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parents[2] / "schemas" / "tests.schema.json"

CONFIG = """\
pipelines:
  app:
    stages:
      - { name: unit, script: 'true' }
      - { name: docs, script: 'true', when: { changes: docs/** } }
      - name: deploy
        script: echo "${setup.branch|none} ${setup.tag|none}"
        when: { any: [{ branch: main }, { tag: v* }] }
    execution: [[unit, docs, deploy]]
"""
TESTS = """\
tests:
  a merge request deploys nothing:
    event: merge_request
    runs: unit
    never: [deploy]
  main is deployed:
    event: { kind: push, branch: main, changed: [src/a.py] }
    only: [unit, deploy]
    order: [[unit, deploy]]
"""


@pytest.fixture
def app(empty: Path) -> Path:
    """Return the current folder, which holds CONFIG."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    return empty


@pytest.mark.usefixtures("app")
def test_all_usual_events(pipegen: Pipegen) -> None:
    """Events that start the same stages share a column."""
    result = pipegen("plan", "--events")

    assert result.out == (
        "A  push to main; tag v1; schedule on main; manual on main; api on main\n"
        "B  push to other; merge request; tag other\n"
        "\n"
        "app     A    B\n"
        "unit    yes  yes\n"
        "docs    yes  yes\n"
        "deploy  yes  -\n"
        "\n"
        "docs    when changes docs/**\n"
        "deploy  when branch main or tag v*\n"
    )


@pytest.mark.usefixtures("app")
def test_one_event(pipegen: Pipegen) -> None:
    """Each stage, and the reason if it does not run."""
    result = pipegen("plan", "--events", "--branch", "dev", "--changed", "src/a.py", "--changed", "b")

    assert result.out == (
        "push to dev\n"
        "pipeline app\n"
        "  unit    runs\n"
        "  docs    runs only when changes docs/**\n"
        "  deploy  runs only when branch main or tag v*\n"
    )


@pytest.mark.usefixtures("app")
def test_events_as_json(pipegen: Pipegen) -> None:
    """The event, and each stage with its reason."""
    (event,) = json.loads(pipegen("plan", "--events", "--tag", "x", "--format", "json").out)["events"]

    assert event == {
        "event": {"kind": "tag", "tag": "x"},
        "pipelines": [
            {
                "name": "app",
                "runs": True,
                "stages": [
                    {"stage": "unit", "runs": True},
                    {"stage": "docs", "runs": True},
                    {"stage": "deploy", "runs": False, "reason": "when branch main or tag v*"},
                ],
            }
        ],
    }


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--event", "pull_request"), '--event takes "push", "merge_request"'),
        (("--event", "tag"), "--event tag needs the name of the tag"),
        (("--event", "push", "--tag", "v1"), "--tag is for the event tag, not for push"),
        (("--tag", "v1", "--branch", "main"), "a run has a branch or a tag"),
    ],
)
def test_events_that_cannot_be(pipegen: Pipegen, options: tuple[str, ...], words: str) -> None:
    """Usage errors, for each verb."""
    for verb in (("plan",), ("plan", "--events"), ("graph",), ("simulate",), ("run", "--dry-run")):
        result = pipegen(*verb, *options)

        assert (result.status, words in result.err) == (2, True)


@pytest.mark.usefixtures("app")
def test_other_verbs_leave_stages_out(pipegen: Pipegen) -> None:
    """The graph, the plan and the simulation hold only the stages that run."""
    options = ("--event", "web", "--branch", "dev")

    assert "deploy" not in pipegen("plan", *options).out
    assert "deploy" not in pipegen("graph", *options).out
    assert "deploy" not in pipegen("simulate", *options).out
    assert "deploy" in pipegen("graph", "--event", "web", "--branch", "main").out


def test_a_run_for_an_event(app: Path, pipegen: Pipegen) -> None:
    """Conditions and setup values are those of the event."""
    logs = app / "logs"
    result = pipegen("run", "--tag", "v2", "--log-dir", logs)

    assert result.status == 0, result.err
    assert any("none v2" in log.read_text(encoding="utf-8") for log in logs.rglob("*deploy*"))
    assert "deploy: skipped" in pipegen("run", "--dry-run", "--event", "push", "--branch", "dev").out


def test_tests_that_pass(app: Path, pipegen: Pipegen) -> None:
    """Their number is shown."""
    (app / "pipegen.test.yaml").write_text(TESTS, encoding="utf-8")
    result = pipegen("test")

    assert (result.status, result.err) == (0, "2 passed\n")


def test_tests_that_fail(app: Path, pipegen: Pipegen) -> None:
    """Each difference is shown at its line; the formats are those of diagnostics."""
    (app / "pipegen.test.yaml").write_text(TESTS.replace("[src/a.py]", "[docs/a.md]"), encoding="utf-8")
    result = pipegen("test")

    assert (result.status, result.err) == (1, "1 passed, 1 failed\n")
    assert 'error[PG842]: test "main is deployed": stage "docs" runs too' in result.out
    assert json.loads(pipegen("test", "--format", "json").out)["diagnostics"][0]["code"] == "PG842"
    assert '<failure message="test &quot;main is deployed&quot;' in pipegen("test", "--format", "junit").out


def test_recorded_tests_pass_and_notice_changes(app: Path, pipegen: Pipegen) -> None:
    """A recorded file fits its schema, passes, and fails for other conditions, stages, orders and approvals."""
    assert pipegen("test", "--write").status == 0
    recorded = (app / "pipegen.test.yaml").read_text(encoding="utf-8")
    assert "push to main:" in recorded
    Draft202012Validator.check_schema(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert pipegen("test").status == 0
    for before, after in (
        ("branch: main", "branch: dev"),
        ("[[unit, docs, deploy]]", "[[unit, docs], [unit, deploy]]"),
        ("name: unit,", "name: unit, approve: Go?,"),
        ("when: { changes: docs/** } }", "when: { event: push } }"),
        ("unit, docs, deploy]]\n", "unit, docs, deploy], [more]]\n"),
    ):
        assert before in CONFIG
        more = "stages:\n      - { name: more, script: 'true' }\n" if "more" in after else "stages:\n"
        (app / "pipegen.yaml").write_text(CONFIG.replace(before, after).replace("stages:\n", more), encoding="utf-8")

        assert pipegen("test").status == 1, after


@pytest.mark.usefixtures("app")
def test_wrong_tests(app: Path, pipegen: Pipegen) -> None:
    """No file is a usage error; a wrong file is reported at its line."""
    assert pipegen("test").status == 2
    (app / "pipegen.test.yaml").write_text("tests: { a: { event: pish } }\n", encoding="utf-8")
    result = pipegen("test")

    assert (result.status, "pipegen.test.yaml:1:22" in result.out) == (1, True)
