"""Runs that wait for each other: GitLab has a resource group for a bridge, which holds it until its child ends.

https://docs.gitlab.com/ci/resource_groups/#pipeline-level-concurrency-control-with-cross-projectparent-child-pipelines
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from targets.gitlab.compiled import compiled
from targets.gitlab.split_runs import jobs_of, split_up

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import gitlab

STAGES: list[dict[str, Any]] = [
    {"name": "build", "script": ["make"], "artifacts": ["out/"], "outputs": {"v": {"command": "cat V"}}},
    {"name": "docs", "script": ["make docs"], "when": {"event": "merge_request"}},
    {"name": "push", "script": ["./push ${build.v}"], "approve": True, "environment": "production"},
    {"name": "note", "script": ["./note ${push.status} ${pipeline.status}"]},
]
PIPELINE = {"stages": STAGES, "execution": [["build", "docs", "push"]], "finally": ["note"]}


def config(concurrency: object, **keys: Any) -> str:
    """Return a config whose runs wait for each other, with *keys* of the file."""
    pipeline = PIPELINE if concurrency is None else {**PIPELINE, "concurrency": concurrency}
    return json.dumps({**keys, "pipelines": {"p": pipeline, **keys.get("pipelines", {})}})


@pytest.mark.parametrize(
    ("concurrency", "group"),
    [
        ({}, "runs of p on $CI_COMMIT_REF_SLUG"),
        ("production", "runs of production"),
        ({"group": "eu/west"}, "runs of eu/west"),
    ],
)
def test_a_bridge_with_a_resource_group_starts_all_stages(concurrency: object, group: str) -> None:
    """The child has the jobs of the file without concurrency, finally stages and helpers among them."""
    whole = jobs_of(compiled(config(None)).data)
    child, parent = split_up(config(concurrency)).data().values()

    assert {name: (job["resource_group"], job["trigger"]["strategy"]) for name, job in jobs_of(parent).items()} == {
        "p": (group, "depend")
    }
    in_parent = json.loads(json.dumps(jobs_of(child)).replace("$PIPEGEN_SOURCE", "$CI_PIPELINE_SOURCE"))
    assert in_parent == whole
    assert "note when a stage fails" in in_parent


@pytest.mark.parametrize("concurrency", [{}, "g" * 300])
def test_names_of_resource_groups_are_not_too_long(concurrency: object) -> None:
    """GitLab ignores a group whose name has more than 255 characters; the slug of a branch has up to 63."""
    name = "p" * 250
    pipeline = {"concurrency": concurrency, "stages": STAGES[:1]}
    parent = split_up(json.dumps({"pipelines": {name: pipeline}})).data()[".gitlab-ci.yml"]

    assert len(parent[name]["resource_group"].replace("$CI_COMMIT_REF_SLUG", "b" * 63)) == 255


@pytest.mark.parametrize(
    ("others", "expected"),
    [({}, "none"), ({"check": {"concurrency": {"cancel": True}, "stages": STAGES[:1]}}, "interruptible")],
)
def test_no_newer_commit_cancels_a_run_that_others_wait_for(others: dict[str, Any], expected: str) -> None:
    """By default, GitLab would cancel the bridge, which is no started job to it, and the next run would start."""
    for data in split_up(config({}, pipelines=others)).data().values():
        assert data["workflow"]["auto_cancel"] == {"on_new_commit": expected}
        assert "interruptible" not in json.dumps([data.get("p"), data.get("build")])


def test_other_pipelines_stay_in_the_parent() -> None:
    """The finally stages of the child read its status, and wait for no other pipeline."""
    result = split_up(config({}, pipelines={"check": {"stages": [{"name": "lint", "script": ["lint"]}]}}))
    child, parent = result.data().values()

    assert set(jobs_of(parent)) == {"p", "check: lint"}
    assert "p: note" in jobs_of(child)
    assert not result.diagnostics


@pytest.mark.parametrize(
    ("value", "own", "of_parent"),
    [
        ("event", "PIPEGEN_SOURCE", "$CI_PIPELINE_SOURCE"),
        ("run", "PIPEGEN_NUMBER", "$CI_PIPELINE_IID"),
        ("timestamp", "PIPEGEN_CREATED_AT", "$CI_PIPELINE_CREATED_AT"),
    ],
)
def test_values_of_a_run_are_those_of_the_parent(value: str, own: str, of_parent: str) -> None:
    """A child has other values, such as the event "parent_pipeline"."""
    stage = {"name": "a", "script": [f"echo a${{setup.{value}}}b"]}
    child, parent = split_up(json.dumps({"pipelines": {"p": {"concurrency": {}, "stages": [stage]}}})).data().values()

    assert own in "\n".join(jobs_of(child)["a"]["script"])
    assert of_parent not in json.dumps(child)
    assert jobs_of(parent)["p"]["variables"] == {own: of_parent}


def test_no_lock_is_the_group_of_the_runs() -> None:
    """A job of the child would wait for the bridge that started it."""
    stage = {"name": "a", "script": ["x"], "lock": "runs of x"}
    result = split_up(json.dumps({"pipelines": {"p": {"concurrency": "x", "stages": [stage]}}}))
    child, parent = result.data().values()

    assert jobs_of(parent)["p"]["resource_group"] == "runs of x"
    assert jobs_of(child)["a"]["resource_group"] == "lock runs of x"


@pytest.mark.parametrize(
    ("stage", "settings", "cuts", "reason"),
    [
        ({"raw": {"gitlab": {"dast": "x"}}}, {}, (), 'its GitLab keys ("raw") may have another meaning there'),
        ({"artifacts": ["public/"]}, {"pages": {"stage": "s"}}, (), "it publishes for the project"),
        (
            {},
            {"include": [{"template": "a.yml"}], "include_stages": {"scan": "s"}},
            (),
            "jobs of included files come after it",
        ),
        ({}, {}, ("s",), "--split names it"),
    ],
    ids=["raw", "pages", "include", "split"],
)
def test_a_stage_that_cannot_be_in_a_child_is_reported(
    stage: dict[str, Any], settings: dict[str, Any], cuts: tuple[str, ...], reason: str
) -> None:
    """The runs would overlap, so there is no file."""
    pipeline = {"concurrency": {}, "stages": [{"name": "s", "script": ["x"], **stage}]}
    result = split_up(json.dumps({"targets": {"gitlab": settings}, "pipelines": {"p": pipeline}}), cuts)

    assert [diagnostic.message.split(": ", 2)[2] for diagnostic in result.reported("PG629")] == [reason]


def test_a_file_that_is_a_child_itself_is_reported() -> None:
    """Its parent belongs to somebody else."""
    report = Report()
    analysis = analyse(SourceFile("pipegen.yaml", config({})), (), report)
    with pytest.raises(Stopped):
        generate(analysis, gitlab, {"child": "yes"}, report)

    assert "PG629" in {diagnostic.code.number for diagnostic in report.diagnostics()}
