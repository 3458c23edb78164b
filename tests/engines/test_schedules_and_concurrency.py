"""What starts runs by the clock, and what happens when runs meet, as far as it can be executed."""

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
    """Return what comes of a pipeline with *keys* on Jenkins; with *branch*, in a multibranch job."""
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
def test_one_branch_runs_by_the_clock(tmp_path: Path, engine: Engine, branch: str, crons: tuple[str, ...]) -> None:
    """All lines in the time zone that they are written for; of a multibranch job, the primary branch."""
    build = built(engine, tmp_path, branch=branch, schedule=SCHEDULES)

    assert build.result == "SUCCESS", build.log
    assert build.crons == crons


def test_jenkins_chooses_a_time(tmp_path: Path) -> None:
    """A line with `H` arrives as it is."""
    build = built(SCRIPTED, tmp_path, schedule="H(0-29) H * * MON-FRI")

    assert build.crons == ("TZ=UTC\nH(0-29) H * * 1-5",)


@pytest.mark.parametrize("engine", [SCRIPTED, DECLARATIVE], ids=str)
@pytest.mark.parametrize("rule", ["it's $production", {"cancel": True}, {}], ids=str)
def test_a_rule_for_runs_that_meet_lets_one_run_end(tmp_path: Path, engine: Engine, rule: object) -> None:
    """With a schedule and a parameter beside it."""
    build = built(engine, tmp_path, concurrency=rule, schedule=SCHEDULES)

    assert build.result == "SUCCESS", build.log
    assert [stage.name for stage in build.stages] == ["a", "b"]


def test_gitlab_takes_what_is_written(tmp_path: Path) -> None:
    """By its own schema."""
    stages = [*STAGES, {"name": "c", "script": ["echo c"], "interruptible": False}]
    pipeline = {"schedule": SCHEDULES, "concurrency": {"cancel": True}, "stages": stages}
    repository = worlds.repository(tmp_path / "r", files={CONFIG: yaml_text({"pipelines": {"p": pipeline}})})
    text = compiled(GITLAB_LOCAL, repository, {})

    assert check(text) == ()
    assert "auto_cancel:\n    on_new_commit: interruptible\n" in text
    assert text.count("interruptible: true") == len(STAGES)
    assert '# Needs a pipeline schedule in the project: "0 3 * * 1-5" in the time zone Europe/Berlin.\n' in text
