"""One config that uses every step, executed on all engines: the values and the order are the same."""

import json
import re
import subprocess
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from engines import gitlab_local, jenkins_harness
from engines.containers import Containers
from engines.jenkins_harness import SshKey, UsernamePassword
from engines.proof import worlds
from engines.proof.execution import GITLAB, GITLAB_LOCAL, HERE, SCRIPTED, Engine, Execution, World, absent, execute
from engines.proof.like import Like
from engines.requirement import require

TREE = worlds.HERE / "every_step"
ARCS = {
    "mesh": (
        *(("list", "bundle"), ("words", "bundle"), ("list", "check"), ("words", "check"), ("lint", "check")),
        *(("bundle", "collect"), ("check", "collect"), ("collect", "publish"), ("publish", "deploy")),
        *(("publish", "report"), ("deploy", "finish")),
    ),
    "blocks": (
        *(("list", "bundle"), ("words", "bundle"), ("list", "lint"), ("words", "lint"), ("lint", "check")),
        *(("bundle", "collect"), ("check", "collect"), ("collect", "publish"), ("publish", "deploy")),
        *(("publish", "report"), ("deploy", "finish")),
    ),
}
STAGES = ("list", "words", "lint", "bundle", "check", "collect", "publish", "deploy", "report", "finish")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to execute the config: the engine, the pipeline, and the expected form of its file."""

    engine: Engine
    pipeline: str
    marks: str


WAYS = {
    "gitlab-mesh": Way(GITLAB, "mesh", "needs:"),
    "gitlab-blocks": Way(GITLAB_LOCAL, "blocks", "needs:"),
    "scripted-mesh": Way(Engine(target="jenkins", interpreter="dash"), "mesh", "addStage("),
    "declarative-blocks": Way(
        Engine(target="jenkins", interpreter="bash", images="registry"), "blocks", "\npipeline {"
    ),
    "forced-mesh": Way(
        Engine(target="jenkins", style="declarative", interpreter=("busybox", "sh")), "mesh", "\npipeline {"
    ),
    "here-mesh": Way(HERE, "mesh", ""),
}


@dataclass(frozen=True, slots=True)
class Proof:
    """An execution and its environment."""

    way: Way
    world: World
    charts: Path
    done: Execution
    left: tuple[str, ...]
    """The containers and images of stages that remained afterwards."""


class Proofs(dict[str, Proof]):
    """The executions by name, each run when it is first requested."""

    def __init__(self, containers: Containers, folder: Path) -> None:
        super().__init__()
        self._containers = containers
        self._folder = folder
        self.repository = worlds.repository(folder / "repository", TREE)

    def __missing__(self, name: str) -> Proof:
        """Execute *name*."""
        way = WAYS[name]
        require(absent(way.engine))
        charts = worlds.charts(self._folder / f"{name}-charts")
        promote = {"promote": {"repository": f"file://{charts}"}}
        world = World(
            containers=self._containers,
            repository=self.repository,
            folder=self._folder / name,
            settings={
                "gitlab": {**promote, "projects": {"after-proof": "group/after"}},
                "jenkins": promote,
                "run": {"PROMOTE_REPOSITORY": f"file://{charts}"},
            },
            variables={"PROOF_BARE": 'a $b "c"'},
            secrets={
                "proof-token": "s3'cret $x",
                "proof-login": UsernamePassword("me", 'pa"ss $w'),
                "proof-key": SshKey("me", "-----KEY\n"),
                "gerrit.pipelinebot": UsernamePassword("bot", "secret"),
            },
        )
        done = execute(way.engine, world, way.pipeline)
        self[name] = Proof(way, world, charts, done, tuple(_left(self._containers)))
        return self[name]


def _left(containers: Containers) -> Iterator[str]:
    yield from containers.docker("ps", "--all", "--quiet").stdout.split()
    names = containers.docker("images", "--format", "{{.Repository}}").stdout.split()
    yield from (name for name in names if name.startswith("localhost/pipegen-") and "test" not in name)


@pytest.fixture(scope="module")
def proofs(containers: Containers, tmp_path_factory: pytest.TempPathFactory) -> Proofs:
    """Return the executions."""
    return Proofs(containers, tmp_path_factory.mktemp("every-step"))


@pytest.fixture(params=WAYS)
def proof(proofs: Proofs, request: pytest.FixtureRequest) -> Proof:
    """Return each execution in turn."""
    return proofs[request.param]


# The output of stages.
LIST = "1.4 stable\n1.5   next extra words\n   \n2.0 edge\n"
WORDS = 'it\'s "so"  \n  $HOME `id` $(id) \\n %s  \n\ttab ünïcödé 🎉 \\\n'
LARGE = "x" * 65_500 + "\n"
TITLE = 'it\'s "list" for $5'
# The variables that podman sets in every container.
NOISE = ("HOME", "HOSTNAME", "PATH", "TERM", "container")
IMAGE_ID = Like("[0-9a-f]{64}")


def arguments(proof: Proof) -> dict[str, tuple[object, ...]]:
    """Return the arguments of each stage's container."""
    address = f"{proof.world.containers.registry}/proof/{proof.world.folder.name}/proof-project"
    words = (*("it's", '"so"', "\n", "$HOME", "`id`", "$(id)", "\\n", "%s", "\n\ttab", "ünïcödé", "🎉", "\\\n"),)
    return {
        "list": (
            *("plain", "", 'it\'s "quoted" \\ $HOME `id` $(id) # * ? [a] ~ ! & ; | < >'),
            *("three\nlines  \n\ttrailing blanks  \n", "ünïcödé → 你好 🎉", "${list.output} and ${UNBOUND}"),
            *("--", "-e", "1.10", "true"),
        ),
        "words": (),
        "lint": (),
        "bundle": ("first", '1.4: "stable"', '1.5: "next"', '2.0: "edge"', "the last"),
        "check": (
            *(WORDS, "a default", f"<{TITLE}>", *(f"[{word}]" for word in words)),
            *("--line=1.4 stable", "--line=1.5   next extra words", "--line=   ", "--line=2.0 edge"),
        ),
        "collect": (),
        "report": (
            *("proof-project", address, "checked-1", "checked-1\nlatest\nv1.4-stable\nv1.5-next\nv2.0-edge"),
            *(f"{address}:checked-1", f"{address}:checked-1"),
            Like(r"(https|file)://\S+/made/some where/file\.txt\n(https|file)://\S+/content(\.tar\.gz)?"),
            LARGE,
        ),
        "finish": (Like(r"pipegen-[0-9a-f-]+-deploy"), WORDS + LIST),
    }


