"""References to the branch in runs for tags, and to the tag in runs for branches."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules import empty_setup_value


def read(when: str, more: str = "script: 'echo ${setup.branch} ${setup.tag}'", pipeline: str = "") -> list[str]:
    """Return the underlined text in a stage with *when* and *more*."""
    condition = f"when: {when}, " if when else ""
    config = stages(f"{{name: a, {condition}{more}}}", pipeline=f"when: {pipeline}" if pipeline else "")
    return [text for _, text in findings(empty_setup_value.check, config)]


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
def test_a_setup_value_that_is_always_empty(when: str, expected: list[str]) -> None:
    """Both engines document that merge requests and tags have no branch, and that only tags have a tag."""
    assert read(when) == expected


def test_the_condition_of_the_pipeline_is_considered() -> None:
    """The stage runs only if both conditions are true."""
    assert read("{event: [tag, push]}", pipeline="{tag: true}") == ["${setup.branch}"]


@pytest.mark.parametrize(
    "more",
    [
        "script: 'echo ${setup.branch|none} ${setup.commit}'",
        "script: 'echo $${setup.branch}'",
        # Of several tags, an empty one is left out.
        "build: true, publish: {image: {tags: ['${setup.branch}']}}",
    ],
)
def test_a_reference_with_a_default_is_not_reported(more: str) -> None:
    """A list that omits empty items is not reported either."""
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
def test_an_empty_value_is_reported_in_every_key(more: str) -> None:
    """The keys are names, variables and scripts."""
    assert read("{tag: true}", more=more) == ["${setup.branch}"]


def test_a_template_is_reported_only_if_all_its_stages_are() -> None:
    """A text that stages share is correct if one of them has the value."""
    head = "templates: {t: {script: 'echo ${setup.branch}'}}\n"
    shared = stages("{name: a, extends: t, when: {tag: true}}", "{name: b, extends: t}", head=head)

    assert findings(empty_setup_value.check, shared) == []
    assert findings(empty_setup_value.check, stages("{name: a, extends: t, when: {tag: true}}", head=head)) != []
