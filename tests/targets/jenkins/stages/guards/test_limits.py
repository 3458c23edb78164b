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
def test_what_allows_a_failure_stands_around_the_agent(keys: str, style: str) -> None:
    """An agent that cannot be had, as after a restart of the controller (JENKINS-37121), is a failure of the stage."""
    text = built(_CONFIG.format(keys), style).text
    stage = re.split(r"(?:stage|addStage)\('flaky'", text, maxsplit=1)[1]
    head = stage[: stage.index("{\n", stage.index("catchError" if "exit" not in keys else "allowExitCodes"))]

    assert "agent any" not in head
    assert "agent {" not in head
    assert "node(" not in head
    assert "node('" in stage[len(head) :]
