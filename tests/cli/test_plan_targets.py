"""`pipegen plan --target`: what a target makes of the order, out of the text that it generates."""

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
Told = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def targets(here: Path, pipegen: Pipegen) -> Told:
    """Return a function that gives what is told of targets, as JSON that fits the schema."""

    def told(config: str, *options: str) -> list[dict[str, Any]]:
        (here / "pipegen.yaml").write_text(config, encoding="utf-8")
        document = json.loads(pipegen("plan", "--format", "json", *options).out)
        assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
        found: list[dict[str, Any]] = document["targets"]
        return found

    return told


@pytest.mark.parametrize("config", [CONFIG, SEVERAL, SKEWED], ids=range(3))
def test_no_target_adds_a_wait_of_its_own_accord(config: str, targets: Told) -> None:
    """Nor loses any order; several pipelines keep apart."""
    for told in targets(config, "-t", "jenkins", "-t", "gitlab"):
        assert (told["waits"], told["pairs"], told["missing"]) == ([], 0, [])
        assert told["longest_path"]["asked"] == told["longest_path"]["made"] != []


def test_finally_stages_of_gitlab_wait_for_other_pipelines(targets: Told) -> None:
    """As its diagnostic says; on Jenkins they wait for their own."""
    config = TOLD + "targets: { gitlab: { projects: { other: group/other } } }\n"
    jenkins, gitlab = targets(config, "-t", "jenkins", "-t", "gitlab")

    assert (jenkins["waits"], jenkins["longest_path"]["asked"]) == ([], ["p: a", "p: z"])
    assert (gitlab["waits"], gitlab["pairs"]) == ([{"stages": ["p: z"], "for": ["q: a"]}], 1)


def test_a_forced_style_tells_what_it_costs(targets: Told, pipegen: Pipegen) -> None:
    """The added waits, the pairs, and what becomes of the longest path; the diagnostic says the same."""
    (told,) = targets(SKEWED, "--target", "jenkins", "--style", "declarative")
    shown = pipegen("plan", "--target", "jenkins", "--style", "declarative")

    assert (told["style"], told["files"]) == ("declarative", ["Jenkinsfile"])
    assert (told["waits"], told["pairs"]) == ([{"stages": ["report"], "for": ["lint"]}], 1)
    assert shown.out.endswith(
        "target jenkins: Jenkinsfile, declarative\n"
        "  extra waits: 1 pair of stages\n"
        "    report for lint\n"
        "  longest path: 2 stages, as without these waits\n"
        "    lint -> package\n"
        "  stages: 4\n"
    )
    assert "(1 pair of stages in all); the longest path stays at 2 stages\n" in shown.err


def test_collectors_are_told(targets: Told, pipegen: Pipegen) -> None:
    """With the jobs and the most needs of one."""
    (told,) = targets(WIDE, "--target", "gitlab")
    shown = pipegen("plan", "--target", "gitlab").out

    assert told["helpers"] != []
    assert told["jobs"] == 61 + len(told["helpers"])
    assert 0 < told["most_needs"] <= 50
    assert f"  jobs: {told['jobs']} for 61 stages, with up to {told['most_needs']} needs\n" in shown
    assert f"  helper jobs and stages: {', '.join(told['helpers'])}" in shown


def test_a_stage_that_is_renamed_is_still_found(targets: Told) -> None:
    """GitLab has words of its own, and no names of any length."""
    long = "x" * 300
    config = f"pipelines: {{ p: {{ stages: [{{ name: image, script: x }}, {{ name: {long}, script: x }}] }} }}\n"
    (told,) = targets(config, "--target", "gitlab")

    assert (told["missing"], told["pairs"], len(told["longest_path"]["made"])) == ([], 0, 2)


def test_a_checkout_before_all_stages_is_none_of_them(targets: Told) -> None:
    """It is told as what stands beside them."""
    config = (
        "pipelines: { p: { workspace: shared, stages: [{ name: a, image: b, script: x }, { name: c, script: x }] } }\n"
    )
    (told,) = targets(config, "--target", "jenkins")

    assert (told["helpers"], told["pairs"], told["longest_path"]["made"]) == (["checkout"], 0, ["a", "c"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--target", "nothing"), 'no target "nothing"'),
        (("--style", "scripted"), "--style is for the target jenkins"),
        (("--target", "jenkins", "--style", "odd"), "--style takes"),
        (("--target", "jenkins", "--expanded"), "--expanded shows the whole config"),
    ],
)
@pytest.mark.usefixtures("here")
def test_wrong_usage_is_told(options: tuple[str, ...], said: str, pipegen: Pipegen) -> None:
    """And nothing else is."""
    result = pipegen("plan", *options)

    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_a_config_with_errors_is_made_nothing_of(here: Path, pipegen: Pipegen) -> None:
    """Those of the target count too."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")

    assert pipegen("plan", "--target", "jenkins").status == 1
