"""A change from a fork gets no credentials of Jenkins, no locks and no publishing, as far as a file can ensure it."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.jenkins_harness import Build
from engines.requirement import require
from engines.sized import built

from pipegen.compiler import analyse, generate
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
      - { name: deploy, environment: production, script: ['echo deploy >>"$NOTES"'] }
      - { name: try, environment: { name: staging }, allow_failure: true, retry: 2, script: ['echo try >>"$NOTES"'] }
      - { name: migrate, lock: [database, queue], timeout: 1m, script: ['echo migrate >>"$NOTES"'] }
      - { name: ask, approve: Go on?, lock: door, script: ['echo ask >>"$NOTES"'] }
      - name: read
        script: [./steal]
        raw: { jenkins: { wrap: [timestamps, "withCredentials([string(credentialsId: 'token', variable: 'TOKEN')])"] } }
      - name: slow
        script: ['echo slow >>"$NOTES"']
        raw: { jenkins: { wrap: [timestamps, 'timeout(time: 5)', "withEnv(['A=b'])"] } }
    execution: [[lint], [sign], [tell], [deploy], [try], [migrate], [ask], [read], [slow]]
targets:
  jenkins: { trust_forks: TRUST }
"""
# Settings around all stages.
AROUND = {
    "credentials": "targets: { jenkins: { wrap: ['withCredentials([])'] } }",
    "option": "targets: { jenkins: { options: ['withCredentials([])'] } }",
    "lock": "targets: { jenkins: { wrap: [\"lock('database')\"] } }",
    "library": "targets: { jenkins: { wrap: [ourTeam] } }",
    "group": "concurrency: { group: production }",
    "nothing": "targets: { jenkins: { wrap: ['timestamps()', \"withEnv(['A=b'])\"] } }",
}
# The change of the fork.
STEAL = '#!/bin/sh\nprintf %s "$TOKEN" >>"$NOTES"\n'


def build(
    repository: Callable[[Mapping[str, str | bytes]], Path],
    folder: Path,
    style: str,
    variables: Mapping[str, str],
    *,
    trust: bool = False,
) -> Build:
    """Return the build with *variables*; stages write notes to `notes` in *folder*."""
    require(jenkins_harness.available())
    config = CONFIG.replace("TRUST", str(trust).lower())
    file = SourceFile("pipegen.yaml", config)
    (generated_file,) = generate(analyse(file, (), Report()), registry.load("jenkins"), {"style": style}, Report())
    (folder / "notes").touch()
    return jenkins_harness.run(
        generated_file.text,
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
    """Its commands do not run where credentials are; nothing is triggered, locked or asked, and other stages run."""
    done = build(repository, tmp_path, style, FORK)
    closed = ("sign", "tell", "deploy", "migrate", "ask", "read")
    outcomes = {name: done.stage(name).status for name in ("lint", "slow", "try", *closed)}

    assert outcomes == {"lint": "success", "slow": "success", "try": "unstable"} | dict.fromkeys(closed, "failed")
    assert sorted((tmp_path / "notes").read_text("utf-8").split()) == ["lint", "slow"]
    assert (done.builds, done.inputs) == ((), ())
    assert "Lock acquired" not in done.log
    assert "do not run for a change from the fork mallory/service" in done.log
    assert SECRET not in done.log


@pytest.mark.parametrize(("variables", "trust"), [(OWN, False), (FORK, True), ({}, False)])
def test_trusted_changes_get_credentials(
    repository: Callable[[Mapping[str, str | bytes]], Path],
    tmp_path: Path,
    variables: Mapping[str, str],
    trust: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """A change from the repository itself, a branch, or a fork if the config trusts forks."""
    done = build(repository, tmp_path, "auto", variables, trust=trust)

    assert done.result == "SUCCESS", done.log
    notes = (tmp_path / "notes").read_text("utf-8")
    assert notes.count(SECRET) == 2
    assert {"deploy", "try", "migrate", "ask"} <= {*notes.replace(SECRET, " ").split()}
    assert [started.job for started in done.builds] == ["docs"]


@pytest.mark.parametrize("style", ["auto", "scripted"])
@pytest.mark.parametrize("kind", AROUND)
def test_a_fork_is_rejected_before_settings_around_all_stages(kind: str, style: str) -> None:
    """It would get the credentials or the lock of every stage."""
    setting = AROUND[kind]
    pipeline, targets = ("", setting) if setting.startswith("targets") else (f"    {setting}\n", "")
    config = f"pipelines:\n  service:\n{pipeline}    stages: [{{ name: lint, script: [make lint] }}]\n{targets}\n"
    text = built(config, style).text
    start = re.sub(r"^//.*\n", "", text, flags=re.MULTILINE).find("\nnoFork()\n")

    assert (start >= 0) == (kind != "nothing")
    assert start < text.find("pipeline {" if style == "auto" and kind != "library" else "runStages")


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_a_fork_does_not_hold_a_concurrency_group(
    repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path, style: str
) -> None:
    """It would delay production runs of the same group."""
    require(jenkins_harness.available())
    config = "pipelines: { p: { concurrency: { group: production }, stages: [{ name: s, script: [make] }] } }\n"
    done = jenkins_harness.run(
        built(config, style).text, repository({"pipegen.yaml": config}), workdir=tmp_path / "work", env=FORK
    )

    assert (done.result, done.stages) == ("FAILURE", ())
    assert "Lock acquired" not in done.log
    assert "do not run for a change from the fork mallory/service" in done.log
