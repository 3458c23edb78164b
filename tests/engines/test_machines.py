"""The shell, secrets, images and services of stages behave the same on all engines."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from engines import gitlab_local, jenkins_harness
from engines.containers import BASE, Containers
from engines.jenkins_harness import Credential, SecretFile, SshKey, UsernamePassword
from engines.proof import worlds
from engines.proof.execution import (
    CONFIG,
    DECLARATIVE,
    GITLAB,
    GITLAB_LOCAL,
    SCRIPTED,
    Engine,
    Execution,
    World,
    execute,
)
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("machine")

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE}


def executed(
    engine: Engine,
    containers: Containers,
    folder: Path,
    stages: list[dict[str, object]],
    arcs: list[list[str]],
    secrets: Mapping[str, Credential] | None = None,
) -> Execution:
    """Return the execution of *stages*, which write notes to `notes` in *folder*."""
    require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
    (folder / "notes").mkdir()
    alone = [[str(stage["name"])] for stage in stages]
    text = yaml_text({"pipelines": {"p": {"stages": stages, "execution": [*alone, *arcs]}}})
    world = World(
        containers=containers,
        repository=worlds.repository(
            folder / "repository",
            files={CONFIG: text, "texts": HOSTILE, "folder/see": "", "folder/Dockerfile": DOCKERFILE},
        ),
        folder=folder / "world",
        variables={"NOTES": str(folder / "notes")},
        secrets=secrets or {},
    )
    return execute(engine, world)


BASH = """\
words=(one 'two three')
[[ ${words[1]} == two* && two =~ ^(t|x)wo$ ]]
cat <(printf '%s|' "${words[@]}") >"$NOTES/words"
printf %s $'a\\tb ${.stage}' "${BASH_VERSION:+bash}" >"$NOTES/ansi"
"""


@pytest.mark.parametrize("name", ENGINES)
def test_bash_stages_have_pipefail_and_bash_syntax(containers: Containers, tmp_path: Path, name: str) -> None:
    """A pipe fails with any of its commands, also in commands of outputs."""
    stages: list[dict[str, object]] = [
        {"name": "syntax", "shell": "bash", "script": [BASH], "env": {"A": "${setup.pipeline}"}},
        {"name": "script", "shell": "bash", "script": ["false | true"]},
        {"name": "measured", "shell": "bash", "script": ["true"], "outputs": {"x": {"command": "false | echo x"}}},
        {"name": "reader", "script": ["echo ${measured.x}"]},
        {"name": "fine", "script": ["false | true"]},
    ]

    done = executed(ENGINES[name], containers, tmp_path, stages, [["measured", "reader"]])

    expected = {"syntax": "success", "script": "failed", "measured": "failed", "reader": "skipped", "fine": "success"}
    assert done.outcomes == expected, done.log
    assert (tmp_path / "notes/words").read_text("utf-8") == "one|two three|"
    assert (tmp_path / "notes/ansi").read_text("utf-8") == "a\tb syntaxbash"


TEXT = 'it\'s "a" $(touch /tmp/pipegen-machine-canary)`x` $HOME ${A} \\ ünï * -n %s'
SECRETS: dict[str, Credential] = {
    "deploy-token": TEXT,
    "cluster": SecretFile("config", b"a: b\n\x00\xff\n"),
    "registry": UsernamePassword("me & you", TEXT[::-1]),
    "deploy-key": SshKey("git", "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"),
}


def note(stage: str, name: str, command: str) -> str:
    """Return the command that notes the output of *command*."""
    return f'{command} >"$NOTES/{stage}-{name}"'


@pytest.mark.parametrize("name", ENGINES)
def test_secrets_arrive_byte_for_byte(containers: Containers, tmp_path: Path, name: str) -> None:
    """In the script and the after script; Jenkins masks them in the log."""
    commands = {
        "text": 'printf %s "$TOKEN"',
        "file": 'cat "$KUBECONFIG"',
        "user": 'printf %s "$REGISTRY_USERNAME"',
        "password": 'printf %s "$REGISTRY_PASSWORD"',
        "key": 'cat "$KEY"',
        "mode": 'stat -c %a "$KEY" | tail -c 3',
    }
    stage: dict[str, object] = {
        "name": "s",
        "secrets": {
            "TOKEN": "deploy-token",
            "KUBECONFIG": {"file": "cluster"},
            "REGISTRY": {"password": "registry"},
            "KEY": {"ssh_key": "deploy-key"},
        },
        "script": [*(note("script", *command) for command in commands.items()), 'printf "%s\\n" "$TOKEN"'],
        "after": [note("after", *command) for command in commands.items()],
    }

    done = executed(ENGINES[name], containers, tmp_path, [stage], [], SECRETS)

    assert done.outcomes == {"s": "success"}, done.log
    for part in ("script", "after"):
        contents = {command: (tmp_path / f"notes/{part}-{command}").read_bytes() for command in commands}
        assert contents["text"].decode() == TEXT
        assert (contents["user"].decode(), contents["password"].decode()) == ("me & you", TEXT[::-1])
        assert contents["file"] == b"a: b\n\x00\xff\n"
        # Jenkins adds a line break.
        assert contents["key"].rstrip(b"\n") == b"-----BEGIN KEY-----\nabc\n-----END KEY-----"
        assert contents["mode"] == b"00\n"
    assert TEXT not in done.text
    assert (TEXT in done.log) == (name == "gitlab")


HOSTILE = "'; exit 9 #\n$(exit 8)`exit 7`\"\\\n\n"


@pytest.mark.parametrize("name", ENGINES)
def test_after_scripts_always_run(containers: Containers, tmp_path: Path, name: str) -> None:
    """In their own shell with the same values; their status does not count, but their files do."""
    value = note("fails", "value", 'printf %s "${a.v}"')
    stages: list[dict[str, object]] = [
        {"name": "a", "script": ['cp texts "$PIPEGEN_OUTPUTS/v"'], "outputs": ["v"]},
        {
            "name": "fails",
            "directory": "folder",
            "env": {"SHOWN": "<${a.v}>"},
            "script": ["X=1", "exit 3"],
            "after": [value, note("fails", "env", 'printf %s "$SHOWN$X"'), note("fails", "folder", "ls")],
        },
        {
            "name": "makes",
            "shell": "bash",
            "script": ["echo early >early"],
            "after": ["echo late >late", "false | true", note("makes", "never", "true")],
            "artifacts": ["early", "late"],
        },
        {"name": "reads", "script": [note("reads", "files", "cat early late")]},
    ]
    arcs = [["a", "fails"], ["makes", "reads"]]

    done = executed(ENGINES[name], containers, tmp_path, stages, arcs)

    assert done.outcomes == {"a": "success", "fails": "failed", "makes": "success", "reads": "success"}, done.log
    notes = {path.name: path.read_text("utf-8") for path in (tmp_path / "notes").iterdir()}
    assert notes == {
        "fails-value": HOSTILE,
        "fails-env": f"<{HOSTILE}>",
        "fails-folder": "Dockerfile\nsee\n",
        "reads-files": "early\nlate\n",
    }


def in_images() -> list[dict[str, object]]:
    """Return stages that run in images: one named by an output, with services that it waits for."""
    services: list[object] = [
        "redis:7",
        {
            "image": "postgres:${build.tag}",
            "alias": "db",
            "env": {"PASSWORD": "it's $x"},
            "command": ["postgres", "-c", "a b"],
            "ready": 'echo x >>"$NOTES/tries"; [ "$(wc -l <"$NOTES/tries")" -eq 3 ]',
        },
    ]
    return [
        {"name": "build", "script": ['printf 1.2 >"$PIPEGEN_OUTPUTS/tag"'], "outputs": ["tag"]},
        {
            "name": "test",
            "image": "example/app:${build.tag}",
            "services": services,
            "resources": {"cpu": 0.5, "memory": "1Gi"},
            "script": [note("test", "ran", '{ echo "$WHO"; ls -a; }'), 'test -s "$NOTES/tries"'],
            "env": {"WHO": "${setup.pipeline}"},
            "after": [note("test", "after", 'echo "${build.tag}"')],
            "artifacts": ["made"],
        },
        {"name": "odd", "script": ["printf 'a b' >$PIPEGEN_OUTPUTS/tag"], "outputs": ["tag"]},
        {"name": "none", "image": "x:${odd.tag}", "script": ["true"]},
        {
            "name": "plain",
            "image": {"name": "alpine/helm:3", "entrypoint": [], "pull": "always"},
            "script": ["true"],
            "agent": "built-in",
        },
    ]


@pytest.mark.parametrize("name", ["gitlab", "scripted", "declarative"])
def test_stages_run_in_images_with_ready_services(containers: Containers, tmp_path: Path, name: str) -> None:
    """A value that is invalid in an image name fails the stage that outputs it."""
    engine = GITLAB if name == "gitlab" else ENGINES[name]
    stages = [stage for stage in in_images() if name != "gitlab" or stage["name"] != "plain"]

    done = executed(engine, containers, tmp_path, stages, [["build", "test"], ["odd", "none"]])

    expected = {"build": "success", "test": "success", "odd": "failed", "none": "skipped", "plain": "success"}
    assert done.outcomes == {stage: expected[stage] for stage in done.outcomes}, done.log
    assert 'stage "odd": output "tag" is not valid in the name of an image' in done.log
    notes = tmp_path / "notes"
    assert (notes / "tries").read_text("utf-8") == "x\nx\nx\n"
    assert (notes / "test-after").read_text("utf-8") == "1.2\n"
    lines = (notes / "test-ran").read_text("utf-8").split("\n")
    assert lines[0] == "p"
    if name != "gitlab":
        _check_containers(done)


DOCKERFILE = f'FROM {BASE}\nARG WHO\nARG PLACE\nCOPY see /see\nRUN test "$WHO" = "it\'s me"\n'


@pytest.mark.parametrize("name", ["scripted", "declarative"])
def test_stages_run_in_images_of_dockerfiles(containers: Containers, tmp_path: Path, name: str) -> None:
    """The image is built from the checkout, with values of arguments; a stage whose image cannot be built fails."""
    image = {"dockerfile": "Dockerfile", "build_args": {"WHO": "it's me", "PLACE": "$HOME"}}
    stages: list[dict[str, object]] = [
        {"name": "built", "directory": "folder", "image": {**image, "user": 0}, "script": [note("built", "ran", "ls")]},
        {"name": "broken", "image": {"dockerfile": "folder/Dockerfile"}, "script": [note("broken", "ran", "ls")]},
        {
            "name": "context",
            "image": {**image, "dockerfile": "folder/Dockerfile", "context": "folder"},
            "script": [note("context", "ran", "ls")],
        },
    ]

    done = executed(ENGINES[name], containers, tmp_path, stages, [])

    assert done.outcomes == {"built": "success", "broken": "failed", "context": "success"}, done.log
    (built,) = (container for container in done.beside if container["stage"] == "built")
    assert (built["kind"], built["args"]) == ("inside", "-e HOME=/tmp --user=0")
    assert containers.docker("run", "--rm", built["image"], "ls", "/see").stdout == "/see\n"
    assert sorted(path.name for path in (tmp_path / "notes").iterdir()) == ["built-ran", "context-ran"]


def _check_containers(done: Execution) -> None:
    pairs = [
        (container["kind"], container["stage"], container["image"], container["command"]) for container in done.beside
    ]
    assert sorted(pairs) == [
        ("inside", "plain", "alpine/helm:3", ""),
        ("inside", "test", "example/app:1.2", ""),
        ("pull", "plain", "alpine/helm:3", ""),
        ("service", "test", "postgres:1.2", "postgres -c 'a b'"),
        ("service", "test", "redis:7", ""),
        ("stop", "test", "postgres:1.2", "postgres -c 'a b'"),
        ("stop", "test", "redis:7", ""),
    ]
    args = {container["image"]: container["args"] for container in done.beside}
    assert args["alpine/helm:3"] == "-e HOME=/tmp --entrypoint=''"
    assert args["example/app:1.2"].endswith(" -e HOME=/tmp --cpu-shares=512 --memory-reservation=1073741824")
    assert args["postgres:1.2"].endswith(" --network-alias=db --env='PASSWORD=it'\\''s $x'")
