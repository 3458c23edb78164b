"""Stages that fetch the repository in their own way, or not at all, on each engine."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, HERE, SCRIPTED, Engine, World, execute
from engines.proof.yaml_text import yaml_text
from engines.test_scripts import executed, note

ENGINES = {"scripted": SCRIPTED, "declarative": DECLARATIVE, "here": HERE}
NOTES = 'mkdir -p "$RECORDS/{0}"; find . -name .git -prune -o -type f -print | LC_ALL=C sort >"$RECORDS/{0}/files"'


def config() -> str:
    """Return the config: `build` leaves files for a stage without the repository, `untidy` others in its workspace."""
    stages = [
        {"name": "build", "script": ["mkdir dist && echo built >dist/app"], "artifacts": ["dist/"]},
        {"name": "untidy", "script": ["touch -- left .left ..left -left"], "fetch": {"depth": 1, "submodules": False}},
        {"name": "upload", "script": [NOTES.format("upload")], "fetch": False},
        {"name": "check", "script": [NOTES.format("check")], "fetch": {"shallow": False, "tags": True}},
    ]
    execution = [["build", "untidy", "upload", "check"]]
    return yaml_text({"pipelines": {"p": {"execution": execution, "stages": stages}}})


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_stage_without_the_repository_has_only_files_of_others(
    engine: Engine, containers: Containers, tmp_path: Path
) -> None:
    """On Jenkins, all stages use one workspace. The program for GitLab's files always copies the repository."""
    execution, records = executed(engine, containers, tmp_path, config(), {"source": "x"})

    assert set(execution.outcomes.values()) == {"success"}, execution.log
    assert note(records, "upload", "files") == "./dist/app\n"
    assert note(records, "check", "files").endswith("./dist/app\n./see\n./source\n")


HISTORY = 'git log --format=%s >"$RECORDS/{0}"'
PUSH = 'git -C "$ORIGIN" -c user.name=x -c user.email=x@example.org commit --allow-empty -qm'


@pytest.mark.parametrize("branch", ["", "main"], ids=["job", "multibranch"])
@pytest.mark.parametrize("engine", [SCRIPTED, DECLARATIVE], ids=["scripted", "declarative"])
def test_partial_histories_affect_no_other_stage(
    engine: Engine, branch: str, containers: Containers, tmp_path: Path
) -> None:
    """The git plugin of Jenkins neither completes a history in a workspace nor finds a commit that it lacks."""
    stages: list[dict[str, object]] = [
        {"name": "first", "script": [HISTORY.format("first"), f"{PUSH} two", f"{PUSH} three"], "fetch": {"depth": 1}},
        {"name": "short", "script": [HISTORY.format("short"), "sleep 3"], "fetch": {"depth": 1}},
        {"name": "new", "script": [HISTORY.format("new"), "sleep 3"], "fetch": {"depth": 1}},
        {"name": "whole", "script": [HISTORY.format("whole")], "fetch": {"shallow": False}},
        {"name": "usual", "script": [HISTORY.format("usual")]},
    ]
    execution = [["first", ["short", "new"], ["whole", "usual"]]]
    text = yaml_text({"pipelines": {"p": {"execution": execution, "stages": stages}}})
    repository = worlds.repository(tmp_path / "repository", files={CONFIG: text})
    subprocess.run((*shlex.split(PUSH.replace("$ORIGIN", str(repository))), "one"), check=True)
    records = tmp_path / "notes"
    records.mkdir()
    variables = {"RECORDS": str(records), "ORIGIN": str(repository), **({"BRANCH_NAME": branch} if branch else {})}

    world = World(containers=containers, repository=repository, folder=tmp_path / "world", variables=variables)
    done = execute(engine, world)

    assert set(done.outcomes.values()) == {"success"}, done.log
    histories = {path.name: path.read_text("utf-8").split() for path in records.iterdir()}
    assert histories["first"] == ["one"]
    assert {history[0] for history in histories.values()} == {"one"}
    assert len(histories["whole"]) == len(histories["usual"]) == 2


