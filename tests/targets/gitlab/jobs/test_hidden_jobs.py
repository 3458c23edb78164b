"""Keys that several jobs share are written once."""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import chdir
from pathlib import Path

import pytest
from targets.gitlab.compiled import compiled

from pipegen.targets.gitlab.jobs.hidden_jobs import Share, sharing
from pipegen.targets.gitlab.jobs.tools import JobTools
from pipegen.targets.gitlab.model import ImageKeys, ScriptEntry


def docker(*before: str) -> JobTools:
    """Return the surroundings of a job with containers that starts with *before*."""
    return JobTools(kind="docker", image=ImageKeys("docker"), before_script=tuple(ScriptEntry(text) for text in before))


def plain(*before: str) -> JobTools:
    """Return the surroundings of a job that runs anywhere and starts with *before*."""
    return JobTools(kind="shell", before_script=tuple(ScriptEntry(text) for text in before))


def test_what_stands_once_is_not_hidden() -> None:
    """A job without common keys contains all keys itself."""
    found = sharing([docker("a"), plain("b"), plain()])

    assert found.hidden == ()
    assert found.shares[docker("a")] == Share("", docker("a"))


def test_what_stands_twice_is_hidden() -> None:
    """Two equal jobs only extend the hidden job."""
    found = sharing([docker("a"), docker("a")])

    assert [(one.name, one.image, one.before_script) for one in found.hidden] == [
        (".docker", ImageKeys("docker"), (ScriptEntry("a"),))
    ]
    assert found.shares[docker("a")] == Share(".docker", JobTools(kind="docker"))


def test_a_job_of_its_own_start_shares_the_rest() -> None:
    """A start that is said once takes the place of the shared one."""
    found = sharing([docker("a"), docker("b"), docker("a")])

    assert len(found.hidden) == 1
    assert found.shares[docker("b")] == Share(".docker", JobTools(kind="docker", before_script=(ScriptEntry("b"),)))


def test_two_different_starts_share_the_image() -> None:
    """Where no start is said twice, none is hidden."""
    found = sharing([docker("a"), docker("b")])

    assert [one.before_script for one in found.hidden] == [()]


def test_each_start_that_stands_twice_is_hidden() -> None:
    """Hidden jobs of one kind are numbered."""
    found = sharing([docker("a"), docker("a"), docker("b"), docker("b")])

    assert [one.name for one in found.hidden] == [".docker", ".docker 2"]


def test_a_job_without_a_start_takes_none() -> None:
    """A hidden start is not for jobs that have none, and nothing is not worth hiding."""
    found = sharing([plain("a"), plain("a"), plain(), plain(), plain("c")])

    assert [one.name for one in found.hidden] == [".shell"]
    assert found.shares[plain()] == Share("", plain())
    assert found.shares[plain("c")] == Share("", plain("c"))


def test_tools_are_where_scripts_call_them() -> None:
    """Each job runs in the image of its tools, one with two kinds of tools adds the second."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: app, build: app, publish: { image: true } }
              - { name: chart, deploy: { image: app, tag: '1', chart: { name: demo } } }
              - { name: both, build: app, publish: { image: true }, deploy: { chart: { name: demo } } }
              - { name: propose, promote: [{ chart: demo, version: '1' }] }
              - { name: rest, exports: { a: b } }
    """)
    images = {name: made.data[name].get("image") for name in ("chart", "propose", "rest")}

    assert images == {
        "chart": {"name": "alpine/helm:3.18.4", "entrypoint": [""]},
        "propose": "alpine:3.22.2",
        "rest": "alpine:3.22.2",
    }
    assert made.data["app"]["extends"] == made.data["both"]["extends"] == ".docker"
    assert "command -v helm || apk add --no-cache helm" in made.data["both"]["script"]
    assert made.data["propose"]["script"][0] == "command -v git || apk add --no-cache git python3 py3-ruamel.yaml"


