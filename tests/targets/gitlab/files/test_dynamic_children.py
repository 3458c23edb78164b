"""Files that a pipeline generates and starts as its child pipeline."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from gitlab_meaning import meaning
from yaml_data import yaml_data

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import gitlab

LARGE = ", ".join(f"{{ name: s{number}, script: [echo {number}{'x' * 600}] }}" for number in range(9))


def generated(config: str, **options: str) -> tuple[list[dict[str, Any]], Report]:
    """Return the files of the indented *config*, none after an error, and the diagnostics."""
    report = Report()
    try:
        analysed = analyse(SourceFile("pipegen.yaml", dedent(config)), (), report)
        files = generate(analysed, gitlab, options, report)
    except Stopped:
        return [], report
    return [meaning(yaml_data(file.text)) for file in files], report


def rules(job: dict[str, Any]) -> list[str]:
    """Return the conditions of *job*."""
    return [rule["if"] for rule in job["rules"]]


def test_conditions_of_a_child_read_the_parents_source() -> None:
    """Other conditions are unchanged."""
    ((data,), _) = generated(
        """
        pipelines:
          p:
            stages:
              - { name: build, script: [make] }
              - { name: review, when: { event: merge_request }, script: ['echo "$CI_PIPELINE_SOURCE"'] }
              - { name: release, when: { tag: 'v*' }, script: [make release] }
        """,
        child="yes",
    )

    assert rules(data["review"]) == ['$PIPEGEN_SOURCE == "merge_request_event"']
    assert "PIPELINE_SOURCE" not in rules(data["release"])[0]
    assert data["review"]["script"] == ['echo "$CI_PIPELINE_SOURCE"']
    assert data["workflow"] == {"rules": [{"when": "always"}]}
    assert "start" not in data


def test_a_child_always_has_one_job() -> None:
    """Otherwise the bridge would fail; each job has the condition of the pipeline."""
    config = """
        pipelines:
          p:
            when: { event: push }
            stages: [{ name: start, script: [make] }]
        """
    ((data,), _) = generated(config, child="yes")
    ((alone,), _) = generated(config)
    (helper,) = set(data) - {"stages", "workflow", "variables", "start"}

    assert data[helper]["script"] == ["true"]
    assert "rules" not in data[helper]
    assert '$PIPEGEN_SOURCE == "push"' in rules(data["start"])[0]
    assert "rules" not in alone["start"]


def test_workflow_rules_are_not_in_the_child() -> None:
    """They could prevent the child, and would read the wrong source."""
    config = """
        targets: { gitlab: { workflow: { name: Ours, rules: [{ if: '$CI_PIPELINE_SOURCE == "push"' }] } } }
        pipelines: { p: { stages: [{ name: build, script: [make] }] } }
        """
    ((data,), _) = generated(config, child="yes")

    assert data["workflow"] == {"name": "Ours", "rules": [{"when": "always"}]}


@pytest.mark.parametrize(("option", "codes"), [({}, set()), ({"child": "yes"}, {"PG627"})])
def test_a_child_is_one_file(option: dict[str, str], codes: set[str]) -> None:
    """A file over the limit is reported, because included files would not be found."""
    files, report = generated(
        f"{{ targets: {{ gitlab: {{ max_yaml_size_bytes: 9000 }} }}, pipelines: {{ p: {{ stages: [{LARGE}] }} }} }}",
        **option,
    )

    assert {diagnostic.code.number for diagnostic in report.diagnostics() if diagnostic.code.number == "PG627"} == codes
    assert (len(files) > 1) is (not option)