def environments(proof: Proof) -> dict[str, dict[str, object]]:
    """Return the variables of each stage's container."""
    command = ("git", "-C", str(proof.world.repository), "rev-parse", "HEAD")
    commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    values: dict[str, dict[str, object]] = {
        "list": {
            "BARE": '<a $b "c">',
            "QUOTES": "a 'b' \"c\" `d` $e \\",
            "LINES": "one \ntwo\n\n",
            "EMPTY": "",
            "NUMBER": "8080",
            "PIPELINE": "of group/project",
            "TOKEN": "s3'cret $x",
            "LOGIN_USER": "me",
            "LOGIN_PASSWORD": 'pa"ss $w',
            "KEY_FILE": Like("/.+"),
        },
        "bundle": {"WORDS": WORDS, "TITLE": TITLE, "COMMIT": commit},
        "check": {"WORDS": WORDS, "IMAGE": IMAGE_ID},
        "collect": {"FROM_CHECK": "checked-1\n"},
        "report": {"LARGE": LARGE + LARGE},
    }
    return {stage: {"STAGE": stage, **values.get(stage, {})} for stage in arguments(proof)}


def files(repository: Path) -> dict[str, dict[str, str]]:
    """Return the files in each stage's image: the checkout, and copies of ancestors."""
    paths = [path for path in repository.rglob("*") if path.is_file() and ".git" not in path.parts]
    checkout = {path.relative_to(repository).as_posix(): path.read_text("utf-8") for path in paths}
    shared = {**checkout, ".dockerignore": ".git\nsecret.txt\n"}
    del shared["secret.txt"]
    tree = {"run": "#!/bin/sh\n", "deep/binary": "\udcff\0\n"}
    single = "no newline at the end"
    copied = {
        "out/single": single,
        "made/some where/file.txt": single,
        **{f"{folder}/{name}": text for folder in ("tree", "content") for name, text in tree.items()},
        "odd/a [b] * $c.txt": "a\n\nb  \n",
        "out/odd/{a} 'b' [c] * ? $d \\": "x",
    }
    late = {"late/checked-1\n.txt": single, **{f"late/tree/{name}": text for name, text in tree.items()}}
    return {
        **dict.fromkeys(("words", "lint", "bundle"), checkout),
        **dict.fromkeys(("list", "check", "report"), shared),
        "collect": {**checkout, **copied},
        "finish": {**checkout, **copied, **late},
    }


