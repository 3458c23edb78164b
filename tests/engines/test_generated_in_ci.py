"""Pipelines that generate and start their stages, as in the example, have the same outcomes on all engines.

gitlab-ci-local starts no child pipelines (firecow/gitlab-ci-local#94). So the parent is executed up to its bridge, then
the generated file, with the variables that the bridge passes.
"""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from engines import gitlab_local, jenkins_harness
from engines.gitlab_local import Result
from engines.gitlab_schema import check
from engines.jenkins_harness import Node
from engines.proof import worlds
from engines.requirement import require

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/generated"
CI = EXAMPLE / "ci"
PARENT = (CI / "gitlab-ci.yml").read_text(encoding="utf-8")
STEP = (CI / "library/vars/pipegenRun.groovy").read_text(encoding="utf-8")
PUSHED = {"lint": "success", "build": "success", "test": "success", "review": "skipped", "release": "success"}
REVIEWED = PUSHED | {"review": "success", "release": "skipped"}
NODES = (Node(labels=("pipegen",), executors=1),)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with the example."""
    return worlds.repository(tmp_path / "repository", EXAMPLE)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Return a PATH with pipegen of this checkout, and a pip that installs nothing."""
    (tmp_path / "bin").mkdir()
    call = f"PYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -c"
    programs = {"pip": "exit 0", "pipegen": f"{call} 'from pipegen.__main__ import main; main()' \"$@\""}
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    return f"{tmp_path / 'bin'}:{os.environ['PATH']}"


def generated(repository: Path, path: str, folder: Path, source: Mapping[str, str | None]) -> str:
    """Return the file that the parent's job generates for its bridge."""
    folder.mkdir()
    done = gitlab_local.run(
        repository, without_bridges(PARENT), workdir=folder, variables=source, env={"PATH": path}, jobs=["generate"]
    )
    assert done["generate"].result is Result.SUCCESS, done.output
    bridge = yaml.safe_load(PARENT)["run"]
    (included,) = bridge["trigger"]["include"]
    assert bridge["variables"] == {"PIPEGEN_SOURCE": "$CI_PIPELINE_SOURCE"}
    return (done[included["job"]].artifacts / str(included["artifact"])).read_text(encoding="utf-8")


def without_bridges(text: str) -> str:
    """Return the file *text* without jobs that trigger a pipeline."""
    data = yaml.safe_load(text)
    return str(yaml.safe_dump({name: job for name, job in data.items() if "trigger" not in job}, sort_keys=False))


@pytest.mark.parametrize(
    ("source", "branch", "expected"),
    [("push", "main", PUSHED), ("merge_request_event", None, REVIEWED)],
    ids=["push", "merge-request"],
)
def test_gitlab_starts_a_generated_child_pipeline(
    source: str, branch: str | None, expected: Mapping[str, str], repository: Path, path: str, tmp_path: Path
) -> None:
    """Conditions use the source of the run, not that of the child pipeline."""
    require(gitlab_local.available())
    child = generated(repository, path, tmp_path / "parent", {"CI_PIPELINE_SOURCE": source})
    assert [check(PARENT), check(child)] == [(), ()]

    (tmp_path / "child").mkdir()
    own = {"CI_PIPELINE_SOURCE": "parent_pipeline", "PIPEGEN_SOURCE": source, "CI_COMMIT_BRANCH": branch}
    done = gitlab_local.run(repository, child, workdir=tmp_path / "child", variables=own)
    words = {Result.SUCCESS: "success", Result.SKIPPED: "skipped"}
    assert {job.name: words.get(job.result, "failed") for job in done.jobs} == expected, done.output


@pytest.mark.parametrize(
    "jenkinsfile",
    [
        pytest.param((CI / "Jenkinsfile").read_text(encoding="utf-8"), id="evaluate"),
        # A library's step is a script whose `call` runs.
        pytest.param(f"{STEP}\ncall()\n", id="library"),
        pytest.param(f"{STEP}\ncall(config: 'pipegen.yaml', agent: 'pipegen')\n", id="library-with-arguments"),
    ],
)
def test_jenkins_evaluates_a_generated_file(jenkinsfile: str, repository: Path, path: str, tmp_path: Path) -> None:
    """One executor is enough: none is held while stages wait for theirs."""
    require(jenkins_harness.available())
    done = jenkins_harness.run(
        jenkinsfile,
        repository,
        workdir=tmp_path / "build",
        nodes=NODES,
        env={"BRANCH_NAME": "main"},
        agent_env={**os.environ, "PATH": path},
        seconds=60,
    )

    assert done.result == "SUCCESS", done.log
    assert {stage.name: stage.status for stage in done.stages} == PUSHED
    assert done.archived["released"].read_text(encoding="utf-8") == "released 1.2.3\n"


def test_jenkins_loads_a_generated_file(repository: Path, path: str, tmp_path: Path) -> None:
    """It needs a second executor, since the first is held."""
    require(jenkins_harness.available())
    done = jenkins_harness.run(
        CI / "load.Jenkinsfile",
        repository,
        workdir=tmp_path / "build",
        nodes=(Node(labels=("pipegen",), executors=2),),
        env={"BRANCH_NAME": "main"},
        agent_env={**os.environ, "PATH": path},
        seconds=60,
    )

    assert done.result == "SUCCESS", done.log
    assert {stage.name: stage.status for stage in done.stages} == PUSHED


def without_comments(text: str) -> str:
    """Return *text* without comments and empty lines."""
    lines = [line for line in text.splitlines() if line.strip() and not re.match(r"\s*(#|/?\*|//)", line)]
    return "\n".join(re.sub(r" (#|//) .*", "", line) for line in lines)


@pytest.mark.parametrize("script", ["evaluate 'new File(\"x\")'", "new GroovyShell().evaluate('1')"])
def test_the_sandbox_rejects_evaluation_in_a_new_shell(script: str, repository: Path, tmp_path: Path) -> None:
    """Files and new shells are not permitted even in evaluated text."""
    require(jenkins_harness.available())
    done = jenkins_harness.run(script, repository, workdir=tmp_path / "build", seconds=60)

    assert done.error is not None
    assert "the sandbox does not permit" in done.error.message


@pytest.mark.parametrize("name", ["gitlab-ci.yml", "Jenkinsfile", "library/vars/pipegenRun.groovy"])
def test_the_documents_show_the_executed_code(name: str) -> None:
    """Only comments may differ."""
    page = (ROOT / "docs/generate-in-ci.md").read_text(encoding="utf-8")
    example = (CI / name).read_text(encoding="utf-8")

    assert without_comments(example) in without_comments(page)


def test_the_jenkinsfiles_of_the_example_are_valid() -> None:
    """Including the library's step."""
    require(jenkins_harness.available())
    texts = {path.name: path.read_text(encoding="utf-8") for path in (CI / "Jenkinsfile", CI / "load.Jenkinsfile")}

    assert set(jenkins_harness.validate({**texts, "step": STEP}).values()) == {()}
