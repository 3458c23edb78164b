"""Two pipelines that were written for GitLab and for Jenkins run there after their port, with programs replaced."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import gitlab_local, jenkins_harness
from engines.gitlab_local import Result
from engines.jenkins_harness import Node, SecretFile, UsernamePassword
from engines.requirement import require

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry

GITLAB = Path(__file__).parents[1] / "golden/port-of-gitlab/pipeline.yml"
# The port is not a golden, because goldens also compile for GitLab, where runs do not wait for each other.
JENKINS = Path(__file__).parent / "ports/warehouse.yaml"
Repository = Callable[[Mapping[str, str | bytes]], Path]
# Programs that only print their arguments, and the files that they create.
PROGRAMS = {
    "npm": 'case "$*" in "run build" | test) mkdir -p dist && echo app >dist/app ;; esac',
    "mvn": 'case "$*" in *package*) mkdir -p target && echo jar >target/app.jar && echo 1.2.3 >target/version ;; esac',
    "docker": '[ "$1" != login ] || cat',
    "curl": "cat >/dev/null",
}
FILES = {
    "package-lock.json": "{}\n",
    "VERSION": "1.2.3\n",
    "web/package.json": "{}\n",
    **{
        name: f'#!/bin/sh\necho "{name} $*"\necho review.example.org >host\n'
        for name in ("deploy", "undeploy", "smoke", "notes")
    },
}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Return a PATH that starts with the programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, script in PROGRAMS.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\necho "{name} $*"\n{script}\n', "utf-8")
        program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def ported(config: Path, target: str) -> str:
    """Return the file of a port for *target*, without templates from a server."""
    text = config.read_text("utf-8")
    text = re.sub(r"^    include(_stages)?: .*\n", "", text, flags=re.MULTILINE)
    return generate(analyse(SourceFile("pipegen.yaml", text), (), Report()), registry.load(target), {}, Report())[
        -1
    ].text


@pytest.mark.parametrize(
    ("variables", "ran"),
    [
        (
            {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main"},
            "build lint unit integration container staging smoke production notes documentation",
        ),
        (
            {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_COMMIT_BRANCH": None, "CI_COMMIT_REF_NAME": "fix"},
            "build lint unit integration container review",
        ),
        (
            {"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_BRANCH": "main"},
            "build lint unit integration container nightly audit",
        ),
    ],
)
def test_the_port_of_a_gitlab_pipeline(
    variables: Mapping[str, str | None], ran: str, path: str, repository: Repository, tmp_path: Path
) -> None:
    """The events are a push, a merge request and a schedule, in which a person starts manual jobs."""
    require(gitlab_local.available())
    checkout = repository(FILES)
    secrets = {
        "REGISTRY_LOGIN_USERNAME": "jo",
        "REGISTRY_LOGIN_PASSWORD": "secret",
        "CLUSTER": "kubeconfig",
        "CHAT_WEBHOOK": "x",
    }

    done = gitlab_local.run(
        checkout,
        ported(GITLAB, "gitlab"),
        workdir=tmp_path / "run",
        variables={**secrets, "CI_API_V4_URL": "https://gitlab.example.org/api/v4", **variables},
        env={"PATH": path},
        manual=("production",),
    )

    successes = {re.sub(r": .*", "", job.name) for job in done.jobs if job.result is Result.SUCCESS}
    assert successes - {"trigger documentation", "notify"} == set(ran.split()), done.output
    assert not [job.name for job in done.jobs if job.result in (Result.FAILED, Result.ALLOWED)], done.output
    if "staging" in ran:
        assert "deploy staging 1.2.3" in done["staging"].log
        assert "variables[VERSION]" in done["trigger documentation"].log


def test_the_port_of_a_jenkinsfile(path: str, repository: Repository, tmp_path: Path) -> None:
    """The build has all tests and a deployment."""
    require(jenkins_harness.available())
    text = ported(JENKINS, "jenkins")

    build = jenkins_harness.run(
        text,
        repository(FILES),
        workdir=tmp_path / "build",
        agent_env={**os.environ, "PATH": path},
        env={"BRANCH_NAME": "main", "BRANCH_IS_PRIMARY": "true"},
        nodes=(Node(labels=("linux", "large", "docker")),),
        params={"level": "full", "deploy": True},
        credentials={
            "registry-login": UsernamePassword("jo", "secret"),
            "database": UsernamePassword("jo", "secret"),
            "sonar-token": "secret",
            "chat-webhook": "https://chat.example.org",
            "cluster": SecretFile("kubeconfig", b"x"),
        },
        plugin_steps=("waitForQualityGate", "acmeFreeze", "acmeAnnounce"),
    )

    assert jenkins_harness.validate({"": text}) == {"": ()}
    assert text.count("\npipeline {") == 1
    assert build.result == "SUCCESS", build.log
    assert {stage.status for stage in build.stages} == {"success"}
    assert [
        (container["kind"], container["image"]) for container in build.containers if container["stage"] == "web"
    ] == [("inside", "registry.example.org/web/node:22")]
    assert [container["stage"] for container in build.containers if container["kind"] == "pod"] == ["system"]
    assert build.inputs == ("Deploy to production?",)
    assert build.crons == ("TZ=Europe/Paris\n0 3 * * 1-5",)
    for line in ("mvn -B -Pfull verify", "deploy 1.2.3 target/app.jar web/dist", "curl --config - --fail"):
        assert f"\n{line}" in build.log
    assert re.findall(r"\[plugin\] (\w+)", build.log) == ["waitForQualityGate", "acmeFreeze", "acmeAnnounce"]
