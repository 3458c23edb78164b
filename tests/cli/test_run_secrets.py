"""Secrets in a run: which stages get them, and how data that contains them is removed."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import Pipegen, environment, until

TOKEN = "tok/3n+for-tests"  # noqa: S105 - nobody's
VOUCHED = "eyJ-vouched-for-tests"
PROGRAM = (sys.executable, "-c", "from pipegen.__main__ import main; main()", "run")
PASSWORD = "of-the-registry-9"  # noqa: S105 - likewise
CONFIG = """\
pipelines:
  p:
    stages:
      - name: asks
        secrets: { TOKEN: deploy-token, VAULT: { id_token: vault } }
        script: ['echo asks >>ran']
        outputs: { token: { command: 'printf %s "$TOKEN"' } }
      - name: reads
        script: ['echo "${asks.token}"; echo "${asks.token}" >made; env | grep -c "VAULT\\|REGISTRY_PASSWORD" || :']
        artifacts: [made]
        reuse: true
      - name: fails
        script: ['test -z "$STOP"']
"""


@pytest.fixture
def state_folder(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the data folder of runs; the current folder has a config, and variables have its secrets."""
    folder, project = empty / "kept", empty / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    for command in (("init", "-q"), ("add", ".")):
        subprocess.run(("git", *command), check=True)
    variables = {"DEPLOY_TOKEN": TOKEN, "VAULT": VOUCHED, "PIPEGEN_REGISTRY_PASSWORD": PASSWORD, "STOP": "yes"}
    places = {f"XDG_{name}_HOME": str(folder) for name in ("STATE", "CACHE")}
    for name, value in (variables | places).items():
        monkeypatch.setenv(name, value)
    return folder


def holding(folder: Path) -> list[str]:
    """Return the files below *folder* that contain the token, without the artifacts of stages."""
    forms = (TOKEN.encode(), base64.b64encode(TOKEN.encode()))
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "made")
    return [str(path.relative_to(folder)) for path in files if any(form in path.read_bytes() for form in forms)]


@pytest.mark.parametrize("options", [(), ("--isolated",)])
def test_data_with_a_secret_is_not_stored(
    options: tuple[str, ...], state_folder: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not in results, in the journal or in the state for `--resume`, which repeats the stage."""
    first = pipegen("run", *options)
    logs = {path.stem: path.read_text(encoding="utf-8") for path in state_folder.rglob("logs/*.log")}
    assert (first.status, logs["reads"]) == (1, "[masked]\n0\n")
    assert "the result of reads contains a secret: it is not stored for later runs" in first.err
    assert holding(state_folder) == []

    monkeypatch.delenv("STOP")
    again = pipegen("run", *options, "--resume", "--report", "run.json")
    (pipeline_report,) = json.loads(Path("run.json").read_text(encoding="utf-8"))["pipelines"]
    assert again.status == 0
    assert {stage["name"]: stage["status"] for stage in pipeline_report["stages"]}["asks"] == "success"
    assert holding(state_folder) == []


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--isolated", "--resume"), ("--isolated",), ()])
def test_the_next_run_removes_data_of_a_killed_run(options: tuple[str, ...], state_folder: Path) -> None:
    """The killed run could not search it for secrets; until then, only the user can read it."""
    waiting = CONFIG.replace("test -z", 'echo on; test -z "$WAITS" || sleep 300; test -z')
    Path("pipegen.yaml").write_text(waiting, encoding="utf-8")
    process = subprocess.Popen((*PROGRAM, "--isolated"), env=environment(WAITS="yes"), stdout=subprocess.DEVNULL)
    until(lambda: any(path.read_text() == "on\n" for path in state_folder.glob("pipegen/*/*/logs/fails.log")))
    process.kill()
    process.wait(timeout=30)
    (left,) = state_folder.glob("pipegen/*/*/work/left")
    assert holding(left) != []
    assert left.parents[1].stat().st_mode & 0o077 == 0

    completed = subprocess.run((*PROGRAM, *options), env=environment(), check=False, capture_output=True, text=True)
    assert completed.returncode == 1, completed.stderr
    until(lambda: not left.parent.exists())
    assert holding(state_folder) == []


def test_a_short_secret_is_reported(state_folder: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not redacted in logs."""
    monkeypatch.setenv("DEPLOY_TOKEN", "abc")
    assert "warning[PG830]" in pipegen("run").err
    monkeypatch.setenv("DEPLOY_TOKEN", "abcd")
    assert "PG830" not in pipegen("run").err
    assert state_folder.exists()
