"""Conditions as the directive `when`."""

from __future__ import annotations

import pytest
from engines.sized import built

_CONFIG = "pipelines: {{ p: {{ stages: [{{ name: a, script: [make], when: {} }}] }} }}"


@pytest.mark.parametrize(
    ("when", "lines"),
    [
        ("{ branch: main }", ["branch 'main'"]),
        ("{ branch: [main, next] }", ["anyOf {", "branch 'main'", "branch 'next'", "}"]),
        ("{ branch: release/* }", ["branch 'release/*'", "not { buildingTag() }"]),
        ("{ branch: p* }", ["branch 'p*'", "not { buildingTag() }", "not { changeRequest() }"]),
        ("{ branch: release/** }", ["expression { branch() ==~ '(?d)release/.*' }"]),
        ("{ not: { branch: main } }", ["not { branch 'main' }"]),
        ("{ tag: v* }", ["tag 'v*'"]),
        ("{ event: merge_request }", ["changeRequest()"]),
        ("{ event: schedule }", ["triggeredBy 'TimerTrigger'"]),
        ("{ event: push }", ["expression { event() == 'push' }"]),
        ("{ branch: main, event: merge_request }", ["branch 'main'", "changeRequest()"]),
        ("{ any: [{ branch: main }, { tag: v* }] }", ["anyOf {", "branch 'main'", "tag 'v*'", "}"]),
        (
            "{ any: [{ branch: r/* }, { tag: v* }] }",
            ["anyOf {", "allOf {", "branch 'r/*'", "not { buildingTag() }", "}", "tag 'v*'", "}"],
        ),
        (
            "{ any: [{ branch: main }, { event: push }] }",
            ["expression { branch() == 'main' || event() == 'push' }"],
        ),
    ],
)
def test_conditions_are_those_of_declarative_where_they_mean_the_same(when: str, lines: list[str]) -> None:
    """A wildcard must not match the tag or the change request that BRANCH_NAME may be."""
    text = built(_CONFIG.format(when)).text
    block = text[text.index("beforeAgent true") : text.index("agent any")].splitlines()

    assert [line.strip() for line in block[1:-2]] == lines


@pytest.mark.parametrize(("when", "is_set"), [("{ branch: main }", True), ("{ tag: v* }", False)])
def test_the_branch_is_known_outside_multibranch_jobs(when: str, is_set: bool) -> None:  # noqa: FBT001 - a case
    """There, Jenkins does not set BRANCH_NAME, and `branch` never holds."""
    assert ("BRANCH_NAME = " in built(_CONFIG.format(when)).text) is is_set
