"""Stages that take an environment down.

https://docs.gitlab.com/ci/environments/#stopping-an-environment: the stop job has `GIT_STRATEGY: none`, because the
branch may be gone, and does not depend on the job that deploys, since a manual job whose need failed is skipped
(https://docs.gitlab.com/ci/yaml/#needs).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from targets.gitlab.compiled import compiled


def stop(script: str, **keys: Any) -> dict[str, Any]:
    """Return the job of a stage with *script* that stops what `deploy` deployed, after a `build` with artifacts."""
    stages = [
        {"name": "build", "script": ["make"], "artifacts": ["dist/"]},
        {
            "name": "deploy",
            "script": ["./deploy"],
            "artifacts": ["log/"],
            "outputs": {"host": {"command": "x"}},
            "environment": {"name": "review", "on_stop": "stop"},
        },
        {"name": "stop", "script": [script], **keys},
    ]
    found: dict[str, Any] = compiled(json.dumps({"pipelines": {"p": {"stages": stages}}})).data["stop"]
    return found


@pytest.mark.parametrize(
    "script",
    [
        "kubectl delete namespace review",
        'helm uninstall "review-$CI_COMMIT_REF_SLUG" --wait',
        "curl -X DELETE https://example.org/api/v1.json",
        "undeploy review >/dev/null 2>&1 || true",
    ],
)
def test_a_script_that_names_no_file_gets_no_checkout(script: str) -> None:
    """The branch may be gone when the job runs."""
    assert stop(script)["variables"]["GIT_STRATEGY"] == "none"


@pytest.mark.parametrize(
    "script",
    [
        "./undeploy",
        "sh ci/undeploy",
        "kubectl delete -f manifest.yaml",
        "kubectl delete --filename=k8s/app.yml",
        "make undeploy",
        "cd . && undeploy",
        "terraform destroy",
        "(git tag -d review)",
        "bash <undeploy.sh",
        '. "./env"',
    ],
)
def test_a_script_that_names_a_file_gets_a_checkout(script: str) -> None:
    """A path that is not absolute, a file, or a program that reads the folder that it is called in."""
    assert "variables" not in stop(script)


@pytest.mark.parametrize("keys", [{"directory": "deploy"}, {"env": {"KUBECONFIG": "./kube"}}, {"after": ["./log"]}])
def test_other_keys_name_files_too(keys: dict[str, Any]) -> None:
    """A folder, a variable, and commands that come after."""
    assert "GIT_STRATEGY" not in stop("undeploy", **keys).get("variables", {})


def test_other_stages_keep_their_checkout() -> None:
    """The rule is for stages that take an environment down."""
    assert "variables" not in compiled("{pipelines: {p: {stages: [{name: a, script: [undeploy]}]}}}").data["a"]


def test_it_fetches_no_artifacts_and_runs_after_a_failed_deployment() -> None:
    """It needs what the deployment needs, and fetches nothing that it does not read."""
    assert stop("undeploy")["needs"] == [{"job": "build", "artifacts": False}]


def test_it_fetches_what_it_says_that_it_reads() -> None:
    """`files_from` names the stages."""
    assert stop("undeploy", files_from=["build"])["needs"] == [{"job": "build", "artifacts": True}]


def test_it_needs_a_deployment_whose_outputs_it_reads() -> None:
    """They are there only where the deployment succeeded."""
    assert {"job": "deploy", "artifacts": True} in stop('undeploy "${deploy.host}"')["needs"]


def test_without_needs_it_stands_in_the_first_step() -> None:
    """A job without needs waits for all jobs of earlier steps, a failed deployment among them."""
    made = compiled("""
        pipelines:
          p:
            stages:
              - {name: deploy, script: [x], environment: {name: review, on_stop: stop}}
              - {name: stop, script: [y]}
    """).data

    assert (made["stop"]["stage"], made["stop"].get("needs")) == (made["deploy"]["stage"], None)


def test_needs_beside_the_deployment_stay() -> None:
    """Only the stage that deploys may have failed."""
    made = compiled("""
        pipelines:
          p:
            stages:
              - {name: deploy, script: [x], environment: {name: review, on_stop: stop}}
              - {name: other, script: [x]}
              - {name: stop, script: [y]}
            execution: [[deploy, stop], [other, stop]]
    """)

    assert made.needs("stop") == [("other", False)]
