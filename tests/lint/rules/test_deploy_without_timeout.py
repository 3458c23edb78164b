"""Deployments without a timeout."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.deploy_without_timeout import check


def test_a_deployment_without_a_timeout_is_reported() -> None:
    """The diagnostic is at the environment."""
    assert findings(check, stages("{name: a, script: [ls], environment: production}")) == [(4, "environment")]


@pytest.mark.parametrize(
    "text",
    [
        stages("{name: a, script: [ls], environment: production, timeout: 5 minutes}"),
        stages("{name: a, script: [ls], environment: production}", pipeline="defaults: {timeout: 5 minutes}"),
        stages("{name: a, script: [ls]}"),
        stages("{name: a, build: a, publish: {image: true}, deploy: {chart: {name: x}}}"),
    ],
)
def test_other_stages_are_not_reported(text: str) -> None:
    """They have a timeout, a default or a step with one, or they deploy nothing."""
    assert findings(check, text) == []


def test_a_stop_stage_is_not_reported() -> None:
    """Only the stage that deploys is."""
    text = stages(
        "{name: up, script: [ls], environment: {name: e, on_stop: down}, timeout: 1 hour}",
        "{name: down, script: [ls], environment: e, approve: Down?}",
        execution="[[up, down]]",
    )

    assert findings(check, text) == []