def test_the_daemon_is_found_wherever_its_image_comes_from() -> None:
    """Its name is fixed, and jobs are told its address: not every executor calls the entrypoint that would do so."""
    job = compiled("""
        pipelines: { service: { stages: [{ name: app, build: app }] } }
        targets: { gitlab: { tools: { dind: "mirror.example.org/library/docker:28-dind" } } }
    """).data["app"]

    assert job["services"] == [{"name": "mirror.example.org/library/docker:28-dind", "alias": "docker"}]
    assert job["variables"] == {
        "DOCKER_HOST": "tcp://docker:2376",
        "DOCKER_TLS_CERTDIR": "/certs",
        "DOCKER_TLS_VERIFY": "1",
        "DOCKER_CERT_PATH": "/certs/client",
    }


def test_images_may_come_through_the_dependency_proxy() -> None:
    """GitLab's variables may stand in their names."""
    made = compiled("""
        pipelines: { service: { stages: [{ name: app, build: app }] } }
        targets: { gitlab: { tools: { docker: '$PROXY/docker:28-cli', dind: '${PROXY}/docker:28-dind' } } }
    """)

    assert made.data["app"]["image"] == "$PROXY/docker:28-cli"
    assert made.data["app"]["services"] == [{"name": "${PROXY}/docker:28-dind", "alias": "docker"}]


@pytest.mark.parametrize(("failures", "calls"), [(0, 1), (3, 4), pytest.param(1_000_000, None, marks=pytest.mark.slow)])
def test_jobs_wait_for_the_daemon(tmp_path: Path, failures: int, calls: int | None) -> None:
    """The first commands would fail while it starts; where it never starts, the job ends with docker's message."""
    job = compiled("pipelines: { service: { stages: [{ name: app, build: app }] } }").data["app"]
    log = tmp_path / "calls"
    text = f"#!/bin/sh\necho >>{log}\n[ $(wc -l <{log}) -gt {failures} ]"
    for name, content in (("docker", f"{text} || {{ echo no daemon >&2; false; }}"), ("sleep", "#!/bin/sh\n")):
        (tmp_path / name).write_text(content, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    script = job["before_script"][-1].replace("timeout 60", "timeout 2")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-e", "-c", script], env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode == 0, done.stderr) == ((True, "") if calls else (False, "no daemon\n"))
    assert calls is None or log.read_text(encoding="utf-8").count("\n") == calls


@pytest.mark.parametrize(("is_lent", "host"), [(True, ""), (False, "tcp://docker:2376")])
def test_a_socket_of_the_runner_is_preferred(tmp_path: Path, host: str, *, is_lent: bool) -> None:
    """Runners that lend their own daemon need no service, and mostly may not start one."""
    job = compiled("pipelines: { service: { stages: [{ name: app, build: app }] } }").data["app"]
    with socket.socket(socket.AF_UNIX) as lent, chdir(tmp_path):
        if is_lent:
            lent.bind("docker.sock")
        script = job["before_script"][-2].replace("/var/run/docker.sock", "docker.sock")
        command = ["sh", "-e", "-c", f'{script}\nprintf %s "${{DOCKER_HOST:-}}"']
        done = subprocess.run(command, env=job["variables"], capture_output=True, text=True, check=True)

    assert done.stdout == host


@pytest.mark.parametrize("settings", ["{}", "{ images: local }"])
def test_a_project_without_a_registry_is_told(settings: str) -> None:
    """A login to no registry would go to Docker's own."""
    publish = "pipelines: { service: { stages: [{ name: app, build: app, publish: { image: true } }] } }"
    made = compiled(f"{{ {publish}, targets: {{ gitlab: {settings} }} }}")
    script = [*made.data["app"]["before_script"], *made.data["app"]["script"]]

    assert any(line.endswith('"${PIPEGEN_REGISTRY:?the project has no container registry}"') for line in script)


def test_a_shell_runner_has_all_tools() -> None:
    """With images kept on one runner, no job runs in an image."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: both, build: app, publish: { image: true }, deploy: { chart: { name: demo } } }
              - { name: propose, promote: [{ chart: demo, version: '1' }] }
        targets: { gitlab: { images: local, tags: [shell] } }
    """)

    assert "\n  image:" not in made.text
    assert "apk" not in made.text
    assert made.data["default"] == {"tags": ["shell"]}