def test_every_stage_succeeds(proof: Proof) -> None:
    """None is skipped."""
    assert proof.done.outcomes == dict.fromkeys(STAGES, "success"), proof.done.log


def test_auto_selects_the_expected_style(proof: Proof) -> None:
    """Declarative if blocks are exact, otherwise scripted."""
    assert proof.way.marks in proof.done.text


def test_no_stage_starts_before_its_predecessors_ended(proof: Proof) -> None:
    """By the engine's clock, and by that of the containers."""
    for earlier, later in ARCS[proof.way.pipeline]:
        assert proof.done.times[earlier][1] <= proof.done.times[later][0], (earlier, later)
        if earlier in proof.done.seen and later in proof.done.seen:
            assert proof.done.seen[earlier].ended <= proof.done.seen[later].started, (earlier, later)


def test_arguments_arrive_unchanged(proof: Proof) -> None:
    """Each is one argument, byte for byte, whether constant or known only at run time."""
    assert {stage: seen.arguments for stage, seen in proof.done.seen.items()} == arguments(proof)


def test_variables_arrive_unchanged(proof: Proof) -> None:
    """Those of the stage, of its credentials and of the image; no others."""
    texts = {
        stage: {name: value for name, value in seen.environment.items() if name not in NOISE}
        for stage, seen in proof.done.seen.items()
    }

    assert texts == environments(proof)
    # Jenkins adds a line break.
    assert (proof.done.seen["list"].key or "").rstrip("\n") == "-----KEY"


def test_images_contain_the_expected_files(proof: Proof) -> None:
    """The checkout without excluded files, and copies of all ancestors."""
    assert {stage: seen.files for stage, seen in proof.done.seen.items()} == files(proof.world.repository)


def test_all_tags_are_published(proof: Proof) -> None:
    """In lower case, without empty ones and duplicates."""
    name = f"proof/{proof.world.folder.name}/proof-project"

    assert proof.world.containers.tags(name) == ("checked-1", "latest", "v1.4-stable", "v1.5-next", "v2.0-edge")


def test_a_change_is_proposed_for_each_chart(proof: Proof) -> None:
    """By the script in the repository of the charts."""
    calls = [json.loads(_git(proof, "show", f"refs/changes/{number}:calls")) for number in (0, 1)]
    messages = [_git(proof, "log", "--format=%B", "-1", f"refs/changes/{number}") for number in (0, 1)]

    assert calls == [
        ["-s", "one", "-v", "checked-1", "-e", "staging", "-e", "pro duction"],
        ["-s", "two", "-v", "checked-1", "-e", "stable", "-e", "next", "-e", "edge"],
    ]
    assert re.search(r"Promote one to version checked-1\n\nJob: (https|file)://", messages[0])


def _git(proof: Proof, *words: str) -> str:
    command = ("git", "-C", str(proof.charts), *words)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_chart_is_installed(proof: Proof) -> None:
    """With all values; it is tested, and uninstalled at the end."""
    release = Like(r"pipegen-[0-9a-f-]+-deploy")
    install = next(call for call in proof.done.charts if call["arguments"][0] == "install")
    commands = [call["arguments"][:2] for call in proof.done.charts]
    words = install["arguments"]

    assert commands[1:] == [["install", release], ["test", release], ["uninstall", release]]
    assert words[2] == "calculator"
    assert [words[words.index(option) + 1] for option in ("--namespace", "--version", "--timeout")] == [
        *("ci", "1.10", "90s")
    ]
    assert values(install) == {
        "docker.registry": proof.world.containers.registry,
        "docker": {"pull_policy": "IfNotPresent"},
        "main_app.image": f"proof/{proof.world.folder.name}/proof-project",
        "main_app.version": "checked-1",
        "words": WORDS,
        "constant": "a\n'b' \"c\" $d \\",
        "odd.key,[0]": {"nested": TITLE},
        "list": [True, WORDS, 3, None],
        "versions": [{"name": "1.4", "of": "stable"}, {"name": "1.5", "of": "next"}, {"name": "2.0", "of": "edge"}],
    }