@pytest.mark.parametrize("engine", [SCRIPTED, DECLARATIVE], ids=["scripted", "declarative"])
def test_stages_that_all_fetch_a_part_of_the_history_find_their_commit(
    engine: Engine, containers: Containers, tmp_path: Path
) -> None:
    """The options are in the function that checks out, not in its calls."""
    stages = [
        {"name": "first", "script": [HISTORY.format("first"), f"{PUSH} two", f"{PUSH} three"]},
        {"name": "second", "script": [HISTORY.format("second"), "sleep 3"]},
        {"name": "third", "script": [HISTORY.format("third"), "sleep 3"]},
    ]
    execution = [["first", ["second", "third"]]]
    text = yaml_text({"pipelines": {"p": {"fetch": {"depth": 1}, "execution": execution, "stages": stages}}})
    repository = worlds.repository(tmp_path / "repository", files={CONFIG: text})
    subprocess.run((*shlex.split(PUSH.replace("$ORIGIN", str(repository))), "one"), check=True)
    records = tmp_path / "notes"
    records.mkdir()
    variables = {"RECORDS": str(records), "ORIGIN": str(repository), "BRANCH_NAME": "main"}

    world = World(containers=containers, repository=repository, folder=tmp_path / "world", variables=variables)
    done = execute(engine, world)

    assert set(done.outcomes.values()) == {"success"}, done.log
    assert {path.name: path.read_text("utf-8").split()[0] for path in records.iterdir()} == dict.fromkeys(
        ("first", "second", "third"), "one"
    )


# The program that sends the repository: the second fetch begins before the first ends, and gets a commit more.
SEND = """\
#!/bin/sh
if mkdir "$FETCHES/first"; then
  until [ -e "$FETCHES/second" ]; do sleep 0.05; done
  git-upload-pack "$@"
  git -C "$ORIGIN" -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m two >&2
  touch "$FETCHES/pushed"
else
  touch "$FETCHES/second"
  until [ -e "$FETCHES/pushed" ]; do sleep 0.05; done
  exec git-upload-pack "$@"
fi
"""


@pytest.mark.parametrize("engine", [SCRIPTED, DECLARATIVE], ids=["scripted", "declarative"])
def test_stages_that_start_together_have_one_commit(engine: Engine, containers: Containers, tmp_path: Path) -> None:
    """Although one fetches before a push and the other after it; a stage after them checks out once."""
    stages = [{"name": name, "script": [HISTORY.format(name)]} for name in ("left", "right", "last")]
    text = yaml_text({"pipelines": {"p": {"execution": [[["left", "right"], "last"]], "stages": stages}}})
    repository = worlds.repository(tmp_path / "repository", files={CONFIG: text})
    subprocess.run((*shlex.split(PUSH.replace("$ORIGIN", str(repository))), "one"), check=True)
    records, fetches, send = tmp_path / "notes", tmp_path / "fetches", tmp_path / "send"
    records.mkdir()
    fetches.mkdir()
    send.write_text(SEND, "utf-8")
    send.chmod(0o755)
    (tmp_path / "gitconfig").write_text(f'[remote "origin"]\n\tuploadpack = {send}\n', "utf-8")
    variables = {"RECORDS": str(records), "ORIGIN": str(repository), "FETCHES": str(fetches)}
    variables["GIT_CONFIG_GLOBAL"] = str(tmp_path / "gitconfig")

    world = World(containers=containers, repository=repository, folder=tmp_path / "world", variables=variables)
    done = execute(engine, world)

    assert set(done.outcomes.values()) == {"success"}, done.log
    histories = [path.read_text("utf-8") for path in records.iterdir()]
    assert len(histories) == 3
    assert len(set(histories)) == 1
    assert done.log.count("Checking out Revision") == 4, done.log
