"""Containers, registry and fake programs, as tests use them."""

import json
import os
import subprocess
import tarfile
import time
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from engines import containers as containers_module
from engines.containers import BASE, BIN, LOGIN, Containers

SYNTAX = "# syntax=registry.example.org/blubber/buildkit:v1\nversion: v4\n"
SHOW = 'entrypoint: [sh, -c, \'printf "<%s>" "$VALUE" "$@"; ls\', sh]'


def build(containers: Containers, folder: Path, blubberfile: str, *options: str) -> str:
    """Build variant `main` of *blubberfile* with the context *folder*, and return the image's name."""
    name = f"localhost/{folder.parent.name.lower()}/{folder.name.lower()}"
    (folder / "blubber.yaml").write_text(SYNTAX + blubberfile, encoding="utf-8")
    file = str(folder / "blubber.yaml")
    containers.docker("build", "--pull", "--file", file, "--target", "main", "--tag", name, *options, str(folder))
    return name


def call(program: str, *arguments: str, env: dict[str, str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Return the result of a fake *program*."""
    return subprocess.run(
        (BIN / program, *arguments), env=os.environ | env, input=stdin, capture_output=True, check=False
    )


def test_a_container_passes_arguments_output_and_status(containers: Containers) -> None:
    """The exit status is that of the container."""
    outcome = containers.docker(
        "run", "--rm", BASE, "sh", "-c", 'printf "%s|" "$@"; exit 7', "sh", "a  b", "$x", check=False
    )

    assert (outcome.returncode, outcome.stdout) == (7, "a  b|$x|")


def test_a_variant_is_built(containers: Containers, tmp_path: Path) -> None:
    """It has the files, environment, includes and entrypoint of the blubberfile."""
    (tmp_path / "file").touch()
    image = build(
        containers,
        tmp_path,
        "base: example/base\n"
        "variants:\n"
        "  common: {lives: {in: /opt/app}, runs: {environment: {VALUE: 'a $b \"c\" \\d'}}}\n"
        f"  main: {{includes: [common], copies: [local], {SHOW}}}\n",
    )

    assert containers.docker("run", "--rm", image, "x y").stdout == '<a $b "c" \\d><x y>blubber.yaml\nfile\n'


def test_an_environment_may_contain_newlines(containers: Containers, tmp_path: Path) -> None:
    """A Dockerfile cannot express them."""
    environment = json.dumps({"VALUE": "one\ntwo\n"})
    image = build(containers, tmp_path, f"variants: {{main: {{runs: {{environment: {environment}}}, {SHOW}}}}}\n")

    assert containers.docker("run", "--rm", image).stdout == "<one\ntwo\n>"


def test_files_are_copied_from_another_variant(containers: Containers, tmp_path: Path) -> None:
    """The result of a builder is copied from its variant."""
    image = build(
        containers,
        tmp_path,
        "variants:\n"
        "  made: {builders: [{custom: {command: [sh, -c, 'cat blubber.yaml | wc -l > lines'],"
        " requirements: [blubber.yaml]}}]}\n"
        "  main: {copies: [{from: made, source: /srv/app/lines, destination: n}], entrypoint: [cat, n]}\n",
    )

    assert containers.docker("run", "--rm", image).stdout == "5\n"


@pytest.mark.parametrize("name", [".dockerignore", "blubber.yaml.dockerignore"])
def test_ignored_files_are_not_in_the_context(name: str, containers: Containers, tmp_path: Path) -> None:
    """By the ignore file of the context, or one next to the blubberfile."""
    (tmp_path / "secret").touch()
    (tmp_path / name).write_text("secret\n*.dockerignore\n.dockerignore\n")
    image = build(containers, tmp_path, "variants: {main: {copies: [local], entrypoint: [ls, -A]}}\n")

    assert containers.docker("run", "--rm", image).stdout == "blubber.yaml\n"


def test_a_json_blubberfile_is_built(containers: Containers, tmp_path: Path) -> None:
    """JSON is YAML; run-time text is written as JSON."""
    (tmp_path / "b.json").write_text(
        SYNTAX.splitlines()[0] + '\n{"version": "v4", "variants": {"x": {"entrypoint": ["echo", "hi"]}}}'
    )
    command = ("--iidfile", str(tmp_path / "id"), "--file", str(tmp_path / "b.json"), "--target", "x")
    containers.docker("build", *command, str(tmp_path))
    image = (tmp_path / "id").read_text()

    assert image.startswith("sha256:")
    assert containers.docker("run", "--rm", image).stdout == "hi\n"


def test_a_dockerfile_is_built(containers: Containers, tmp_path: Path) -> None:
    """A file without a `# syntax=` line is a Dockerfile."""
    (tmp_path / "Dockerfile").write_text(
        f'FROM {BASE} AS first\nCMD ["echo", "first"]\nFROM first\nCMD ["echo", "second"]\n'
    )
    containers.docker("build", "--target=first", "-t", "localhost/dockerfile", str(tmp_path))

    assert containers.docker("run", "--rm", "localhost/dockerfile").stdout == "first\n"


@pytest.mark.parametrize(
    ("blubberfile", "message"),
    [
        ("variants: {}", 'variant "main" does not exist'),
        ("variants: {main: {apt: {packages: [git]}}}", "does not know apt"),
        ("other: 1", "has variants"),
        ("variants: [", "not YAML"),
    ],
)
def test_an_invalid_blubberfile_fails_the_build(
    blubberfile: str, message: str, containers: Containers, tmp_path: Path
) -> None:
    """With status 1 and a reason."""
    (tmp_path / "b.yaml").write_text(SYNTAX + blubberfile)
    outcome = containers.docker("build", "-f", str(tmp_path / "b.yaml"), "--target", "main", str(tmp_path), check=False)

    assert outcome.returncode == 1
    assert message in outcome.stderr


def test_another_frontend_is_rejected(containers: Containers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test can require a certain frontend."""
    monkeypatch.setenv("PIPEGEN_TEST_FRONTEND", "registry.example.org/other:v2")
    (tmp_path / "b.yaml").write_text(f"{SYNTAX}variants: {{main: {{}}}}\n")
    outcome = containers.docker("build", "-f", str(tmp_path / "b.yaml"), "--target", "main", str(tmp_path), check=False)

    assert outcome.returncode == 1
    assert "registry.example.org/blubber/buildkit:v1: not found" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frobnicate"], "is not a docker command"),
        (["run", "--replace", BASE], "unknown flag: --replace"),
        (["build", "--layers", "."], "unknown flag: --layers"),
        (["build", "--tag"], "flag needs an argument: --tag"),
        (["build", "/nowhere/at/all"], "not found"),
        (["build"], "requires exactly 1 argument"),
    ],
)
def test_commands_unknown_to_docker_are_rejected(arguments: list[str], message: str, containers: Containers) -> None:
    """Options that only podman has, and invalid ones."""
    outcome = containers.docker(*arguments, check=False)

    assert outcome.returncode == 125
    assert message in outcome.stderr


