"""Retries, timeouts and allowed failures."""

from __future__ import annotations

import re

import pytest
from engines.sized import built

_CONFIG = """\
pipelines:
  p:
    stages:
      - {{ name: build, script: [make] }}
      - {{ name: flaky, script: [make flaky], {} }}
"""


@pytest.mark.parametrize("style", ["declarative", "scripted"])
@pytest.mark.parametrize(
    "keys",
    [
        "allow_failure: true",
        "allow_failure: { exit_codes: [3] }",
        "allow_failure: true, retry: 2, timeout: 1m",
        "allow_failure: true, retry: { count: 1, on: [script] }",
        "allow_failure: true, lock: door",
        "allow_failure: true, secrets: { A: a }",
        "allow_failure: true, agent: linux",
    ],
)
def test_an_allowed_failure_includes_a_missing_agent(keys: str, style: str) -> None:
    """An unavailable agent, as after a restart of the controller (JENKINS-37121), is a failure of the stage."""
    text = built(_CONFIG.format(keys), style).text
    stage = re.split(r"(?:stage|addStage)\('flaky'", text, maxsplit=1)[1]
    head = stage[: stage.index("{\n", stage.index("catchError" if "exit" not in keys else "allowExitCodes"))]

    assert "agent any" not in head
    assert "agent {" not in head
    assert "node(" not in head
    assert "node('" in stage[len(head) :]


@pytest.mark.parametrize(
    ("keys", "head"),
    [
        ("timeout: 20m", "timeout(time: 20, unit: 'MINUTES') {"),
        ("timeout: 90s", "timeout(time: 90, unit: 'SECONDS') {"),
        ("timeout: 20m, retry: 1", "timeout(time: 20, unit: 'MINUTES') {"),
        ("timeout: 20m, allow_failure: true", "within(1200) {"),
        ("timeout: 20m, retry: { count: 1, on: timeout }", "within(1200) {"),
    ],
)
def test_a_timeout_uses_jenkins_step_unless_it_must_be_a_failure(keys: str, head: str) -> None:
    """A caught `timeout` still aborts the build, and a retry cannot distinguish it."""
    assert head in built(_CONFIG.format(keys), "declarative").text


def test_a_script_that_catches_signals_cannot_pass_after_a_timeout() -> None:
    """It may exit with 0 when it is terminated."""
    text = built(
        "pipelines: { p: { stages: [{ name: a, timeout: 1m, script: [\"trap 'exit 0' TERM\", ./serve] }] } }"
    ).text

    assert "within(60) {" in text
