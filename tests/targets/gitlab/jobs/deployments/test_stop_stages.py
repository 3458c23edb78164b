"""Stages that stop an environment.

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
    """Return the job of a stage with *script* that stops the deployment of `deploy`, after a `build` with artifacts."""
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
    data: dict[str, Any] = compiled(json.dumps({"pipelines": {"p": {"stages": stages}}})).data["stop"]
    return data


@pytest.mark.parametrize("name", ["branch", "sourceBranch"])
def test_the_branch_in_the_name_of_an_environment_is_a_slug(name: str) -> None:
    """GitLab refuses the name "review/dependabot/npm/@types/node"; in a merge request, the slug is of its branch."""
    data = compiled(
        f"pipelines: {{ p: {{ stages: [{{ name: s, script: x, environment: 'review/${{setup.{name}}}' }}] }} }}"
    ).data

    assert data["s"]["environment"] == "review/$CI_COMMIT_REF_SLUG"


@pytest.mark.parametrize(
    "script",
    [
        "kubectl delete namespace review",
        'helm uninstall "review-$CI_COMMIT_REF_SLUG" --wait',
        "curl -X DELETE https://example.org/api/v1.json",
        "undeploy review >/dev/null 2>&1 || true",
    ],
)
def test_a_script_without_file_names_gets_no_checkout(script: str) -> None:
    """The branch may have been deleted when the job runs."""
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
def test_a_script_with_file_names_gets_a_checkout(script: str) -> None:
    """A relative path, a file, or a program that reads the current folder."""
    assert "variables" not in stop(script)


@pytest.mark.parametrize("keys", [{"directory": "deploy"}, {"env": {"KUBECONFIG": "./kube"}}, {"after": ["./log"]}])
def test_other_keys_with_file_names_require_a_checkout(keys: dict[str, Any]) -> None:
    """A folder, a variable, or after commands."""
    assert "GIT_STRATEGY" not in stop("undeploy", **keys).get("variables", {})


def test_other_stages_keep_their_checkout() -> None:
    """The rule is only for stages that stop an environment."""
    assert "variables" not in compiled("{pipelines: {p: {stages: [{name: a, script: [undeploy]}]}}}").data["a"]


def test_a_stop_job_runs_after_a_failed_deployment() -> None:
    """It has the needs of the deployment, and fetches only artifacts that it reads."""
    assert stop("undeploy")["needs"] == [{"job": "build", "artifacts": False}]


def test_a_stop_job_fetches_files_from_named_stages() -> None:
    """`files_from` names them."""
    assert stop("undeploy", files_from=["build"])["needs"] == [{"job": "build", "artifacts": True}]


def test_a_stop_job_needs_a_deployment_whose_outputs_it_reads() -> None:
    """They exist only if the deployment succeeded."""
    assert {"job": "deploy", "artifacts": True} in stop('undeploy "${deploy.host}"')["needs"]


def test_a_stop_job_without_needs_is_in_the_first_stage() -> None:
    """Elsewhere it would wait for all jobs of earlier stages, including a failed deployment."""
    data = compiled("""
        pipelines:
          p:
            stages:
              - {name: deploy, script: [x], environment: {name: review, on_stop: stop}}
              - {name: stop, script: [y]}
    """).data

    assert (data["stop"]["stage"], data["stop"].get("needs")) == (data["deploy"]["stage"], None)


def test_a_stop_job_keeps_its_other_needs() -> None:
    """Only the deployment may have failed."""
    output = compiled("""
        pipelines:
          p:
            stages:
              - {name: deploy, script: [x], environment: {name: review, on_stop: stop}}
              - {name: other, script: [x]}
              - {name: stop, script: [y]}
            execution: [[deploy, stop], [other, stop]]
    """)

    assert output.needs("stop") == [("other", False)]
