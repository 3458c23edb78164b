"""Keys that all jobs of one of several pipelines share."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled
from yaml_data import yaml_data

_OTHER = "docs: { stages: [{ name: html, script: make html }] }"


def _data(pipeline: str, *others: str) -> dict[str, Any]:
    """Return the data of a file with the pipeline `api` and *others*."""
    data: dict[str, Any] = yaml_data(
        compiled(f"pipelines: {{ api: {{ {pipeline} }}, {', '.join(others or (_OTHER,))} }}").text
    )
    return data


def test_shared_keys_are_in_a_hidden_job_with_the_name_of_the_pipeline() -> None:
    """The jobs keep only their own keys."""
    data = _data(
        "when: { branch: main }, defaults: { image: 'python:3.12', timeout: 5 minutes, env: { MODE: fast } }, "
        "stages: [{ name: lint, script: make lint }, { name: unit, script: make unit, env: { LEVEL: '2' } }]"
    )

    assert data[".api"] == {
        "image": "python:3.12",
        "rules": [
            {"if": '$PIPEGEN_PIPELINE == "" && $CI_COMMIT_BRANCH == "main"'},
            {"if": "$PIPEGEN_PIPELINE =~ /(^|,)(all|api)(,|$)/"},
        ],
        "timeout": "5 minutes",
        "variables": {"MODE": "fast"},
    }
    assert data["api: lint"] == {"extends": ".api", "stage": "lint, html", "script": ["make lint"]}
    assert data["api: unit"]["variables"] == {"LEVEL": "2"}
    assert "extends" not in data["docs: html"]


def test_keys_that_one_job_lacks_stay_in_the_others() -> None:
    """A job without an image would get that of the hidden job."""
    data = _data(
        "defaults: { timeout: 5 minutes, retry: 1 }, stages: ["
        "{ name: a, script: make, image: 'python:3.12' }, { name: b, script: make, image: 'python:3.12' }, "
        "{ name: c, script: make }]",
        "docs: { defaults: { retry: 2 }, stages: [{ name: html, script: make }, { name: pdf, script: make }] }",
    )

    assert "image" not in data[".api"]
    assert data["api: a"]["image"] == "python:3.12"
    assert "image" not in data["api: c"]


@pytest.mark.parametrize(
    ("key", "usual", "other"),
    [
        ("image", "{ name: x, pull: always }", "{ name: y, entrypoint: [] }"),
        ("cache", "{ key: k, paths: [a/], policy: pull }", "{ key: l, paths: [b/] }"),
    ],
)
def test_a_map_is_not_shared_if_a_job_has_another_one(key: str, usual: str, other: str) -> None:
    """GitLab would merge the two: https://docs.gitlab.com/ci/yaml/#extends."""
    data = _data(
        "defaults: { timeout: 5 minutes, retry: 1, env: { MODE: fast } }, stages: ["
        f"{{ name: a, script: make, {key}: {usual} }}, {{ name: b, script: make, {key}: {usual} }}, "
        f"{{ name: c, script: make, {key}: {other} }}]",
    )

    assert key not in data[".api"]
    assert all(key in data[f"api: {name}"] for name in "abc")


def test_an_approval_stays_blocking() -> None:
    """Without `rules`, GitLab would let the pipeline go on: https://docs.gitlab.com/ci/yaml/#allow_failure."""
    data = _data(
        "when: { branch: main }, defaults: { timeout: 5 minutes, approve: Go? }, "
        "stages: [{ name: a, script: make }, { name: b, script: make }]"
    )

    assert {rule["when"] for rule in data[".api"]["rules"]} == {"manual"}
    assert "allow_failure" not in data["api: a"]


def test_jobs_with_raw_keys_share_nothing_that_these_replace() -> None:
    """The user's `variables` are merged with those of the job, not of a hidden job."""
    raw = "raw: { gitlab: { variables: { MORE: '1' } } }"
    data = _data(
        "defaults: { image: 'python:3.12', timeout: 5 minutes }, "
        f"stages: [{{ name: a, script: make, {raw} }}, {{ name: b, script: make, {raw} }}]"
    )

    assert ".api" not in data
    assert data["api: a"]["image"] == "python:3.12"