def test_image_ids_have_dockers_format(containers: Containers, tmp_path: Path) -> None:
    """`image inspect` and `--iidfile` give the same `sha256:…`, with which the image can be run."""
    image = build(
        containers, tmp_path, "variants: {main: {entrypoint: [echo, ran]}}\n", "--iidfile", str(tmp_path / "id")
    )
    identifier = containers.docker("image", "inspect", "--format", "{{.Id}}", image).stdout.strip()

    assert identifier == (tmp_path / "id").read_text()
    assert identifier.startswith("sha256:")
    assert containers.docker("run", "--rm", identifier).stdout == "ran\n"


def test_equal_builds_give_one_image(containers: Containers, tmp_path: Path) -> None:
    """As with docker's cache, removing one name keeps the other."""
    identifiers = set()
    for name in ("equal/one", "equal/two"):
        build(containers, tmp_path, "variants: {main: {entrypoint: [echo, ran]}}\n", "-t", f"localhost/{name}")
        identifiers.add(containers.docker("images", "-q", "--no-trunc", f"localhost/{name}").stdout)
    containers.docker("rmi", "--no-prune", "localhost/equal/one")

    assert len(identifiers) == 1
    assert containers.docker("run", "--rm", "localhost/equal/two").stdout == "ran\n"


def test_images_and_containers_are_found_by_label(containers: Containers, tmp_path: Path) -> None:
    """They can be listed and removed."""
    image = build(
        containers, tmp_path, "variants: {main: {entrypoint: ['true']}}\n", "--label", "pipegen.build=labels 7"
    )
    containers.docker("run", "--name", "labelled", "--label", "pipegen.build=labels 7", image)
    images = containers.docker("images", "--filter", "label=pipegen.build=labels 7", "--format", "{{.Repository}}")
    listed = containers.docker("ps", "-aq", "--filter", "label=pipegen.build=labels 7").stdout.split()
    containers.docker("rm", "-f", *listed)

    assert images.stdout.split() == [image]
    assert len(listed) == 1
    assert containers.docker("ps", "-aq", "--filter", "name=labelled").stdout == ""


