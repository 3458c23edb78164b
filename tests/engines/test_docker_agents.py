"""Stages that share a workspace run in images, in both styles of Jenkins, and hold no agent while the build waits."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.proof.execution import CONFIG, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

IMAGE = "node:22"
Repository = Callable[[Mapping[str, str | bytes]], Path]


def in_image(name: str, **keys: object) -> dict[str, object]:
    """Return a stage in an image that reads the file of the previous stage."""
    return {"name": name, "image": IMAGE, "script": ["[ ! -e left ] || cat left", f"echo {name} >left"], **keys}


# Stages for which a docker agent is equivalent, and stages that need the container in their steps.
CONTAINED = {
    "plain": in_image("plain"),
    "pulled": in_image("pulled", image={"name": IMAGE, "pull": "always", "entrypoint": []}),
    "reported": in_image("reported", artifacts=["left"], reports={"junit": "x.xml"}),
    "tried": in_image("tried", retry=1),
    "timed": in_image("timed", timeout=60),
    "approved": in_image("approved", approve=True),
}
TAKING = {
    "served": in_image("served", services=["redis:7"]),
    "allowed": in_image("allowed", allow_failure=True),
    "starting": in_image("starting", trigger={"name": "other"}),
    "telling": in_image("telling", notify={"email": {"to": "a@example.org"}}),
    "wrapped": in_image("wrapped", raw={"jenkins": {"wrap": ["ansiColor('xterm')"]}}),
    "named": in_image("named", image="node:${setup.pipeline}-${setup.commit}"),
}


def compiled_checkout(
    repository: Repository, style: str, *stages: Mapping[str, object], **keys: object
) -> tuple[Path, str]:
    """Return a checkout of a config with *stages* in one workspace, and its Jenkinsfile."""
    config = {"pipelines": {"p": {"workspace": "shared", "stages": list(stages), **keys}}}
    checkout = repository({CONFIG: yaml_text(config)})
    return checkout, compiled(Engine(target="jenkins", style=style), checkout, {})


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_both_styles_start_containers_with_the_same_arguments(
    style: str, repository: Repository, tmp_path: Path
) -> None:
    """On one agent in one folder; a docker agent has the arguments of `inside`."""
    require(jenkins_harness.available())
    checkout, text = compiled_checkout(repository, style, *CONTAINED.values())

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build")

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert build.result == "SUCCESS", build.log
    assert re.findall(rf"^({'|'.join(CONTAINED)})$", build.log, re.MULTILINE) == [*CONTAINED][:-1]
    pairs = {(container["kind"], container["stage"], container["args"]) for container in build.containers}
    assert pairs == {
        ("inside", "plain", "-e HOME=/tmp"),
        ("pull", "pulled", ""),
        ("inside", "pulled", "-e HOME=/tmp --entrypoint=''"),
        *(("inside", name, "-e HOME=/tmp") for name in ("reported", "tried", "timed", "approved")),
    }
    assert text.count("reuseNode true") == (len(CONTAINED) if style == "declarative" else 0)


@pytest.mark.parametrize("name", [*CONTAINED, *TAKING])
def test_a_docker_agent_replaces_inside_only_if_equivalent(repository: Repository, name: str) -> None:
    """Keys that must be outside the container, or after it, keep `inside` in the steps."""
    stage = {**CONTAINED, **TAKING}[name]

    _, text = compiled_checkout(repository, "declarative", {"name": "first", "script": ["true"]}, stage)

    assert ("reuseNode true" in text, ".inside(" in text) == (name in CONTAINED, name in TAKING)


def test_a_stage_with_its_own_workspace_runs_in_a_docker_agent(repository: Repository, tmp_path: Path) -> None:
    """The git plugin checks out on the node, so the image needs no git."""
    require(jenkins_harness.available())
    checkout, text = compiled_checkout(
        repository, "declarative", in_image("plain", agent="large"), in_image("other"), workspace="isolated"
    )

    nodes = (jenkins_harness.Node(name="a", labels=("large",)),)
    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", nodes=nodes)

    assert build.result == "SUCCESS", build.log
    assert "docker {\n                    label 'large'\n                    image 'node:22'\n" in text
    assert "reuseNode" not in text
    assert [container["stage"] for container in build.containers] == ["plain", "other"]


@pytest.mark.parametrize("style", ["auto", "declarative"])
def test_a_build_that_waits_for_a_lock_holds_no_agent(style: str, repository: Repository, tmp_path: Path) -> None:
    """The lock is around the stage that takes the common agent."""
    require(jenkins_harness.available())
    stages = ({"name": stage, "script": [f"echo {stage}"]} for stage in ("first", "second", "p"))
    checkout, text = compiled_checkout(
        repository, style, *stages, concurrency={"group": "g"}, execution=[["first", ["second", "p"]]]
    )

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build")

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert build.result == "SUCCESS", build.log
    events = re.findall(r"^(?:Lock acquired|Running) on \S+|^\[Pipeline] { \(.*", build.log, re.MULTILINE)
    assert events[:3] == ["Lock acquired on [runs", "[Pipeline] { (p (2))", "Running on built-in"]
    assert len(events) == 3 + len(["first", "second, p", "second", "p"])


OPTIONS = {"user": "1000:1000", "args": ["--volume=m2:/root/.m2", "--label=it's $HOME"], "credentials": "login"}


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_images_with_options(style: str, repository: Repository, tmp_path: Path) -> None:
    """The login is for the registry in the name, whose host Jenkins itself puts before it."""
    require(jenkins_harness.available())
    name = "registry.example.org/team/test:1"
    stages = [
        {"name": "own", "image": {"name": name, "pull": "always", **OPTIONS}, "script": ["echo own"]},
        {"name": "hub", "image": {"name": "team/hub", **OPTIONS}, "script": ["echo hub"]},
    ]
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"stages": stages}}})})
    text = compiled(Engine(target="jenkins", style=style), checkout, {})
    credentials = {"login": jenkins_harness.UsernamePassword("jo", "secret")}

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", credentials=credentials)
    refused = jenkins_harness.run(text, checkout, workdir=tmp_path / "without")

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert (build.result, refused.result) == ("SUCCESS", "FAILURE"), build.log
    assert [(container["kind"], container["image"]) for container in build.containers] == [
        ("pull", name),
        ("inside", name),
        ("inside", "index.docker.io/team/hub"),
    ]
    assert build.containers[1]["args"].endswith(r"--user=1000:1000 --volume=m2:/root/.m2 '--label=it'\''s $HOME'")
