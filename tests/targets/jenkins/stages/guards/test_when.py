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
        ("{ not: { branch: dev }, branch: main }", ["branch 'main'"]),
        ("{ any: [{ env: { A: b, B: c } }, { env: { B: c } }] }", ["expression { env.getProperty('B') == 'c' }"]),
        (
            "{ any: [{ branch: main }, { event: push }] }",
            ["expression { branch() == 'main' || event() == 'push' }"],
        ),
    ],
)
def test_when_uses_declarative_conditions_if_equivalent(when: str, lines: list[str]) -> None:
    """A wildcard must not match a tag or a change request in BRANCH_NAME."""
    text = built(_CONFIG.format(when)).text
    block = text[text.index("beforeAgent true") : text.index("agent any")].splitlines()

    assert [line.strip() for line in block[1:-2]] == lines


@pytest.mark.parametrize(("when", "is_set"), [("{ branch: main }", True), ("{ tag: v* }", False)])
def test_the_branch_is_set_outside_multibranch_jobs(when: str, is_set: bool) -> None:  # noqa: FBT001 - a case
    """Jenkins does not set BRANCH_NAME there, so `branch` would never hold."""
    assert ("BRANCH_NAME = " in built(_CONFIG.format(when)).text) is is_set
