"""`pipegen plan --target` compares the order of the plan with that of the generated files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.program import BROKEN, CONFIG, SEVERAL, SKEWED, Pipegen
from cli.test_plan import SCHEMA, TOLD
from jsonschema import Draft202012Validator

_SIDE = [f"s{number}" for number in range(60)]
WIDE = json.dumps(
    {
        "pipelines": {
            "p": {
                "stages": [{"name": name, "script": "x"} for name in (*_SIDE, "join")],
                "execution": [[_SIDE, "join"]],
            }
        }
    }
)
TargetsReader = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def targets(here: Path, pipegen: Pipegen) -> TargetsReader:
    """Return a function that returns the targets of the plan, as JSON that matches the schema."""

    def target_data(config: str, *options: str) -> list[dict[str, Any]]:
        (here / "pipegen.yaml").write_text(config, encoding="utf-8")
        document = json.loads(pipegen("plan", "--format", "json", *options).out)
        assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
        entries: list[dict[str, Any]] = document["targets"]
        return entries

    return target_data


@pytest.mark.parametrize("config", [CONFIG, SEVERAL, SKEWED], ids=range(3))
def test_no_target_adds_a_wait_by_default(config: str, targets: TargetsReader) -> None:
    """No target loses a wait either, and several pipelines stay separate."""
    for data in targets(config, "-t", "jenkins", "-t", "gitlab"):
        assert (data["waits"], data["pairs"], data["missing"]) == ([], 0, [])
        assert data["longest_path"]["asked"] == data["longest_path"]["made"] != []


def test_finally_stages_of_gitlab_wait_for_other_pipelines(targets: TargetsReader) -> None:
    """A diagnostic states this; on Jenkins they wait only for their own pipeline."""
    config = TOLD + "targets: { gitlab: { projects: { other: group/other } } }\n"
    jenkins, gitlab = targets(config, "-t", "jenkins", "-t", "gitlab")

    assert (jenkins["waits"], jenkins["longest_path"]["asked"]) == ([], ["p: a", "p: z"])
    assert (gitlab["waits"], gitlab["pairs"]) == ([{"stages": ["p: z"], "for": ["q: a"]}], 1)


def test_a_forced_style_shows_its_extra_waits(targets: TargetsReader, pipegen: Pipegen) -> None:
    """The plan and the diagnostic have the extra waits, the pairs and the longest path."""
    (data,) = targets(SKEWED, "--target", "jenkins", "--style", "declarative")
    shown = pipegen("plan", "--target", "jenkins", "--style", "declarative")

    assert (data["style"], data["files"]) == ("declarative", ["Jenkinsfile"])
    assert (data["waits"], data["pairs"]) == ([{"stages": ["report"], "for": ["lint"]}], 1)
    assert shown.out.endswith(
        "target jenkins: Jenkinsfile, declarative\n"
        "  extra waits: 1 pair of stages\n"
        "    report for lint\n"
        "  longest path: 2 stages, as without these waits\n"
        "    lint -> package\n"
        "  stages: 4\n"
    )
    assert "(1 pair of stages in all); the longest path stays at 2 stages\n" in shown.err


def test_helper_jobs_are_listed(targets: TargetsReader, pipegen: Pipegen) -> None:
    """The numbers of jobs and of needs are shown, too."""
    (data,) = targets(WIDE, "--target", "gitlab")
    shown = pipegen("plan", "--target", "gitlab").out

    assert data["helpers"] != []
    assert data["jobs"] == 61 + len(data["helpers"])
    assert 0 < data["most_needs"] <= 50
    assert f"  jobs: {data['jobs']} for 61 stages, with up to {data['most_needs']} needs\n" in shown
    assert f"  helper jobs and stages: {', '.join(data['helpers'])}" in shown


def test_a_renamed_job_is_mapped_to_its_stage(targets: TargetsReader) -> None:
    """GitLab reserves some names and limits their length."""
    long = "x" * 300
    config = f"pipelines: {{ p: {{ stages: [{{ name: image, script: x }}, {{ name: {long}, script: x }}] }} }}\n"
    (data,) = targets(config, "--target", "gitlab")

    assert (data["missing"], data["pairs"], len(data["longest_path"]["made"])) == ([], 0, 2)


def test_a_shared_checkout_is_a_helper_stage(targets: TargetsReader) -> None:
    """It does not count as a stage of the plan."""
    config = (
        "pipelines: { p: { workspace: shared, stages: [{ name: a, image: b, script: x }, { name: c, script: x }] } }\n"
    )
    (data,) = targets(config, "--target", "jenkins")

    assert (data["helpers"], data["pairs"], data["longest_path"]["made"]) == (["checkout"], 0, ["a", "c"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "nothing"), 'no target "nothing"'),
        (("--style", "scripted"), "--style is for the target jenkins"),
        (("--target", "jenkins", "--style", "odd"), "--style takes"),
        (("--target", "jenkins", "--expanded"), "--expanded shows the whole config"),
    ],
)
@pytest.mark.usefixtures("here")
def test_invalid_options_are_wrong_usage(options: tuple[str, ...], message: str, pipegen: Pipegen) -> None:
    """Standard output is empty."""
    result = pipegen("plan", *options)

    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_a_config_with_errors_is_not_compared_with_a_target(here: Path, pipegen: Pipegen) -> None:
    """The exit code is 1."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")

    assert pipegen("plan", "--target", "jenkins").status == 1
