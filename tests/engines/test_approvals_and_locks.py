"""Locks, caches, approvals, environments and raw keys, executed on all engines."""

import re
from pathlib import Path

import pytest
from engines import gitlab_local, jenkins_harness
from engines.containers import Containers
from engines.gitlab_schema import check
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, SCRIPTED, Engine, Execution, World, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("gates")

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE}


def executed(
    name: str,
    containers: Containers,
    folder: Path,
    stages: list[dict[str, object]],
    arcs: list[list[str]],
    approved: tuple[str, ...] = (),
) -> Execution:
    """Return the execution of *stages* on the engine *name*, with the approvals *approved*."""
    engine: Engine = ENGINES[name]
    require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
    text = yaml_text({"pipelines": {"gates": {"stages": stages, "execution": arcs}}})
    repository = worlds.repository(folder / "repository", files={CONFIG: text, "a.lock": "1\n"})
    world = World(containers=containers, repository=repository, folder=folder / "world", approved=approved)
    done = execute(engine, world)
    if engine.target == "gitlab":
        assert check(done.text) == ()
    return done


@pytest.mark.parametrize("name", ENGINES)
def test_stages_with_a_common_lock_do_not_overlap(containers: Containers, tmp_path: Path, name: str) -> None:
    """Caches and raw keys have no other effect."""
    cache = [{"paths": [".cache/", "x"], "key": {"files": ["a.lock"], "prefix": "it's $5"}}, {"paths": [".y/"]}]
    stages: list[dict[str, object]] = [
        {"name": "one", "script": ["sleep 0.5"], "lock": "it's $5"},
        {"name": "two", "script": ["sleep 0.5"], "lock": "it's $5"},
        {"name": "other", "script": ["mkdir -p .cache; test -f a.lock"], "lock": "c", "cache": cache},
        {"name": "raw", "script": ["true"], "raw": {"gitlab": {"timeout": "1h"}, "jenkins": {"wrap": ["timestamps"]}}},
    ]
    done = executed(name, containers, tmp_path, stages, [[str(stage["name"])] for stage in stages])

    assert done.outcomes == dict.fromkeys(("one", "two", "other", "raw"), "success"), done.log
    if name == "gitlab":
        # gitlab-ci-local lets resource groups overlap.
        assert done.text.count("resource_group: it-s -5-") == 2
        assert "timeout: 1h" in done.text
        return
    assert "Cache .cache  it-s--5" in done.log
    # Stages start to wait for the lock together, so one of them ends at least half a second after the other.
    ends = sorted(done.times[stage][1] for stage in ("one", "two"))
    assert ends[1] - ends[0] >= 0.5


GATED: list[dict[str, object]] = [
    {"name": "build", "script": ["true"], "outputs": {"host": {"command": "echo it.example.org"}}},
    {
        "name": "ask",
        "script": ["true"],
        "outputs": {"path": {"command": "echo a/b"}},
        "approve": {"message": "It's $5?", "approvers": ["ops"]},
        "environment": {"name": "review/$x", "url": "https://${build.host}/${.path}", "on_stop": "stop"},
        "lock": "review",
    },
    {"name": "after", "script": ["true"]},
    {"name": "later", "script": ["true"], "approve": {"delay": "1s"}},
    {"name": "stop", "script": ["false"]},
]
ARCS = [["build", "ask", "after"], ["ask", "stop"], ["later"]]
FIRST = ("build", "later")


@pytest.mark.parametrize(
    ("name", "approved"),
    # gitlab-ci-local starts no pipeline in which a job waits for a manual job that is not started.
    [("gitlab", ("ask",)), ("scripted", ("ask",)), ("scripted", ())],
)
def test_stages_after_an_approval_wait_for_it(
    containers: Containers, tmp_path: Path, name: str, approved: tuple[str, ...]
) -> None:
    """No stage waits for a stop stage."""
    done = executed(name, containers, tmp_path, GATED, ARCS, approved)
    succeeded = {stage for stage, outcome in done.outcomes.items() if outcome == "success"}

    assert succeeded == ({*FIRST, "ask", "after"} if approved else {*FIRST}), done.log
    if name == "gitlab":
        assert done.outcomes["stop"] == "skipped"
        return
    assert (done.inputs, "stop" in done.outcomes) == (("It's $5?",), False)


