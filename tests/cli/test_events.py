"""Options of plan, graph, simulate and run that select the stages of an event, and `pipegen test`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
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
    """Return the current folder with CONFIG as its config."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    return empty


@pytest.mark.usefixtures("app")
def test_events_lists_the_common_events(pipegen: Pipegen) -> None:
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
def test_events_of_one_event_has_reasons(pipegen: Pipegen) -> None:
    """Each stage that does not run has a reason."""
    result = pipegen("plan", "--events", "--branch", "dev", "--changed", "src/a.py", "--changed", "b")

    assert result.out == (
        "push to dev\n"
        "pipeline app\n"
        "  unit    runs\n"
        "  docs    runs only when changes docs/**\n"
        "  deploy  runs only when branch main or tag v*\n"
    )


@pytest.mark.usefixtures("app")
def test_one_event_has_the_values_that_are_known(pipegen: Pipegen) -> None:
    """Those are outputs of stages that run, except values of the run itself."""
    names = {"image": "app:${setup.branch}", "folder": "out-${inputs.level}", "run": "${setup.run}", "two": "x\ny"}
    stages = [
        {"name": "build", "script": ["true"], "exports": names},
        {"name": "pages", "script": ["true"], "exports": {"url": "https://x"}, "when": {"tag": True}},
    ]
    config = {"inputs": {"level": {"default": "low"}}, "pipelines": {"p": {"stages": stages}}}
    Path("pipegen.yaml").write_text(json.dumps(config), encoding="utf-8")
    text = pipegen("plan", "--events", "--branch", "main", "--set", "level=high").out
    (event,) = json.loads(pipegen("plan", "--events", "--tag", "v1", "--format", "json").out)["events"]

    assert text.splitlines()[-3:] == [
        "  build.image = app:main",
        "  build.folder = out-high",
        "  build.two = x\\ny",
    ]
    assert event["pipelines"][0]["values"] == {
        "build.image": "app:",
        "build.folder": "out-low",
        "build.two": "x\ny",
        "pages.url": "https://x",
    }


@pytest.mark.usefixtures("app")
def test_events_as_json(pipegen: Pipegen) -> None:
    """Each event has its stages with their reasons."""
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
def test_events_as_json_name_approvals(pipegen: Pipegen) -> None:
    """Only stages that run have one, and a delay is not one."""
    stages = [
        {"name": "a", "script": ["true"], "approve": True},
        {"name": "b", "script": ["true"], "approve": {"optional": True}},
        {"name": "c", "script": ["true"], "approve": {"delay": "1 hour"}},
        {"name": "d", "script": ["true"], "approve": True, "when": {"tag": True}},
    ]
    Path("pipegen.yaml").write_text(json.dumps({"pipelines": {"p": {"stages": stages}}}))
    (event,) = json.loads(pipegen("plan", "--events", "--branch", "main", "--format", "json").out)["events"]

    assert [stage.get("approval", False) for stage in event["pipelines"][0]["stages"]] == [True, True, False, False]


@pytest.mark.usefixtures("app")
def test_events_name_the_result_for_which_a_stage_runs(pipegen: Pipegen) -> None:
    """A stage of `finally` for one result has no plain yes."""
    stages = [{"name": name, "script": ["true"]} for name in ("a", "clean", "alert", "tell")]
    ends = {"always": ["clean"], "failed": ["alert"], "success": ["tell"]}
    pipeline = {"stages": stages, "execution": [["a"]], "finally": ends}
    Path("pipegen.yaml").write_text(json.dumps({"pipelines": {"p": pipeline}}))
    table = pipegen("plan", "--events").out
    text = pipegen("plan", "--events", "--branch", "main").out
    (event,) = json.loads(pipegen("plan", "--events", "--branch", "main", "--format", "json").out)["events"]

    assert [line.split() for line in table.splitlines()[-4:]] == [
        ["a", "yes"],
        ["clean", "yes"],
        ["alert", "failed"],
        ["tell", "success"],
    ]
    assert text.splitlines()[-3:] == [
        "  clean  runs after all others, whatever happened",
        "  alert  runs after all others, if one has failed",
        "  tell   runs after all others, if they have succeeded",
    ]
    assert [stage.get("on_status") for stage in event["pipelines"][0]["stages"]] == [None, None, "failed", "success"]


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--event", "pull_request"), 'not "pull_request"; did you mean "merge_request"?'),
        (("--event", "tag"), "--event tag needs the name of the tag"),
        (("--event", "push", "--tag", "v1"), "--tag is for the event tag, not for push"),
        (("--tag", "v1", "--branch", "main"), "a run has a branch or a tag"),
    ],
)
def test_impossible_events_are_wrong_usage(pipegen: Pipegen, options: tuple[str, ...], words: str) -> None:
    """All verbs with these options reject them."""
    for verb in (("plan",), ("plan", "--events"), ("graph",), ("simulate",), ("run", "--dry-run")):
        result = pipegen(*verb, *options)

        assert (result.status, words in result.err) == (2, True)


