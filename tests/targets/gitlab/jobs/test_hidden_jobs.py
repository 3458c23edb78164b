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
    """Return the tools of a job with containers whose `before_script` is *before*."""
    return JobTools(kind="docker", image=ImageKeys("docker"), before_script=tuple(ScriptEntry(text) for text in before))


def plain(*before: str) -> JobTools:
    """Return the tools of a job without an image whose `before_script` is *before*."""
    return JobTools(kind="shell", before_script=tuple(ScriptEntry(text) for text in before))


def test_unique_keys_stay_in_their_job() -> None:
    """A job that shares no keys contains all of them."""
    shared = sharing([docker("a"), plain("b"), plain()])

    assert shared.hidden == ()
    assert shared.shares[docker("a")] == Share("", docker("a"))


def test_repeated_keys_move_to_a_hidden_job() -> None:
    """Two equal jobs only extend it."""
    shared = sharing([docker("a"), docker("a")])

    assert [(hidden_job.name, hidden_job.image, hidden_job.before_script) for hidden_job in shared.hidden] == [
        (".docker", ImageKeys("docker"), (ScriptEntry("a"),))
    ]
    assert shared.shares[docker("a")] == Share(".docker", JobTools(kind="docker"))


def test_a_job_with_its_own_before_script_shares_the_rest() -> None:
    """A unique `before_script` overrides the shared one."""
    shared = sharing([docker("a"), docker("b"), docker("a")])

    assert len(shared.hidden) == 1
    assert shared.shares[docker("b")] == Share(".docker", JobTools(kind="docker", before_script=(ScriptEntry("b"),)))


def test_different_before_scripts_share_the_image() -> None:
    """If no `before_script` is repeated, none is shared."""
    shared = sharing([docker("a"), docker("b")])

    assert [hidden_job.before_script for hidden_job in shared.hidden] == [()]


def test_each_repeated_before_script_is_shared() -> None:
    """Hidden jobs of one kind are numbered."""
    shared = sharing([docker("a"), docker("a"), docker("b"), docker("b")])

    assert [hidden_job.name for hidden_job in shared.hidden] == [".docker", ".docker 2"]


def test_jobs_of_one_kind_with_different_images_have_different_hidden_jobs() -> None:
    """Helpers have the image of the target; they are numbered together with jobs of users in the runner's image."""
    helper = JobTools(kind="shell", image=ImageKeys("alpine"))
    shared = sharing([helper, plain("a"), helper, plain("a"), plain("b"), plain("b")])

    assert [hidden_job.name for hidden_job in shared.hidden] == [".shell", ".shell 2", ".shell 3"]
    assert shared.shares[helper].extends == ".shell"
    assert shared.shares[plain("a")].extends == ".shell 2"


def test_a_job_without_a_before_script_does_not_extend_one() -> None:
    """An empty `before_script` is not worth sharing."""
    shared = sharing([plain("a"), plain("a"), plain(), plain(), plain("c")])

    assert [hidden_job.name for hidden_job in shared.hidden] == [".shell"]
    assert shared.shares[plain()] == Share("", plain())
    assert shared.shares[plain("c")] == Share("", plain("c"))


def test_jobs_run_in_the_image_of_their_tools() -> None:
    """A job with two kinds of tools installs the second."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - { name: app, build: app, publish: { image: true } }
              - { name: chart, deploy: { image: app, tag: '1', chart: { name: demo } } }
              - { name: both, build: app, publish: { image: true }, deploy: { chart: { name: demo } } }
              - { name: propose, promote: [{ chart: demo, version: '1' }] }
              - { name: rest, exports: { a: b } }
    """)
    images = {name: output.data[name].get("image") for name in ("chart", "propose", "rest")}

    assert images == {
        "chart": {"name": "alpine/helm:3.18.4", "entrypoint": [""]},
        "propose": "alpine:3.22.2",
        "rest": "alpine:3.22.2",
    }
    assert output.data["app"]["extends"] == output.data["both"]["extends"] == ".docker"
    assert "command -v helm || apk add --no-cache helm" in output.data["both"]["script"]
    assert output.data["propose"]["script"][0] == "command -v git || apk add --no-cache git python3 py3-ruamel.yaml"


def test_the_docker_service_has_a_fixed_alias_and_address() -> None:
    """Not every executor calls the entrypoint that would set the address."""
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


def test_image_names_may_contain_gitlab_variables() -> None:
    """This allows images from the dependency proxy."""
    output = compiled("""
        pipelines: { service: { stages: [{ name: app, build: app }] } }
        targets: { gitlab: { tools: { docker: '$PROXY/docker:28-cli', dind: '${PROXY}/docker:28-dind' } } }
    """)

    assert output.data["app"]["image"] == "$PROXY/docker:28-cli"
    assert output.data["app"]["services"] == [{"name": "${PROXY}/docker:28-dind", "alias": "docker"}]


@pytest.mark.parametrize(("failures", "calls"), [(0, 1), (3, 4), pytest.param(1_000_000, None, marks=pytest.mark.slow)])
def test_jobs_wait_for_the_daemon(tmp_path: Path, failures: int, calls: int | None) -> None:
    """Without it the first commands would fail; if it never starts, the job fails with docker's message."""
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
def test_the_docker_socket_of_the_runner_is_preferred(tmp_path: Path, host: str, *, is_lent: bool) -> None:
    """Runners that share their own daemon need no service, and often may not start one."""
    job = compiled("pipelines: { service: { stages: [{ name: app, build: app }] } }").data["app"]
    with socket.socket(socket.AF_UNIX) as lent, chdir(tmp_path):
        if is_lent:
            lent.bind("docker.sock")
        script = job["before_script"][-2].replace("/var/run/docker.sock", "docker.sock")
        command = ["sh", "-e", "-c", f'{script}\nprintf %s "${{DOCKER_HOST:-}}"']
        done = subprocess.run(command, env=job["variables"], capture_output=True, text=True, check=True)

    assert done.stdout == host


@pytest.mark.parametrize("settings", ["{}", "{ images: local }"])
def test_a_project_without_a_registry_fails_with_a_message(settings: str) -> None:
    """A login without a registry would go to Docker Hub."""
    publish = "pipelines: { service: { stages: [{ name: app, build: app, publish: { image: true } }] } }"
    output = compiled(f"{{ {publish}, targets: {{ gitlab: {settings} }} }}")
    script = [*output.data["app"]["before_script"], *output.data["app"]["script"]]

    assert any(line.endswith('"${PIPEGEN_REGISTRY:?the project has no container registry}"') for line in script)


def test_jobs_on_a_shell_runner_have_no_image() -> None:
    """Images are stored on one runner, which has all tools."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - { name: both, build: app, publish: { image: true }, deploy: { chart: { name: demo } } }
              - { name: propose, promote: [{ chart: demo, version: '1' }] }
        targets: { gitlab: { images: local, tags: [shell] } }
    """)

    assert "\n  image:" not in output.text
    assert "apk" not in output.text
    assert output.data["default"] == {"tags": ["shell"]}
