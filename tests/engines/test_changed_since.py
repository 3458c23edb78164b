"""A monorepo of three services, compiled for a change in one of them: the remaining stages run, in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.program import process
from cli.repositories import commit, git, repository
from engines import gitlab_local, gitlab_schema, jenkins_harness
from engines.requirement import require

SERVICES = ("api", "web", "worker")
TARGETS = ("gitlab", "jenkins")


def service(name: str) -> str:
    """Return the stages of a service: a test, and a package of its own files and common ones."""
    when = f"when: {{ changes: ['{name}/**'] }}"
    return f"""\
      - {{ name: {name}-test, {when}, script: ['test -s {name}/version'] }}
      - name: {name}-package
        {when}
        script: ['mkdir -p out && echo "{name} ${{prepare.stamp}}" >out/{name}']
        outputs: {{ version: {{ file: {name}/version }} }}
        artifacts: [out/{name}]
"""


RELEASE = " ".join(f"{name}=${{{name}-package.version|none}}" for name in SERVICES)
CONFIG = f"""\
pipelines:
  all:
    stages:
      - {{ name: prepare, script: ['true'], outputs: {{ stamp: {{ command: echo stamped }} }} }}
      - {{ name: licenses, script: ['false'] }}
{"".join(map(service, SERVICES))}\
      - name: release
        script: ['cat out/*', 'echo "released {RELEASE}"']
    execution:
      - [prepare, licenses, [api-test, web-test, worker-test]]
      - [api-test, api-package, release]
      - [web-test, web-package, release]
      - [worker-test, worker-package, release]
"""
KEPT = ["prepare", "api-test", "api-package", "release"]


@dataclass(frozen=True, slots=True)
class GeneratedFiles:
    """A repository after a change in one service, and after one without effect, with the compiled files."""

    root: Path
    narrowed: dict[str, str]
    nothing: dict[str, str]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> GeneratedFiles:
    """Compile both changes, as a job of a pipeline would."""
    files = {"pipegen.yaml": CONFIG, **{f"{name}/version": "1" for name in SERVICES}}
    root = repository(tmp_path_factory.mktemp("monorepo"), files)
    git(root, "branch", "released")
    commit(root, {"README.md": "new\n"})
    nothing = {target: compiled(root, target) for target in TARGETS}
    commit(root, {"api/version": "2"})
    return GeneratedFiles(root, {target: compiled(root, target) for target in TARGETS}, nothing)


def compiled(root: Path, target: str) -> str:
    """Return the file of *target* for the changes since the last release."""
    done = process("compile", "-t", target, "--changed-since", "released", "-o", "-", at=root)

    assert done.returncode == 0, done.stderr
    return done.stdout


def test_gitlab_runs_the_changed_service_and_the_release(generated: GeneratedFiles, tmp_path: Path) -> None:
    """Versions of removed services have their defaults, and their files are missing."""
    require(gitlab_local.available())
    done = gitlab_local.run(generated.root, generated.narrowed["gitlab"], workdir=tmp_path)

    assert {job.name: job.result for job in done.jobs} == dict.fromkeys(KEPT, gitlab_local.Result.SUCCESS)
    assert "api stamped" in done.output
    assert "released api=2 web=none worker=none" in done.output


def test_jenkins_runs_the_changed_service_and_the_release(generated: GeneratedFiles, tmp_path: Path) -> None:
    """The stages and their output are the same as on GitLab."""
    require(jenkins_harness.available())
    done = jenkins_harness.run(generated.narrowed["jenkins"], generated.root, workdir=tmp_path)

    assert [stage.name for stage in done.stages if stage.name in {*KEPT, "licenses", "web-test", "worker-test"}] == KEPT
    assert done.result == "SUCCESS"
    assert "api stamped" in done.log
    assert "released api=2 web=none worker=none" in done.log


def test_engines_accept_the_file_for_a_change_without_effect(generated: GeneratedFiles) -> None:
    """It has one stage, and can be started as a child pipeline."""
    assert [gitlab_schema.check(text) for text in (generated.narrowed["gitlab"], generated.nothing["gitlab"])] == [
        (),
        (),
    ]
    assert "nothing to do:" in generated.nothing["gitlab"]
    require(jenkins_harness.available())
    assert jenkins_harness.validate({"Jenkinsfile": generated.nothing["jenkins"]})["Jenkinsfile"] == ()