def values(install: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in a call of helm, those of single files by key."""
    data: dict[str, Any] = {}
    for file in install["files"]:
        text = b64decode(file["content"]).decode()
        data |= yaml.safe_load(text) if file["key"] is None else {file["key"]: text}
    return data


def test_the_other_job_is_triggered_once(proof: Proof) -> None:
    """With constants and run-time values; local runs cannot trigger."""
    if proof.way.engine is HERE:
        assert '"after-proof" is not started' in proof.done.log
        return
    ((job, parameters),) = proof.done.triggered

    assert job in ("after-proof", "https://gitlab.example.org/api/v4/projects/group%2Fafter/trigger/pipeline")
    assert parameters == {"TEXT": WORDS, "CONSTANT": 'it\'s $1\n"two"', "TAG": "tag checked-1"}


def test_archived_files_can_be_downloaded(proof: Proof) -> None:
    """A folder is packed on Jenkins and browsable on GitLab; a file is unchanged."""
    content = "content.tar.gz" if proof.way.engine.target == "jenkins" else "content/deep/binary"

    assert proof.done.downloads["made/some where/file.txt"].read_text() == "no newline at the end"
    assert content in proof.done.downloads


def test_no_container_or_image_is_left_behind(proof: Proof) -> None:
    """Those of every stage are removed."""
    assert proof.left == ()


def test_containers_get_the_same_data_on_all_engines(proofs: Proofs) -> None:
    """Except for names that are specific to an engine."""
    named = {"KEY_FILE", "IMAGE"}
    seen = {
        name: {
            stage: replace(
                record,
                started=0,
                ended=0,
                key=record.key and record.key.rstrip("\n"),
                arguments=() if stage in ("report", "finish") else record.arguments,
                environment={key: value for key, value in record.environment.items() if key not in named},
            )
            for stage, record in proofs[name].done.seen.items()
        }
        for name in WAYS
    }
    first, *others = seen.values()

    assert all(other == first for other in others)


FAILING = """\
pipelines:
  failing:
    notify: {{ email: {{ to: [team@example.org], subject: 'never: the stage says another' }} }}
    stages:
      - {{ name: first, run: {{ image: {image}, env: {{ STAGE: first }}, tail: 1 }} }}
      - name: broken
        run: {{ image: {image}, env: {{ STAGE: broken }} }}
        notify: {{ email: {{ subject: '${{.stage}} of ${{setup.pipeline}}, after ${{first.output}}' }} }}
      - {{ name: after, run: {{ image: {image}, env: {{ STAGE: after }} }} }}
      - {{ name: beside, run: {{ image: {image}, env: {{ STAGE: beside }} }} }}
    execution:
      - [first, broken, after]
      - [first, beside]
"""
STYLES = (GITLAB_LOCAL, SCRIPTED, Engine(target="jenkins", interpreter="bash"))


@pytest.mark.parametrize("engine", STYLES, ids=str)
def test_a_failure_sends_one_mail_and_skips_successors(engine: Engine, containers: Containers, tmp_path: Path) -> None:
    """Other branches continue."""
    require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
    image = worlds.image(containers, tmp_path, first="echo 'the \"first\"'", broken="exit 3", beside="sleep 1")
    repository = worlds.configured(tmp_path / "repository", FAILING.format(image=image))
    settings = {"gitlab": {"mail": {"server": "SMTP_URL"}}}
    world = World(containers=containers, repository=repository, folder=tmp_path / "world", settings=settings)
    done = execute(engine, world)

    assert done.outcomes == {"first": "success", "broken": "failed", "after": "skipped", "beside": "success"}
    assert [(mail.to, mail.subject.strip()) for mail in done.mails] == [
        ("team@example.org", 'broken of failing, after the "first"')
    ]
    assert "https://" in done.mails[0].body


SEVERAL = """\
pipelines:
  several:
    notify: { email: { to: [team@example.org] } }
    stages:
      - { name: unit, script: 'false' }
      - { name: end to end, script: 'false' }
      - { name: lint, script: 'true' }
    execution: [[unit], [end to end], [lint]]
"""


@pytest.mark.parametrize("engine", STYLES, ids=str)
def test_mails_name_their_stage(engine: Engine, containers: Containers, tmp_path: Path) -> None:
    """On GitLab, their jobs share one script."""
    require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
    repository = worlds.configured(tmp_path / "repository", SEVERAL)
    settings = {"gitlab": {"mail": {"server": "SMTP_URL"}}}
    world = World(containers=containers, repository=repository, folder=tmp_path / "world", settings=settings)
    done = execute(engine, world)

    subjects = sorted(mail.subject.strip().partition("several/")[2] for mail in done.mails)
    assert subjects == ["end to end failed", "unit failed"]
    assert sorted("stage unit. See" in mail.body for mail in done.mails) == [False, True]