@pytest.mark.usefixtures("app")
def test_other_verbs_show_only_the_stages_of_the_event(pipegen: Pipegen) -> None:
    """The graph, the plan and the simulation contain only the stages that run."""
    options = ("--event", "web", "--branch", "dev")

    assert "deploy" not in pipegen("plan", *options).out
    assert "deploy" not in pipegen("graph", *options).out
    assert "deploy" not in pipegen("simulate", *options).out
    assert "deploy" in pipegen("graph", "--event", "web", "--branch", "main").out


def test_run_uses_the_event(app: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions and setup values are those of the event."""
    monkeypatch.setenv("XDG_STATE_HOME", str(app / "state"))
    logs = app / "logs"
    result = pipegen("run", "--tag", "v2", "--log-dir", logs)

    assert result.status == 0, result.err
    assert any("none v2" in log.read_text(encoding="utf-8") for log in logs.rglob("*deploy*"))
    assert "deploy: skipped" in pipegen("run", "--dry-run", "--event", "push", "--branch", "dev").out


def test_passing_tests_are_counted(app: Path, pipegen: Pipegen) -> None:
    """The exit code is 0."""
    (app / "pipegen.test.yaml").write_text(TESTS, encoding="utf-8")
    result = pipegen("test")

    assert (result.status, result.err) == (0, "2 passed\n")


def test_failing_tests_are_reported(app: Path, pipegen: Pipegen) -> None:
    """Each difference is shown at its line, in any format for diagnostics."""
    (app / "pipegen.test.yaml").write_text(TESTS.replace("[src/a.py]", "[docs/a.md]"), encoding="utf-8")
    result = pipegen("test")

    assert (result.status, result.err) == (1, "1 passed, 1 failed\n")
    assert 'error[PG842]: test "main is deployed": stage "docs" runs too' in result.out
    assert json.loads(pipegen("test", "--format", "json").out)["diagnostics"][0]["code"] == "PG842"


def test_an_order_of_names_has_the_right_form_as_hint(app: Path, pipegen: Pipegen) -> None:
    """A list around each name, which the hint was, is no order."""
    text = "tests: { t: { event: push, order: [build, docs] } }\n"
    (app / "pipegen.test.yaml").write_text(text, encoding="utf-8")

    assert "hint: write one list in the list: [[build, docs]]" in pipegen("test").out


@pytest.mark.parametrize(
    ("glob", "message"),
    [
        ("registry/app:*", ""),
        ("*:*-main", ""),
        ("*' , build.run: '*", "hint: remove it: a test knows only values"),
        ("registry/app:1*", 'build.image is "registry/app:*-main", not "registry/app:1*"'),
        ("registry/app:*-dev", 'build.image is "registry/app:*-main", not "registry/app:*-dev"'),
    ],
)
def test_values_that_are_known_in_part(glob: str, message: str, empty: Path, pipegen: Pipegen) -> None:
    """A star has to stand for the part that only the run knows."""
    (empty / "pipegen.yaml").write_text(
        "pipelines:\n  app:\n    stages:\n      - name: build\n        script: [make]\n"
        "        exports: { tag: '${setup.commit}-${setup.branch}', image: 'registry/app:${build.tag}',\n"
        "                   run: '${setup.commit}' }\n",
        encoding="utf-8",
    )
    (empty / "pipegen.test.yaml").write_text(
        f"tests:\n  push:\n    event: {{ kind: push, branch: main }}\n    values: {{ build.image: '{glob}' }}\n",
        encoding="utf-8",
    )

    result = pipegen("test")

    assert result.status == bool(message)
    assert message in result.out


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("failed: [mail]", "always: [mail]", 'stage "mail" does not run only if the pipeline has failed'),
        ("failed: [mail]", "success: [mail]", 'stage "mail" runs only if the pipeline has succeeded'),
        ("app:${setup.commit}", "api:${setup.commit}", 'clean.image is "api:*", not "app:*"'),
    ],
)
def test_recorded_tests_have_results_and_values(
    before: str, after: str, message: str, empty: Path, pipegen: Pipegen
) -> None:
    """They name stages that run for one result of the pipeline, and the known parts of values."""
    config = (
        "pipelines:\n  app:\n    stages:\n"
        "      - { name: unit, script: [make] }\n"
        "      - { name: clean, script: [make], exports: { image: 'app:${setup.commit}', run: '${setup.commit}' } }\n"
        "      - { name: mail, script: [make] }\n"
        "    execution: [[unit, clean]]\n"
        "    finally: { failed: [mail] }\n"
    )
    (empty / "pipegen.yaml").write_text(config, encoding="utf-8")
    assert pipegen("test", "--write").status == 0
    assert pipegen("test").status == 0
    (empty / "pipegen.yaml").write_text(config.replace(before, after), encoding="utf-8")

    result = pipegen("test")

    assert result.status == 1
    assert message in result.out


def test_the_junit_report_has_a_case_for_each_test(app: Path, pipegen: Pipegen) -> None:
    """Those that pass are cases, too."""
    (app / "pipegen.test.yaml").write_text(TESTS.replace("[src/a.py]", "[docs/a.md]"), encoding="utf-8")
    result = pipegen("test", "--format", "junit")
    (suite,) = ET.fromstring(result.out)  # noqa: S314 - our own
    failures = {case.attrib["name"]: [failure.attrib["message"] for failure in case] for case in suite}

    assert result.status == 1
    assert (suite.attrib["name"], suite.attrib["tests"], suite.attrib["failures"]) == ("pipegen.test.yaml", "2", "1")
    assert sorted(map(len, failures.values())) == [0, 1]
    assert failures["main is deployed"][0].startswith('test "main is deployed": ')


def test_recorded_tests_pass_and_detect_changes(app: Path, pipegen: Pipegen) -> None:
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
def test_a_missing_or_invalid_test_file(app: Path, pipegen: Pipegen) -> None:
    """A missing file is wrong usage; an invalid one is reported at its line."""
    assert pipegen("test").status == 2
    (app / "pipegen.test.yaml").write_text("tests: { a: { event: pish } }\n", encoding="utf-8")
    result = pipegen("test")

    assert (result.status, "pipegen.test.yaml:1:22" in result.out) == (1, True)


def test_the_config_is_not_a_file_of_tests(app: Path, pipegen: Pipegen) -> None:
    """It is not replaced, and as the argument, the file of tests is named as such."""
    before = (app / "pipegen.yaml").read_text(encoding="utf-8")
    (app / "pipegen.test.yaml").write_text("tests: { a: { event: push, runs: [unit] } }\n", encoding="utf-8")
    written, read = pipegen("test", "--write", "--tests", "pipegen.yaml"), pipegen("test", "pipegen.test.yaml")

    assert (written.status, written.err) == (2, 'pipegen: "pipegen.yaml" is the config itself\n')
    assert (app / "pipegen.yaml").read_text(encoding="utf-8") == before
    assert (read.status, 'run "pipegen test"' in read.err) == (1, True)


@pytest.mark.parametrize(
    ("path", "is_refused"), [("/a.py", True), ("../a.py", True), ("..", True), ("", True), ("./docs//a.md", False)]
)
@pytest.mark.usefixtures("app")
def test_changed_files_are_in_the_repository(path: str, is_refused: bool, pipegen: Pipegen) -> None:  # noqa: FBT001 - a parameter
    """Other paths would match no condition; equal ones are the same file."""
    result = pipegen("plan", "--events", "--branch", "main", "--changed", path)

    assert (result.status, f'not "{path}"' in result.err) == ((2, True) if is_refused else (0, False))
    assert is_refused or result.out == pipegen("plan", "--events", "--branch", "main", "--changed", "docs/a.md").out


@pytest.mark.parametrize(
    ("text", "message"),
    [("tests: {}\n", '"tests" is empty'), ("{}\n", '"pipegen.test.yaml" has no "tests"')],
)
def test_a_file_without_tests_is_reported(text: str, message: str, app: Path, pipegen: Pipegen) -> None:
    """It would pass whatever the config does."""
    (app / "pipegen.test.yaml").write_text(text, encoding="utf-8")
    result = pipegen("test")

    assert (result.status, message in result.out) == (1, True)


@pytest.mark.parametrize("verb", ["plan", "graph", "simulate", "run"])
def test_an_event_that_runs_no_pipeline(verb: str, app: Path, pipegen: Pipegen) -> None:
    """The user is told, and no stage runs."""
    pipeline = "pipelines: { release: { when: { tag: v* }, stages: [{ name: publish, script: echo published }] } }\n"
    (app / "pipegen.yaml").write_text(pipeline, encoding="utf-8")

    result = pipegen(verb, "--event", "push", "--branch", "main")

    assert (result.status, result.out.strip()) == (0, "")
    assert ("no pipeline runs" if verb == "run" else "push to main runs no stage") in result.err