def test_copies_follow_dockers_rules(containers: Containers, tmp_path: Path) -> None:
    """`/.` means the content, a folder is copied under its name, `-` is an archive."""
    containers.docker("run", "--name", "copied", BASE, "sh", "-c", "mkdir -p /srv/out/sub; echo 1 > /srv/out/sub/x")
    containers.docker("cp", "copied:/srv/out/.", str(tmp_path / "content"))
    (tmp_path / "there").mkdir()
    containers.docker("cp", "copied:/srv/out", str(tmp_path / "there"))
    archive = call("docker", "cp", "copied:/srv/out", "-", env=containers.environment).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as opened:
        names = opened.getnames()
    missing = containers.docker("cp", "copied:/nowhere", str(tmp_path), check=False)
    containers.docker("rm", "--force", "copied")

    assert (tmp_path / "content/sub/x").read_text() == "1\n"
    assert (tmp_path / "there/out/sub/x").read_text() == "1\n"
    assert "out/sub/x" in names
    assert missing.returncode != 0


def test_environment_values_are_exact(containers: Containers, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--env K=V` and `--env K` pass any text."""
    value = "'; $(id) \\ ''' \nthree  \nlines \\"
    monkeypatch.setenv("INHERITED", value)
    command = ("run", "--rm", "--env", f"GIVEN={value}", "--env", "INHERITED", BASE)
    outcome = containers.docker(*command, "sh", "-c", 'printf "%s|" "$GIVEN" "$INHERITED"')

    assert outcome.stdout == f"{value}|{value}|"


def test_an_image_is_pushed_and_pulled(containers: Containers, tmp_path: Path) -> None:
    """A pushed image is tagged in the registry, and can be pulled after its local removal."""
    image = f"{containers.registry}/travel/image:v1"
    containers.docker("tag", build(containers, tmp_path, "variants: {main: {entrypoint: [echo, back]}}\n"), image)
    containers.docker("push", image)
    containers.docker("rmi", "--no-prune", image)
    containers.docker("pull", image)

    assert containers.tags("travel/image") == ("v1",)
    assert containers.tags("travel/nothing") == ()
    assert containers.docker("run", "--rm", image).stdout == "back\n"


def test_a_push_requires_a_login(containers: Containers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`logout` ends it; each configuration has its own login."""
    monkeypatch.setitem(containers.environment, "DOCKER_CONFIG", str(tmp_path / "docker"))
    image = f"{containers.registry}/login/image:v1"
    containers.docker("tag", BASE, image)
    before = containers.docker("push", image, check=False)
    login = ("login", "--username", LOGIN[0], "--password-stdin", containers.registry)
    wrong = call("docker", *login, env=containers.environment, stdin=b"wrong")
    right = call("docker", *login, env=containers.environment, stdin=LOGIN[1].encode())
    during = containers.docker("push", image, check=False)
    containers.docker("logout", containers.registry)
    after = containers.docker("push", image, check=False)

    assert [outcome.returncode == 0 for outcome in (before, during, after)] == [False, True, False]
    assert wrong.returncode != 0
    assert right.returncode == 0


def test_a_forced_removal_does_not_wait(containers: Containers) -> None:
    """A container that ignores TERM is killed immediately, as with docker."""
    containers.docker("run", "--detach", "--name", "stubborn", BASE, "sh", "-c", "trap '' TERM; sleep 60 & wait")
    begin = time.monotonic()
    containers.docker("rm", "-f", "stubborn")

    assert time.monotonic() - begin < 5


def test_builds_and_runs_can_be_concurrent(containers: Containers, tmp_path: Path) -> None:
    """Four at the same time share no state that they could corrupt."""

    def build_and_run(number: int) -> str:
        folder = tmp_path / f"side-{number}"
        folder.mkdir()
        (folder / "number").write_text(str(number // 2))  # two pairs of equal images
        image = build(containers, folder, "variants: {main: {copies: [local], entrypoint: [cat, number]}}\n")
        output = containers.docker("run", "--name", folder.name, image).stdout
        containers.docker("rm", "-f", folder.name)
        containers.docker("rmi", "--no-prune", image)
        return output

    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(build_and_run, range(8)))

    assert outputs == ["0", "0", "1", "1", "2", "2", "3", "3"]


def test_a_set_of_containers_is_removed_completely(containers: Containers) -> None:
    """A second set shares nothing with the first."""
    with containers_module.start() as other:
        other.docker("run", "--detach", "--name", "left", BASE, "sleep", "60")
        pid = int(other.docker("container", "inspect", "--format", "{{.State.Pid}}", "left").stdout)
        here = containers.docker("ps", "-aq", "--filter", "name=left").stdout

    assert here == ""
    assert not other.folder.exists()
    assert not Path(f"/proc/{pid}").exists()


def test_helm_records_its_calls_and_files(tmp_path: Path) -> None:
    """Arguments, and the content of files at the time of the call."""
    (tmp_path / "a,b").write_bytes(b"one\n\xff\n")
    (tmp_path / "values.yaml").write_bytes(b"x: 1\n")
    arguments = ("install", "name", "--set-file", f"main.value={tmp_path}/a\\,b", f"--values={tmp_path}/values.yaml")
    outcome = call("helm", *arguments, env={"HELM_LOG": str(tmp_path / "log")})
    entry = json.loads((tmp_path / "log").read_text())

    assert outcome.returncode == 0
    assert entry["arguments"] == list(arguments)
    assert [(file["option"], file["key"], b64decode(file["content"])) for file in entry["files"]] == [
        ("--set-file", "main.value", b"one\n\xff\n"),
        ("--values", None, b"x: 1\n"),
    ]


@pytest.mark.parametrize(
    ("arguments", "fail", "status"),
    [
        (["test", "name"], "3", 3),
        (["test", "name"], "test=4", 4),
        (["install", "name"], "test=4", 0),
        (["frobnicate"], "", 1),
        (["install", "--values", "/nowhere/at/all"], "", 1),
    ],
)
def test_helm_returns_the_configured_status(arguments: list[str], fail: str, status: int) -> None:
    """For all calls or one subcommand; invalid calls return helm's own."""
    assert call("helm", *arguments, env={"HELM_FAIL": fail}).returncode == status


def test_curl_records_the_data_that_it_would_send(tmp_path: Path) -> None:
    """Uploads and data byte for byte, including files and standard input."""
    (tmp_path / "file").write_bytes(b"\xffdata")
    sent = ("--data", "a=@b", "--form", f"file=@{tmp_path}/file", "--data-urlencode", "plain=1")
    arguments = ("--url", "smtp://mail", "--upload-file", "-", *sent, "--data-raw", "@raw")
    environment = {"CURL_LOG": str(tmp_path / "log"), "CURL_RESPONSE": '{"id": 1}', "CURL_FAIL": "22"}
    outcome = call("curl", *arguments, env=environment, stdin=b"From: me\n\nbody\n")
    entry = json.loads((tmp_path / "log").read_text())

    assert (outcome.returncode, outcome.stdout) == (22, b'{"id": 1}')
    assert entry["arguments"] == list(arguments)
    assert [b64decode(data) for data in entry["data"]] == [
        b"From: me\n\nbody\n",
        b"a=@b",
        b"file=\xffdata",
        b"plain=1",
        b"@raw",
    ]
