"""The branch of a tag, and the tag of a branch."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules import empty_setup_value


def read(when: str, more: str = "script: 'echo ${setup.branch} ${setup.tag}'", pipeline: str = "") -> list[str]:
    """Return what is underlined in a stage with *when* and *more*."""
    condition = f"when: {when}, " if when else ""
    config = stages(f"{{name: a, {condition}{more}}}", pipeline=f"when: {pipeline}" if pipeline else "")
    return [text for _, text in told(empty_setup_value.check, config)]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{tag: true}", ["${setup.branch}"]),
        ("{tag: 'v*'}", ["${setup.branch}"]),
        ("{event: tag}", ["${setup.branch}"]),
        ("{event: merge_request}", ["${setup.branch}", "${setup.tag}"]),
        ("{event: [merge_request, tag]}", ["${setup.branch}"]),
        ("{branch: main}", ["${setup.tag}"]),
        ("{branch: false}", ["${setup.branch}"]),
        ("{event: push}", ["${setup.tag}"]),
        ("{event: [push, tag]}", []),
        ("{event: schedule}", []),
        ("{event: manual}", []),
        ("{any: [{branch: main}, {tag: true}]}", []),
        ("{not: {tag: true}}", ["${setup.tag}"]),
        ("{env: {RELEASE: true}}", []),
        ("", []),
    ],
)
def test_a_value_that_no_run_of_the_stage_has(when: str, expected: list[str]) -> None:
    """Both engines document it: merge requests and tags have no branch, and a tag is set where one is built."""
    assert read(when) == expected


def test_the_pipelines_when_counts_too() -> None:
    """The stage runs where both hold."""
    assert read("{event: [tag, push]}", pipeline="{tag: true}") == ["${setup.branch}"]


@pytest.mark.parametrize(
    "more",
    [
        "script: 'echo ${setup.branch|none} ${setup.commit}'",
        "script: 'echo $${setup.branch}'",
        # Of more tags, an empty one is left out.
        "build: true, publish: {image: {tags: ['${setup.branch}']}}",
    ],
)
def test_a_default_is_enough(more: str) -> None:
    """As is a list that leaves out what is empty."""
    assert read("{tag: true}", more=more) == []


@pytest.mark.parametrize(
    "more",
    [
        "script: ls, env: {A: 'x-${setup.branch}'}",
        "script: ls, environment: 'review/${setup.branch}'",
        "script: ls, cache: {paths: [x], key: '${setup.branch}'}",
        "script: ls, after: ['echo ${setup.branch}']",
        "build: true, publish: {image: {tag: '${setup.branch}'}}",
    ],
)
def test_it_counts_wherever_it_stands(more: str) -> None:
    """In a name, a variable or a script."""
    assert read("{tag: true}", more=more) == ["${setup.branch}"]


def test_a_template_is_right_where_one_stage_is() -> None:
    """A text that stages share is reported where none of them has the value."""
    head = "templates: {t: {script: 'echo ${setup.branch}'}}\n"
    shared = stages("{name: a, extends: t, when: {tag: true}}", "{name: b, extends: t}", head=head)

    assert told(empty_setup_value.check, shared) == []
    assert told(empty_setup_value.check, stages("{name: a, extends: t, when: {tag: true}}", head=head)) != []