def test_keys_of_the_tools_of_jobs_are_only_in_their_hidden_job() -> None:
    """It comes after that of the pipeline."""
    stages = ", ".join(f"{{ name: {name}, build: {name}, run: true, timeout: 5 minutes }}" for name in "abc")
    data = _data(f"when: {{ branch: main }}, stages: [{stages}]")

    assert [*data[".api"]] == ["rules", "timeout"]
    assert "services" in data[".docker"]
    assert data["api: a"]["extends"] == [".api", ".docker"]


def test_a_single_pipeline_has_no_hidden_job() -> None:
    """Its keys are in `default`."""
    data = yaml_data(
        compiled(
            "pipelines: { api: { defaults: { image: 'python:3.12', timeout: 5 minutes, interruptible: true }, "
            "stages: [{ name: a, script: make }, { name: b, script: make }] } }"
        ).text
    )

    assert not [name for name in data if name.startswith(".")]


def test_a_job_with_another_value_has_its_own() -> None:
    """The hidden job has the most frequent value of a key that all jobs have."""
    data = _data(
        "when: { branch: main }, defaults: { image: 'python:3.12', timeout: 5 minutes }, "
        "stages: [{ name: a, script: make a }, { name: b, script: make b }, "
        "{ name: c, script: make c, image: 'python:3.13', when: { tag: 'v*' }, timeout: 1 hour }]"
    )

    assert data[".api"]["image"] == "python:3.12"
    assert data["api: a"] == {"extends": ".api", "stage": "a, html", "script": ["make a"]}
    assert "extends" not in data["api: c"]
    assert data["api: c"]["image"] == "python:3.13"


def test_jobs_in_place_of_combinations_extend_it() -> None:
    """Also the hidden job of combinations that others need one by one."""
    data = _data(
        "when: { branch: main }, defaults: { timeout: 5 minutes, env: { MODE: fast } }, stages: ["
        "{ name: a, matrix: { n: [x, y] }, script: 'make ${matrix.n}' }, "
        "{ name: b, matrix: { from: a }, script: 'test ${matrix.n}' }]"
    )

    assert data["api: a"]["extends"] == ".api"
    assert data[".api: b"]["extends"] == ".api"
    assert data["api: b: x"]["extends"] == ".api: b"
    assert "timeout" not in {*data["api: a"], *data[".api: b"], *data["api: b: x"]}


def test_jobs_with_tools_extend_it_first() -> None:
    """The keys of the tools replace those of the pipeline, as in the other jobs of the tools."""
    data = _data(
        "when: { branch: main }, defaults: { timeout: 5 minutes }, stages: [{ name: a, script: make a }, "
        "{ name: b, build: b }, { name: c, build: c }, { name: d, script: make d }]"
    )

    assert data["api: b"]["extends"] == [".api", ".docker"]
    assert data["api: a"]["extends"] == ".api"
    assert "timeout" not in data["api: b"]


def test_one_hidden_job_has_all_keys_of_the_jobs_with_the_same_rules() -> None:
    """A job of the pipeline with other rules has none of the keys."""
    keys = "image: node, cache: { key: k, paths: [x] }"
    data = _data(
        f"when: {{ tag: v* }}, stages: [{{ name: a, script: make a, {keys} }}, {{ name: b, script: make b, {keys} }}, "
        f"{{ name: c, script: make c, {keys} }}, {{ name: d, script: make d, when: {{ env: {{ D: true }} }} }}]",
        f"docs: {{ stages: [{', '.join(f'{{ name: {name}, script: x }}' for name in 'pqrs')}] }}",
    )

    assert data[".api"].keys() == {"image", "rules", "cache"}
    assert data["api: b"].keys() == {"extends", "stage", "needs", "script"}
    assert "extends" not in data["api: d"]
