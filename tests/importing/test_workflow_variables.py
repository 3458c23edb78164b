"""Variables of `workflow: rules` replace those of the file, as in `Chain::Seed#root_variables` of GitLab's code."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text
from yaml_data import yaml_data

from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.runnable import StartedJob
from pipegen.structs import replace

_SOURCE = """\
variables: { TAG: "3.11", TITLE: "branch $CI_COMMIT_BRANCH", LITERAL: { value: a$b, expand: false } }
workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
      variables: { TAG: "3.12", TITLE: merge request, LITERAL: x, NEW: "1" }
    - { if: $CI_COMMIT_TAG, when: never }
    - if: $CI_COMMIT_BRANCH
unit: { image: "python:$TAG", script: [make "$TITLE" "$LITERAL"] }
own: { variables: { TAG: own }, script: [make "$TAG"] }
some: { inherit: { variables: [TITLE] }, script: [make "$TITLE"] }
new: { script: [make], rules: [{ if: $NEW && $TAG == "3.12" }] }
next: { trigger: { project: group/next } }
"""


def _started(tmp_path: Path, title: str) -> dict[str, StartedJob]:
    result, _ = from_text(_SOURCE, tmp_path)
    (event,) = (event for event in result.reading.events if event.title == title)
    return {job.name: job for job in result.reading.runnable.started(event.facts)}


def test_jobs_get_the_variables_of_the_rule_that_decides(tmp_path: Path) -> None:
    """Unless they have their own, or do not inherit them; their rules read them, too."""
    on_main = _started(tmp_path, "push to main")
    of_request = _started(tmp_path, "merge request")

    assert {name: job.of_workflow for name, job in on_main.items()} == {
        "unit": (),
        "own": (),
        "some": (),
        "next": (),
    }
    every = {"TAG": "3.12", "TITLE": "merge request", "LITERAL": "x", "NEW": "1"}
    assert {name: dict(job.of_workflow) for name, job in of_request.items()} == {
        "unit": every,
        "own": {name: text for name, text in every.items() if name != "TAG"},
        "some": {"TITLE": "merge request"},
        "new": every,
        "next": every,
    }


def test_variables_that_the_workflow_replaces_are_not_constant_in_imports(tmp_path: Path) -> None:
    """They are inputs; those that an input cannot be get their value from the other rules of the workflow."""
    result, _ = from_text(_SOURCE, tmp_path)
    data = yaml_data(result.generated[-1].text)
    proof = prove(result)

    assert "inputs:\n  TAG:" in result.text
    assert data["unit"]["image"] == "python:$TAG"
    assert data["workflow"]["rules"][3]["variables"] == {"TITLE": "branch $CI_COMMIT_BRANCH", "LITERAL": "a$$b"}
    assert not {"TITLE", "LITERAL"} & {*data["variables"], *data["unit"].get("variables", ())}
    assert set(data["next"]["inherit"]["variables"]) == {"TAG", "TITLE", "LITERAL", "NEW"}
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("text", "other", "message"),
    [
        ('TAG: "3.12"', 'TAG: "3.13"', 'the image of job "unit" is another one'),
        ("TITLE: merge request", "TITLE: request", 'the variable TITLE of job "some" is another one'),
    ],
)
def test_other_variables_of_the_workflow_are_detected(text: str, other: str, message: str, tmp_path: Path) -> None:
    """In the run for the merge request."""
    result, _ = from_text(_SOURCE, tmp_path)
    (file,) = result.generated
    assert text in file.text
    proof = prove(replace(result, generated=(replace(file, text=file.text.replace(text, other, 1)),)))

    assert proof is not None
    assert message in [difference.message for difference in proof.differences]


def test_jobs_that_do_not_inherit_variables_of_the_workflow_get_none_in_imports(tmp_path: Path) -> None:
    """Variables that only the import sets are differences if commands read them."""
    source = """\
workflow: { rules: [{ if: $CI_COMMIT_TAG, variables: { NEW: "1" } }, { when: always }] }
unit: { inherit: { variables: false }, script: [make "$NEW"] }
other: { script: [make] }
"""
    result, _ = from_text(source, tmp_path)
    (file,) = result.generated
    proof = prove(result)
    changed = prove(replace(result, generated=(replace(file, text=file.text.replace("variables: false", "")),)))

    assert yaml_data(file.text)["unit"]["inherit"] == {"variables": False}
    assert proof is not None
    assert proof.differences == ()
    assert changed is not None
    assert [difference.message for difference in changed.differences] == [
        'the variable NEW of job "unit" is set only in the import'
    ]