@pytest.mark.parametrize("approved", [("ask",), ()], ids=["yes", "no"])
def test_approvals_in_declarative_blocks(containers: Containers, tmp_path: Path, approved: tuple[str, ...]) -> None:
    """These stages take their agents after the approval."""
    done = executed("declarative", containers, tmp_path, GATED, ARCS, approved)

    assert {stage for stage, outcome in done.outcomes.items() if outcome == "success"} == (
        {*FIRST, "ask", "after"} if approved else {*FIRST}
    ), done.log
    assert done.inputs == ("It's $5?",)


OPTIONAL: list[dict[str, object]] = [
    {"name": "build", "script": ["true"]},
    {"name": "preview", "script": ["true"], "approve": {"optional": True, "message": "It's $5?"}, "lock": "preview"},
    {"name": "broken", "script": ["false"], "approve": {"optional": True}},
    {"name": "release", "script": ["true"]},
]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("approved", [("preview", "broken"), ()], ids=["yes", "no"])
def test_no_stage_waits_for_optional_stages(
    containers: Containers, tmp_path: Path, name: str, approved: tuple[str, ...]
) -> None:
    """Without an approval they are skipped, and their failure does not count."""
    done = executed(name, containers, tmp_path, OPTIONAL, [[str(stage["name"]) for stage in OPTIONAL]], approved)

    assert done.outcomes == {
        "build": "success",
        "preview": "success" if approved else "skipped",
        "broken": "unstable" if approved else "skipped",
        "release": "success",
    }, done.log


BY_FILES: list[dict[str, object]] = [
    {"name": "asked", "script": ["true"], "approve": {"optional": True, "when": {"exists": "*.lock"}}},
    {"name": "by itself", "script": ["true"], "approve": {"optional": True, "when": {"not": {"exists": "*.lock"}}}},
    {"name": "release", "script": ["true"]},
]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("approved", [("asked",), ()], ids=["yes", "no"])
def test_files_decide_which_stages_start_by_themselves(
    containers: Containers, tmp_path: Path, name: str, approved: tuple[str, ...]
) -> None:
    """No stage waits for the others."""
    done = executed(name, containers, tmp_path, BY_FILES, [[str(stage["name"]) for stage in BY_FILES]], approved)

    assert done.outcomes == {
        "asked": "success" if approved else "skipped",
        "by itself": "success",
        **({"wait for asked": "skipped", "wait for by itself": "success"} if name == "gitlab" else {}),
        "release": "success",
    }, done.log


def test_run_time_environment_urls_reach_gitlab(containers: Containers, tmp_path: Path) -> None:
    """In a dotenv report of the stage."""
    done = executed("gitlab", containers, tmp_path, GATED, ARCS, ("ask",))
    (report,) = (tmp_path / "world/gitlab").rglob("dotenv/.pipegen/environment/ask.env")

    assert report.read_text("utf-8").rstrip("\n") == "PIPEGEN_URL_ASK=https://it.example.org/a/b"
    assert "url: $PIPEGEN_URL_ASK" in done.text
    assert "name: review/-x" in done.text


def test_a_script_for_gitlab_gets_the_variables_of_env(containers: Containers, tmp_path: Path) -> None:
    """The script of the stage, which is not in the job, would have the same."""
    env = {"NAME": "${CI_JOB_NAME}-x", "BRANCH": "${setup.branch}", "PRICE": "$5", "DOCKER_HOST_NAME": "host"}
    script = ['echo "own: $NAME $BRANCH $PRICE $DOCKER_HOST_NAME"']
    stages: list[dict[str, object]] = [
        {"name": "own", "script": script, "env": env},
        {"name": "other", "script": ["true"], "env": env, "raw": {"gitlab": {"script": script}}},
    ]
    done = executed("gitlab", containers, tmp_path, stages, [["own"], ["other"]])

    assert done.outcomes == dict.fromkeys(("own", "other"), "success"), done.log
    assert re.search(r"own: own-x \w+ \$5 host", done.log), done.log
    assert re.search(r"own: other-x \w+ \$5 host", done.log), done.log
