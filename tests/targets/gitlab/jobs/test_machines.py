"""Runners of jobs: tags, requests, bash."""

from __future__ import annotations

import json

import pytest
from targets.gitlab.compiled import compiled

PIPELINE = """
    pipelines:
      p:
        stages:
          - name: a
            {keys}
            script: ['x | y']
    """


def job(keys: str) -> dict[str, object]:
    """Return the job of a stage with *keys*."""
    return dict(compiled(PIPELINE.format(keys=keys)).data["a"])


def test_labels_become_tags() -> None:
    """A runner must have all of them."""
    assert job("agent: [linux, big disk]")["tags"] == ["linux", "big disk"]


@pytest.mark.parametrize(
    ("resources", "variables"),
    [
        ("cpu: 2", {"KUBERNETES_CPU_REQUEST": "2"}),
        ("cpu: 1.5, memory: 1Gi", {"KUBERNETES_CPU_REQUEST": "1500m", "KUBERNETES_MEMORY_REQUEST": "1Gi"}),
        ("memory: 1536Mi", {"KUBERNETES_MEMORY_REQUEST": "1536Mi"}),
        ("limits: { cpu: 4, memory: 8Gi }", {"KUBERNETES_CPU_LIMIT": "4", "KUBERNETES_MEMORY_LIMIT": "8Gi"}),
        ("memory: 3K", {"KUBERNETES_MEMORY_REQUEST": "3000"}),
    ],
)
def test_resources_become_variables_of_kubernetes(resources: str, variables: dict[str, str]) -> None:
    """In the largest unit that is exact."""
    assert job(f"resources: {{ {resources} }}")["variables"] == variables


def test_after_scripts_have_their_own_time() -> None:
    """The script's timeout is separate from the job's, except if a timeout is handled differently."""
    data = job("timeout: 20 minutes\n            after: [y]")

    assert (data["timeout"], data["variables"]) == ("30 minutes", {"RUNNER_SCRIPT_TIMEOUT": "1200s"})
    assert job("timeout: 20 minutes")["timeout"] == "20 minutes"
    apart = job("timeout: 20 minutes\n            after: [y]\n            retry: { count: 1, on: [timeout] }")
    assert apart["timeout"] == "20 minutes"


def test_bash_keeps_pipefail() -> None:
    """The runner prefers bash, and sets pipefail: `shells/bash.go` of gitlab-org/gitlab-runner."""
    assert job("shell: bash")["script"] == ["x | y"]
    assert "before_script" not in job("shell: bash")
    assert job("shell: sh")["script"] == ["set +o pipefail", "x | y"]


@pytest.mark.parametrize("pull", ["always", "if-not-present", "never"])
def test_the_policy_for_the_image_is_a_key(pull: str) -> None:
    """https://docs.gitlab.com/ci/yaml/#imagepull_policy: without the key, the policy of the runner applies."""
    stages = f"[{{ name: a, image: {{ name: x, pull: {pull} }}, script: s }}, {{ name: b, image: x, script: s }}]"
    data = compiled(f"pipelines: {{ p: {{ stages: {stages} }} }}").data

    assert (data["a"]["image"], data["b"]["image"]) == ({"name": "x", "pull_policy": pull}, "x")


@pytest.mark.parametrize("name", ["imageID", "imageLocalName"])
def test_an_image_that_a_stage_builds_is_pulled_by_its_name_in_the_registry(name: str) -> None:
    """Runners pull images by name, also those of services; the ID is not computed."""
    image = f"${{tools.{name}}}"
    stages = [
        {"name": "tools", "build": "dev"},
        {"name": "test", "image": image, "services": [{"image": image, "alias": "db"}], "script": ["make test"]},
    ]
    output = compiled(json.dumps({"pipelines": {"p": {"blubberfile": "Dockerfile", "stages": stages}}}))
    tools, test = output.data["tools"], output.data["test"]
    script = "\n".join(tools["script"])

    assert output.codes() == []
    assert test["image"] == test["services"][0]["name"]
    assert f"printf '{test['image'][1:]}=%s\\n' \"$pipegen_prefix/pipegen:$CI_PIPELINE_ID-tools\"" in script
    assert 'docker push "$pipegen_prefix/pipegen:$CI_PIPELINE_ID-tools"' in script
    assert "image inspect" not in script
    assert tools["artifacts"] == {"reports": {"dotenv": ".pipegen/dotenv/tools.env"}}
    assert output.needs("test") == [("tools", True)]


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        ("postgres:16", "postgres:16"),
        ("{ image: postgres:16, alias: db }", {"name": "postgres:16", "alias": "db"}),
        ("{ image: x.org/postgres:16 }", {"name": "x.org/postgres:16", "alias": "postgres"}),
        ("{ image: redis, command: [redis-server] }", {"name": "redis", "command": ["redis-server"]}),
        ("{ image: redis, env: { MODE: fast } }", "redis"),
        ("{ image: redis, env: { MODE: slow, DIR: x } }", {"name": "redis", "variables": {"MODE": "slow", "DIR": "x"}}),
    ],
)
def test_a_service_has_only_what_gitlab_does_not_give_it_itself(service: str, expected: object) -> None:
    """Its name, and the variables of its job: https://docs.gitlab.com/ci/services/."""
    assert job(f"services: [{service}]\n            env: {{ MODE: fast }}")["services"] == [expected]


def test_the_commands_of_a_service_read_the_id_of_its_image() -> None:
    """The script runs them, and reads the ID from a file of the stage that builds the image."""
    image = "${tools.imageID}"
    service = {"image": image, "alias": "db", "ready": f"check {image}"}
    stages = [{"name": "tools", "build": "dev"}, {"name": "test", "image": image, "services": [service]}]
    output = compiled(json.dumps({"pipelines": {"p": {"blubberfile": "Dockerfile", "stages": stages}}}))

    assert "tools_imageID=$(cat .pipegen/outputs/tools/imageID)" in output.data["test"]["script"]
    assert 'printf %s "$tools_imageID" >.pipegen/outputs/tools/imageID' in output.data["tools"]["script"]
    assert output.data["tools"]["artifacts"]["paths"] == [".pipegen/outputs/tools/"]
