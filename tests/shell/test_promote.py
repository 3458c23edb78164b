"""Proposals of new chart versions, with a real git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from engines.requirement import require
from shell.world import HOSTILE, World, host, plan_of, script_of, text_of

from pipegen.plan.model import Credential, CredentialKind
from pipegen.source.text import SourceFile, Span

SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}
UPDATE = """#!/bin/sh -e
printf '%s\\n' "$@" >"$(printf %s "$2" | tr / _).version"
cat >/dev/null
"""
NOWHERE = Span(SourceFile("p", ""), 0, 0)


@pytest.fixture
def charts(world: World) -> Path:
    """Return a repository of charts whose script records its arguments."""
    require(None if shutil.which("git") else "git is not installed")
    work, bare = world.folder / "work", world.folder / "charts.git"
    (work / "update_version").mkdir(parents=True)
    script = work / "update_version" / "update_version.py"
    script.write_text(UPDATE)
    script.chmod(0o755)
    git = ("git", "-c", "user.name=me", "-c", "user.email=me@example.org")
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], cwd=work, check=True)
    subprocess.run([*git, "add", "--all"], cwd=work, check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "first"], cwd=work, check=True)
    subprocess.run([*git, "clone", "--quiet", "--bare", str(work), str(bare)], check=True)
    # This is a file, not /dev/null: git replaces the file to which it writes settings.
    settings = world.folder / "gitconfig"
    settings.touch()
    world.variables.update(CHARTS=str(bare), GIT_CONFIG_GLOBAL=str(settings), GIT_CONFIG_NOSYSTEM="1")
    return bare


def git(repository: Path, *arguments: str) -> str:
    """Return the output of git."""
    done = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, check=True)
    return done.stdout.decode()


def proposed(repository: Path, ref: str = "refs/for/main%topic=pipeline-promote") -> str:
    """Return the message of the pushed change."""
    return git(repository, "log", "-1", "--format=%B", ref)


def test_promote_pushes_a_change_for_a_chart(world: World, charts: Path) -> None:
    """Its message names chart, version and job; a trailer identifies it."""
    promote = [{"chart": "app", "environments": ["staging", "${a.output}"], "version": "v1"}]
    plan = plan_of([SOURCE, {"name": "t", "promote": promote}])
    world.give("a", "output", HOSTILE["lines"])
    where = host(setup={"logURL": "https://ci.example/7"}.get)

    result = world.run_job(plan, "t", where)

    assert result.status == 0, result.errors
    subject, body, job, change = proposed(charts).strip().split("\n\n")
    assert subject == "app: pipeline bot promote"
    assert body == "Promote app to version v1"
    assert job == "Job: https://ci.example/7"
    assert change.startswith("Change-Id: I")
    assert len(change) == len("Change-Id: I") + 40
    text = git(charts, "show", "refs/for/main%topic=pipeline-promote:app.version")
    assert text == f"-s\napp\n-v\nv1\n-e\nstaging\n-e\n{HOSTILE['lines']}\n"
    assert result.left == []


@pytest.mark.slow
def test_the_change_of_each_chart_is_based_on_the_branch(world: World, charts: Path) -> None:
    """It does not contain changes of other charts."""
    each = {"$each": "c", "$in": "${a.output}", "$yield": {"chart": "${.c}", "version": "1"}}
    plan = plan_of([SOURCE, {"name": "t", "promote": each}])
    world.give("a", "output", "one\n$(id)\n")

    result = world.run_job(plan, "t", host())

    # Plain git rejects the second change, which does not follow the first; Gerrit accepts both.
    assert result.status != 0
    assert "rejected" in result.errors
    assert "one.version" in git(charts, "ls-tree", "--name-only", "refs/for/main%topic=pipeline-promote")


def test_environments_may_come_from_a_loop(world: World, charts: Path) -> None:
    """Each becomes an option."""
    environments = {"$each": "e", "$in": "${a.output}", "$yield": "${.e}"}
    promote = [{"chart": "app", "environments": environments, "version": "v1"}]
    plan = plan_of([SOURCE, {"name": "t", "promote": promote}])
    world.give("a", "output", "one\ntwo words\n")

    world.run_job(plan, "t", host())

    text = git(charts, "show", "refs/for/main%topic=pipeline-promote:app.version")
    assert text == "-s\napp\n-v\nv1\n-e\none\n-e\ntwo words\n"


@pytest.mark.slow
def test_an_existing_version_pushes_no_change(world: World, charts: Path) -> None:
    """It is not a failure."""
    plan = plan_of([{"name": "t", "promote": [{"chart": "app", "version": "v1"}]}])
    world.run_job(plan, "t", host())
    git(charts, "update-ref", "refs/heads/main", "refs/for/main%topic=pipeline-promote")

    result = world.run_job(plan, "t", host())

    assert result.status == 0
    assert git(charts, "rev-list", "--count", "refs/for/main%topic=pipeline-promote").strip() == "2"


@pytest.mark.slow
def test_a_retry_proposes_the_same_change(world: World, charts: Path) -> None:
    """Within a run; another run proposes another change."""
    plan = plan_of([{"name": "t", "promote": [{"chart": "app", "version": "v1"}]}])
    changes = []
    for run in ("3", "3", "4"):
        world.variables["RUN"] = run
        world.run_job(plan, "t", host())
        changes.append(proposed(charts).rpartition("Change-Id: ")[2].strip())
        git(charts, "update-ref", "-d", "refs/for/main%topic=pipeline-promote")

    assert changes[0] == changes[1] != changes[2]


def test_a_failing_script_of_the_charts_fails_the_stage(world: World, charts: Path) -> None:
    """No change is pushed."""
    plan = plan_of([SOURCE, {"name": "t", "promote": [{"chart": "${a.output}", "version": "v1"}]}])
    world.give("a", "output", "no/../such\x01" * 40)

    result = world.run_job(plan, "t", host())

    assert result.status != 0
    assert "refs/for" not in git(charts, "for-each-ref")


@pytest.mark.slow
@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize(
    ("kind", "variables", "setting"),
    [
        (CredentialKind.PASSWORD, ("WHO", "WORD"), "credential.helper"),
        (CredentialKind.SSH_KEY, ("KEY",), "core.sshCommand"),
        (CredentialKind.TEXT, ("WORD",), "credential.helper"),
    ],
)
def test_credentials_are_read_from_variables(
    world: World, kind: CredentialKind, variables: tuple[str, ...], setting: str
) -> None:
    """Git asks for them when necessary; the script contains only their names."""
    credential = Credential(id="c", kind=kind, variables=variables, span=NOWHERE)
    plan = plan_of([{"name": "t", "promote": [{"chart": "app", "version": "v1"}]}])
    where = host(promote_credential=credential)
    world.variables.update(WHO="me", WORD="it's $(id)", KEY="/k")

    result = world.run_job(plan, "t", where)

    assert result.status == 0, result.errors
    lowered = script_of(plan, "t", where)
    assert lowered.credentials == (credential,)
    assert lowered.uses_git
    text = text_of(lowered)
    assert setting in text
    if kind is CredentialKind.PASSWORD:
        helper = text.partition("--config '")[2].partition("' ")[0]
        fill = ["git", "-c", helper, "credential", "fill"]
        data = b"protocol=https\nhost=example.org\n\n"
        environment = world.environment() | {"GIT_TERMINAL_PROMPT": "0"}
        done = subprocess.run(fill, input=data, env=environment, capture_output=True, check=True)
        assert b"username=me\npassword=it's $(id)\n" in done.stdout
