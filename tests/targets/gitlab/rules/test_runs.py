"""Concurrent runs on GitLab: https://docs.gitlab.com/ci/yaml/#interruptible."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled


@pytest.mark.parametrize(
    ("keys", "is_marked"),
    [
        ("", True),
        ("environment: production", False),
        ("lock: production", False),
        ("approve: true", False),
        ("approve: {delay: 5 minutes}", False),
        ("environment: production, interruptible: true", True),
        ("interruptible: false", False),
    ],
)
def test_a_newer_run_does_not_cancel_deployments(keys: str, *, is_marked: bool) -> None:
    """A stage with an environment, a lock or an approval is interruptible only if its config states it."""
    output = compiled(f"""
        pipelines:
          p:
            concurrency: {{cancel: true}}
            stages: [{{name: s, script: [x], {keys}}}]
    """)

    assert output.data["s"].get("interruptible", False) is is_marked


def test_a_newer_run_does_not_cancel_stop_stages() -> None:
    """They have the environment of the stage that deploys."""
    output = compiled("""
        pipelines:
          p:
            concurrency: {cancel: true}
            stages:
              - {name: deploy, script: [x], environment: {name: review, on_stop: stop}}
              - {name: stop, script: [y]}
    """)

    assert "interruptible" not in output.text.partition("deploy:")[2]
