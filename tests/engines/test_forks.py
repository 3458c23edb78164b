"""A change from a fork gets no credentials of Jenkins, and publishes nothing: what the Jenkinsfile can keep from it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.jenkins_harness import Build
from engines.requirement import require

from pipegen.compiler import compile_file
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry

SECRET = "s3cret-of-the-project"  # noqa: S105 - the harness' own
FORK = {"BRANCH_NAME": "PR-7", "CHANGE_ID": "7", "CHANGE_TARGET": "main", "CHANGE_FORK": "mallory/service"}
OWN = {key: value for key, value in FORK.items() if key != "CHANGE_FORK"}
CONFIG = """\
pipelines:
  service:
    stages:
      - { name: lint, script: ['echo lint >>"$NOTES"'] }
      - { name: sign, secrets: { TOKEN: token }, script: ['./steal', 'echo sign >>"$NOTES"'] }
      - { name: tell, trigger: { name: docs } }
    execution: [[lint], [sign], [tell]]
targets:
  jenkins: { trust_forks: TRUST }
"""
# What the fork has changed.
STEAL = '#!/bin/sh\nprintf %s "$TOKEN" >>"$NOTES"\n'


def build(
    repository: Callable[[Mapping[str, str | bytes]], Path],
    folder: Path,
    style: str,
    variables: Mapping[str, str],
    *,
    trust: bool = False,
) -> Build:
    """Return what comes of a build with *variables*; stages note what they do in `notes` of *folder*."""
    require(jenkins_harness.available())
    config = CONFIG.replace("TRUST", str(trust).lower())
    file = SourceFile("pipegen.yaml", config)
    (made,) = compile_file(file, registry.load("jenkins"), {"style": style}, (), Report())
    (folder / "notes").touch()
    return jenkins_harness.run(
        made.text,
        repository({"pipegen.yaml": config, "steal": STEAL}),
        workdir=folder / "work",
        env={**variables, "NOTES": str(folder / "notes")},
        branch="*/main",
        credentials={"token": SECRET},
    )


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_a_fork_gets_no_credentials(
    repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path, style: str
) -> None:
    """What the fork has written does not run where they are; nothing is triggered; other stages run."""
    done = build(repository, tmp_path, style, FORK)
    outcomes = {name: done.stage(name).status for name in ("lint", "sign", "tell")}

    assert outcomes == {"lint": "success", "sign": "failed", "tell": "failed"}
    assert (tmp_path / "notes").read_text("utf-8") == "lint\n"
    assert done.builds == ()
    assert "not for a change from the fork mallory/service" in done.log
    assert SECRET not in done.log


@pytest.mark.parametrize(("variables", "trust"), [(OWN, False), (FORK, True), ({}, False)])
def test_who_may_push_gets_them(
    repository: Callable[[Mapping[str, str | bytes]], Path],
    tmp_path: Path,
    variables: Mapping[str, str],
    trust: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """A change from the repository itself, a branch, and a fork where the config trusts forks."""
    done = build(repository, tmp_path, "auto", variables, trust=trust)

    assert done.result == "SUCCESS", done.log
    assert SECRET in (tmp_path / "notes").read_text("utf-8")
    assert [started.job for started in done.builds] == ["docs"]
