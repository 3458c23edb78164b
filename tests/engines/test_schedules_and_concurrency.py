"""Schedules and concurrency, as far as they can be executed."""

import subprocess
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.gitlab_schema import check
from engines.jenkins_harness import Build
from engines.proof import worlds
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, SCRIPTED, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

CRON = "TZ=Europe/Berlin\n0 3 * * 1-5\n30 4,16 * * *"
SCHEDULES = [
    {"cron": "0 3 * * MON-FRI", "timezone": "Europe/Berlin"},
    {"cron": "30 4,16 * * *", "timezone": "Europe/Berlin"},
]
STAGES = [{"name": "a", "script": ["echo a"]}, {"name": "b", "script": ["echo b"]}]


def built(engine: Engine, folder: Path, *, branch: str = "", **keys: object) -> Build:
    """Return the Jenkins build of a pipeline with *keys*; with *branch*, in a multibranch job."""
    require(jenkins_harness.available())
    text = yaml_text({"pipelines": {"p": {**keys, "stages": STAGES}}})
    repository = worlds.repository(folder / "repository", files={CONFIG: text})
    variables = {"BRANCH_NAME": branch} if branch else {}
    if branch == "main":
        variables["BRANCH_IS_PRIMARY"] = "true"
    if branch == "topic":
        subprocess.run(("git", "-C", str(repository), "branch", "--quiet", "-m", branch), check=True)
    return jenkins_harness.run(
        compiled(engine, repository, {}), repository, workdir=folder / "jenkins", env=variables, params={}
    )


@pytest.mark.parametrize("engine", [SCRIPTED, DECLARATIVE], ids=str)
@pytest.mark.parametrize(("branch", "crons"), [("", (CRON,)), ("main", (CRON,)), ("topic", ("",))])
def test_only_the_primary_branch_runs_on_schedule(
    tmp_path: Path, engine: Engine, branch: str, crons: tuple[str, ...]
) -> None:
    """All lines have their time zone."""
    build = built(engine, tmp_path, branch=branch, schedule=SCHEDULES)

    assert build.result == "SUCCESS", build.log
    assert build.crons == crons


def test_a_schedule_with_h_is_passed_unchanged(tmp_path: Path) -> None:
    """Jenkins selects the time."""
    build = built(SCRIPTED, tmp_path, schedule="H(0-29) H * * MON-FRI")

    assert build.crons == ("TZ=UTC\nH(0-29) H * * 1-5",)


@pytest.mark.parametrize("engine", [SCRIPTED, DECLARATIVE], ids=str)
@pytest.mark.parametrize("rule", ["it's $production", {"cancel": True}, {}], ids=str)
def test_concurrency_lets_a_single_run_complete(tmp_path: Path, engine: Engine, rule: object) -> None:
    """With a schedule and a parameter."""
    build = built(engine, tmp_path, concurrency=rule, schedule=SCHEDULES)

    assert build.result == "SUCCESS", build.log
    assert [stage.name for stage in build.stages] == ["a", "b"]


def test_schedules_and_concurrency_match_gitlabs_schema(tmp_path: Path) -> None:
    """The generated file is checked, not executed."""
    stages = [*STAGES, {"name": "c", "script": ["echo c"], "interruptible": False}]
    pipeline = {"schedule": SCHEDULES, "concurrency": {"cancel": True}, "stages": stages}
    repository = worlds.repository(tmp_path / "r", files={CONFIG: yaml_text({"pipelines": {"p": pipeline}})})
    text = compiled(GITLAB_LOCAL, repository, {})

    assert check(text) == ()
    assert "auto_cancel:\n    on_new_commit: interruptible\n" in text
    assert text.count("interruptible: true") == len(STAGES)
    assert '# Needs a pipeline schedule in the project: "0 3 * * 1-5" in the time zone Europe/Berlin.\n' in text
