"""Calls of the container program, recorded by a fake program."""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

import pytest

from pipegen.compiler import analyse
from pipegen.config.files.load import decode
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Output
from pipegen.run.local.executors.container import Containers, WrappedCommand, program
from pipegen.run.local.executors.texts import Texts
from pipegen.run.local.shell_variables import host

STAGE = """\
pipelines:
  p:
    stages:
      - name: make
        script: make
        outputs: [tag]
      - name: test
        image: {{ name: 'python:${{make.tag}}', {image} }}
        {keys}
        script: test
"""
KINDS = ("outputs", "trigger", "commands")
SERVICE = "services: [{ image: 'postgres:${make.tag}', alias: db, env: { A: \"it's\" }, command: [run, 'a b'] }]"


def stand_in(folder: Path, name: str, says: str) -> str:
    """Return the path of a fake program that prints *says* for any arguments."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {shlex.quote(says)}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def around(containers: Containers, *, image: str = "", keys: str = "") -> WrappedCommand:
    """Return the arguments before the script of a stage."""
    text = STAGE.format(image=image, keys=keys)
    (plan,) = analyse(decode(text.encode(), "p.yml", "", Report()), (), Report()).plans
    job: Job = plan.job("test")
    texts = Texts(
        host=host(plan, {}),
        job=job,
        value=lambda output: "16" if output == Output("make", "tag") else "",
        variables={"PIPEGEN_RUN": "r", "TOKEN": "x"},
    )
    return containers.wrap(job, "pipegen-r-0-1", '/w,"x/tree', ("sh", "-e", "/s/test.sh"), texts, ("/keys/k",))


def containers(program_: str, folder: Path, *, has_host_network: bool = False) -> Containers:
    """Return the containers of a run whose values are in *folder*."""
    return Containers(
        program=program_,
        values=f"{folder}/values",
        after_values=f"{folder}/kept",
        mounts=("/common",),
        reads=("/run/scripts",),
        has_host_network=has_host_network,
    )


@pytest.fixture
def docker(tmp_path: Path) -> Containers:
    """Return a docker that runs as the host's root."""
    return containers(stand_in(tmp_path, "docker", "Docker version 27"), tmp_path)


def test_a_script_runs_in_its_image(docker: Containers, tmp_path: Path) -> None:
    """It has its name, folder, variables and files; no value is on the command line."""
    command = around(docker)
    words = command.arguments
    place = words.index("python:16")

    assert words[1:5] == ("run", "--rm", "--name", "pipegen-r-0-1")
    assert words[words.index("--workdir") + 1] == '/w,"x/tree'
    assert [words[at + 1] for at, word in enumerate(words) if word == "--mount"] == [
        f"type=bind,source={tmp_path}/values,target={tmp_path}/values,readonly",
        *(f"type=bind,source={tmp_path}/values/{kind}/test,target={tmp_path}/values/{kind}/test" for kind in KINDS),
        "type=bind,source=/common,target=/common",
        'type=bind,"source=/w,""x/tree","target=/w,""x/tree"',
        "type=bind,source=/run/scripts,target=/run/scripts,readonly",
        "type=bind,source=/keys/k,target=/keys/k,readonly",
    ]
    assert [words[at + 1] for at, word in enumerate(words) if word == "--env"] == ["PIPEGEN_RUN", "TOKEN"]
    assert words[place + 1 : place + 3] == ("sh", "-c")
    assert words[-3:] == ("sh", "-e", "/s/test.sh")
    assert (command.before, command.after, len(command.removal)) == ((), (), 1)


@pytest.mark.parametrize(
    ("image", "keys", "words"),
    [
        ("pull: always", "", ["--pull=always"]),
        ("pull: if-not-present", "", []),
        ("entrypoint: []", "", ["--entrypoint="]),
        ("", "resources: { cpu: 1.5, memory: 2Gi }", ["--cpu-shares=1536", "--memory-reservation=2147483648"]),
    ],
)
def test_image_settings_become_options(docker: Containers, image: str, keys: str, words: list[str]) -> None:
    """Only options that docker and podman both support."""
    arguments = around(docker, image=image, keys=keys).arguments

    assert [word for word in arguments if word.startswith(("--pull", "--entry", "--cpu", "--memory"))] == words


def test_the_entrypoint_precedes_the_script(docker: Containers) -> None:
    """Its first word is an option, the others are arguments."""
    words = around(docker, image="entrypoint: [env, A=b]").arguments
    place = words.index("python:16")

    assert words[place - 1 : place + 3] == ("--entrypoint=env", "python:16", "A=b", "sh")


def test_services_share_a_network_with_their_stage(docker: Containers) -> None:
    """Each is reachable by its alias, and everything is removed, also after failures."""
    command = around(docker, keys=SERVICE)
    texts, started = (shlex.split(line) for line in command.before)

    assert texts[1:] == ["network", "create", "pipegen-r-0-1", ">/dev/null"]
    assert started[1:] == [
        *("run", "--detach", "--name", "pipegen-r-0-1-1", "--network", "pipegen-r-0-1", "--network-alias=db"),
        *("--env", "A=it's", "postgres:16", "run", "a b", ">/dev/null"),
    ]
    assert command.arguments[command.arguments.index("--network") + 1] == "pipegen-r-0-1"
    for word in ("rm --force --volumes pipegen-r-0-1-1", "network rm pipegen-r-0-1"):
        assert word in " ".join(command.after)


def test_services_can_use_the_host_network(tmp_path: Path) -> None:
    """Some environments do not permit new networks."""
    program_ = stand_in(tmp_path, "podman", "podman version 5")
    command = around(containers(program_, tmp_path, has_host_network=True), keys=SERVICE)

    assert "--add-host=db:127.0.0.1" in command.arguments
    assert len(command.before) == 1
    assert "network" not in " ".join(command.after)


@pytest.mark.parametrize(
    ("says", "user"),
    [("Docker version 27", ["1000:1000"]), ("podman version 5", []), ("name=rootless", [])],
)
def test_files_are_owned_by_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, user: list[str]
) -> None:
    """Root in a container is the host's root, except with podman and rootless docker."""
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(os, "getgid", lambda: 1000)
    words = around(containers(stand_in(tmp_path, "docker", says), tmp_path)).arguments

    assert [words[at + 1] for at, word in enumerate(words) if word == "--user"] == user


def test_the_container_program_is_detected(tmp_path: Path) -> None:
    """`DOCKER` names it; the default is docker, then podman."""
    path = {"PATH": str(tmp_path)}
    assert program(path) is None
    podman = stand_in(tmp_path, "podman", "")
    assert program(path) == podman
    docker = stand_in(tmp_path, "docker", "")

    assert program(path) == docker
    assert program({**path, "DOCKER": "podman"}) == podman
    assert program({**path, "DOCKER": "none"}) is None
