"""Deployments without an end."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules.deploy_without_timeout import check


def test_a_deployment_without_a_timeout() -> None:
    """Told at its environment."""
    assert told(check, stages("{name: a, script: [ls], environment: production}")) == [(4, "environment")]


@pytest.mark.parametrize(
    "text",
    [
        stages("{name: a, script: [ls], environment: production, timeout: 5 minutes}"),
        stages("{name: a, script: [ls], environment: production}", pipeline="defaults: {timeout: 5 minutes}"),
        stages("{name: a, script: [ls]}"),
        stages("{name: a, build: a, publish: {image: true}, deploy: {chart: {name: x}}}"),
    ],
)
def test_what_has_an_end(text: str) -> None:
    """By itself, by default, as a step that has one, or since it deploys nothing."""
    assert told(check, text) == []


def test_what_takes_an_environment_down_is_left_alone() -> None:
    """Only the stage that puts something there is told of."""
    text = stages(
        "{name: up, script: [ls], environment: {name: e, on_stop: down}, timeout: 1 hour}",
        "{name: down, script: [ls], environment: e, approve: Down?}",
        execution="[[up, down]]",
    )

    assert told(check, text) == []
