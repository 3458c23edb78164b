"""Finally stages run once after all others in any case, and can read their statuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.containers import Containers
from engines.proof.execution import CONFIG, SCRIPTED, Execution, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require
from engines.test_scripts import ENGINES, executed

pytestmark = pytest.mark.xdist_group("finally")

FOUND = "printf '%s ' {values} >\"$RECORDS/{stage}\""
ON = ["gitlab", "scripted", "here"]


def noting(stage: str, *values: str, **keys: object) -> dict[str, object]:
    """Return a stage that writes notes of *values*."""
    words = " ".join(f'"${{{value}}}"' for value in values)
    return {"name": stage, "script": [FOUND.format(values=words, stage=stage)], **keys}


def run(name: str, containers: Containers, folder: Path, pipeline: dict[str, object]) -> tuple[Execution, Path]:
    """Return the execution of *pipeline* on the engine *name*, and the folder of notes."""
    return executed(ENGINES[name], containers, folder, yaml_text({"pipelines": {"p": pipeline}}), {})


@pytest.mark.parametrize("name", ON)
def test_finally_stages_run_after_a_failure(containers: Containers, tmp_path: Path, name: str) -> None:
    """With all statuses and existing values and files; a failing finally stage fails the pipeline."""
    stages = [
        {"name": "build", "script": ["touch given; printf 1.2 >$PIPEGEN_OUTPUTS/v"], "outputs": ["v"]}
        | {"artifacts": ["given"]},
        {"name": "lint", "script": ["exit 3"], "allow_failure": True},
        {
            "name": "test",
            "script": ["touch made; exit 1"],
            "outputs": {"v": {"command": "echo 1"}},
            "artifacts": ["made"],
        },
        {"name": "release", "script": ["true"], "files_from": []},
        {"name": "slow", "script": ["sleep 1"], "files_from": []},
        noting("report", "pipeline.status", "build.status", "lint.status", "test.status", "release.status"),
        noting("values", "build.v|none", "test.v|none", files_from=["build", "test"]),
        {"name": "files", "script": ['ls given made >"$RECORDS/files" || true'], "files_from": ["build", "test"]},
        {"name": "broken", "script": ["false"]},
    ]
    arcs = [["build", "lint", "slow"], ["build", "test", "release"]]
    pipeline: dict[str, object] = {
        "stages": stages,
        "execution": arcs,
        "finally": ["report", "values", "files", "broken"],
    }

    done, records = run(name, containers, tmp_path, pipeline)

    assert done.outcomes == {
        "build": "success",
        "lint": "unstable",
        "test": "failed",
        "release": "skipped",
        "slow": "success",
        "report": "success",
        "values": "success",
        "files": "success",
        "broken": "failed",
    }, done.log
    assert (records / "report").read_text("utf-8") == "failed success failed failed skipped "
    assert (records / "files").read_text("utf-8") == "given\n"
    assert (records / "values").read_text("utf-8") == "1.2 none "
    assert min(done.times[stage][0] for stage in ("report", "values", "broken")) >= done.times["slow"][1]


@pytest.mark.parametrize("name", ON)
def test_finally_stages_run_after_success(containers: Containers, tmp_path: Path, name: str) -> None:
    """One with a false condition is skipped, and one with an allowed failure does not fail the pipeline."""
    stages = [
        {"name": "build", "script": ["true"]},
        {"name": "never", "script": ["true"], "when": {"branch": "nowhere"}},
        {"name": "lint", "script": ["exit 2"], "allow_failure": {"exit_codes": 2}},
        {"name": "style", "script": ["true"], "allow_failure": True},
        noting("report", "pipeline.status", "build.status", "never.status", "lint.status", "style.status"),
        noting("unasked", "pipeline.status", when={"branch": "nowhere"}),
    ]
    arcs = [["build", "never", "lint"], ["build", "style"]]
    pipeline: dict[str, object] = {"stages": stages, "execution": arcs, "finally": ["report", "unasked"]}

    done, records = run(name, containers, tmp_path, pipeline)

    ran = {stage: outcome for stage, outcome in done.outcomes.items() if outcome != "skipped"}
    assert ran == {
        "build": "success",
        "lint": "unstable",
        "style": "success",
        "report": "success",
    }, done.log
    assert (records / "report").read_text("utf-8") == "success success skipped failed success "


@pytest.mark.parametrize("name", [*ON, "declarative"])
@pytest.mark.parametrize(("script", "status"), [("true", "success"), ("false", "failed")])
def test_finally_stages_run_for_the_status_of_the_pipeline(
    containers: Containers, tmp_path: Path, name: str, script: str, status: str
) -> None:
    """An allowed failure does not count, and neither do other finally stages."""
    stages = [
        {"name": "lint", "script": ["exit 3"], "allow_failure": True},
        {"name": "test", "script": [script], "files_from": []},
        noting("clean"),
        noting("alert", "pipeline.status"),
        noting("announce", "pipeline.status"),
        noting("unasked", when={"branch": "nowhere"}),
    ]
    final = {"always": ["clean"], "failed": ["alert", "unasked"], "success": ["announce"]}
    pipeline: dict[str, object] = {"stages": stages, "execution": [["lint", "test"]], "finally": final}

    done, records = run(name, containers, tmp_path, pipeline)

    ran = {stage for stage in ("clean", "alert", "announce", "unasked") if done.outcomes.get(stage) == "success"}
    assert ran == {"clean", "announce" if status == "success" else "alert"}, done.log
    assert (records / ("announce" if status == "success" else "alert")).read_text("utf-8") == f"{status} "


@pytest.mark.parametrize("name", ["declarative", "scripted"])
def test_a_mail_reports_the_failure_of_a_finally_stage(containers: Containers, tmp_path: Path, name: str) -> None:
    """Others send none; the failure counts, also if the mail is sent."""
    stages = [
        {"name": "build", "script": ["true"]},
        {"name": "report", "script": ["true"]},
        {"name": "broken", "script": ["false"]},
        {"name": "style", "script": ["false"], "allow_failure": True},
    ]
    pipeline: dict[str, object] = {
        "stages": stages,
        "execution": [["build"]],
        "finally": ["report", "broken", "style"],
        "notify": {"email": {"to": ["team@example.org"]}},
    }

    done, _ = run(name, containers, tmp_path, pipeline)

    assert [mail.subject.split("/", 1)[1].split()[0] for mail in done.mails] == ["broken"], done.log
    assert done.outcomes["broken"] == "failed"


@pytest.mark.parametrize("name", ["declarative", "scripted"])
@pytest.mark.parametrize(("script", "status"), [("true", "success"), ("false", "failed")])
def test_finally_stages_in_post_follow_all_others(
    containers: Containers, tmp_path: Path, name: str, script: str, status: str
) -> None:
    """They get the status and files; one of them fails the build, and one is skipped."""
    stages = [
        {"name": "build", "script": ["touch given"], "artifacts": ["given"]},
        {"name": "lint", "script": ["exit 3"], "allow_failure": True},
        {"name": "test", "script": [script]},
        noting("report", "pipeline.status"),
        {"name": "files", "script": ['ls given >"$RECORDS/files"'], "files_from": ["build"], "retry": 1},
        {"name": "broken", "script": ["false"]},
        {"name": "unasked", "script": ["true"], "when": {"branch": "nowhere"}},
    ]
    final = ["report", "files", "broken", "unasked"]
    pipeline: dict[str, object] = {"stages": stages, "execution": [["build", ["lint", "test"]]], "finally": final}

    done, records = run(name, containers, tmp_path, pipeline)

    assert done.outcomes == {
        "build": "success",
        "lint": "unstable",
        "test": "success" if status == "success" else "failed",
        "report": "success",
        "files": "success",
        "broken": "failed",
        "unasked": "skipped",
    }, done.log
    assert (records / "report").read_text("utf-8") == f"{status} "
    assert (records / "files").read_text("utf-8") == "given\n"
    assert min(done.times[stage][0] for stage in ("report", "files", "broken")) >= done.times["test"][1]


def test_an_optional_stage_that_nobody_approves_is_skipped(
    repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """It never started, so this is its status, and not a failure."""
    require(jenkins_harness.available())
    stages = [
        {"name": "ask", "approve": {"optional": True}, "script": ["true"]},
        {"name": "other", "approve": {"optional": True, "when": {"branch": "main"}}, "script": ["true"]},
        {"name": "end", "script": ['echo "> ${ask.status} ${other.status} ${pipeline.status}"']},
    ]
    pipeline = {"stages": stages, "execution": [["ask"], ["other"]], "finally": ["end"]}
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": pipeline}})})
    text = compiled(SCRIPTED, checkout, {})

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", approve=False)

    assert build.result == "SUCCESS", build.log
    assert "\n> skipped skipped success\n" in build.log


def test_fail_fast_starts_only_finally_stages_after_a_failure(containers: Containers, tmp_path: Path) -> None:
    """Running stages end first."""
    stages = [
        {"name": "broken", "script": ["false"]},
        {"name": "long", "script": ["sleep 2; touch $RECORDS/long"]},
        {"name": "after", "script": ["true"]},
        {"name": "last", "script": ["true"]},
        noting("report", "pipeline.status", "long.status", "after.status"),
    ]
    arcs = [["long", "after", "last"], ["broken"]]
    keys: dict[str, object] = {"fail_fast": True, "finally": ["report"]}

    done, records = run("scripted", containers, tmp_path, {"stages": stages, "execution": arcs, **keys})

    assert done.outcomes == {
        "broken": "failed",
        "long": "success",
        "after": "skipped",
        "last": "skipped",
        "report": "success",
    }, done.log
    assert (records / "long").exists()
    assert (records / "report").read_text("utf-8") == "failed success skipped "


def test_fail_fast_skips_a_stage_that_waited_for_an_agent(
    repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """Its status says so, and those after it are skipped, too."""
    require(jenkins_harness.available())
    stages = [
        {"name": "broken", "script": ["sleep 1; false"]},
        {"name": "waiting", "script": ["true"]},
        {"name": "after", "script": ["true"]},
        {"name": "end", "script": ['echo "> ${broken.status} ${waiting.status} ${after.status}"']},
    ]
    arcs = [["broken"], ["waiting", "after"]]
    pipeline = {"stages": stages, "execution": arcs, "finally": ["end"], "fail_fast": True}
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": pipeline}})})
    text = compiled(SCRIPTED, checkout, {})

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", nodes=[jenkins_harness.Node(executors=1)])

    assert "\n> failed skipped skipped\n" in build.log
    assert build.result == "FAILURE", build.log


@pytest.mark.parametrize("name", ["declarative", "scripted"])
@pytest.mark.parametrize("end", ["true", "false"])
def test_finally_stages_run_in_the_shared_workspace(
    containers: Containers, tmp_path: Path, name: str, end: str
) -> None:
    """With the files of the stages before, and before the folder of the stages is removed."""
    pipeline: dict[str, object] = {
        "workspace": "shared",
        "stages": [
            {"name": "build", "script": ["echo 1 >left", "printf 1.2 >$PIPEGEN_OUTPUTS/v"], "outputs": ["v"]},
            {"name": "test", "script": [end]},
            noting("report", "pipeline.status", "build.v|none"),
            {"name": "files", "script": ['cat left >"$RECORDS/files"']},
        ],
        "execution": [["build", "test"]],
        "finally": ["report", "files"],
    }

    done, records = run(name, containers, tmp_path, pipeline)

    result = "success" if end == "true" else "failed"
    assert done.outcomes == {"build": "success", "test": result, "report": "success", "files": "success"}, done.log
    assert (records / "report").read_text("utf-8") == f"{result} 1.2 "
    assert (records / "files").read_text("utf-8") == "1\n"
    assert min(done.times[stage][0] for stage in ("report", "files")) >= done.times["test"][1]


@pytest.mark.parametrize("name", ["declarative", "scripted"])
@pytest.mark.parametrize("is_run", [True, False])
def test_finally_stages_follow_the_condition_of_their_pipeline(
    containers: Containers, tmp_path: Path, name: str, *, is_run: bool
) -> None:
    """They test it together with the result."""
    condition: dict[str, object] = {"branch": "other"}
    pipeline: dict[str, object] = {
        "when": {"not": condition} if is_run else condition,
        "stages": [
            {"name": "broken", "script": ["false"]},
            noting("report", "pipeline.status"),
            {"name": "announce", "script": ["true"]},
        ],
        "finally": {"always": ["report"], "success": ["announce"]},
    }

    done, records = run(name, containers, tmp_path, pipeline)

    outcomes = {stage: outcome for stage, outcome in done.outcomes.items() if outcome != "skipped"}
    assert outcomes == ({"broken": "failed", "report": "success"} if is_run else {}), done.log
    assert (records / "report").exists() is is_run


def test_finally_stages_wait_only_for_their_own_pipeline(containers: Containers, tmp_path: Path) -> None:
    """They read the status of that pipeline."""
    short = {
        "stages": [{"name": "broken", "script": ["false"]}, noting("one", "pipeline.status", "broken.status")],
        "finally": ["one"],
        "fail_fast": True,
    }
    long = {
        "stages": [{"name": "long", "script": ["sleep 3"]}, noting("two", "pipeline.status", "long.status")],
        "finally": ["two"],
        "workspace": "shared",
    }
    text = yaml_text({"pipelines": {"short": short, "long": long}})

    done, records = executed(ENGINES["scripted"], containers, tmp_path, text, {})

    assert done.outcomes == {
        "short: broken": "failed",
        "short: one": "success",
        "long: long": "success",
        "long: two": "success",
    }, done.log
    assert (records / "one").read_text("utf-8") == "failed failed "
    assert (records / "two").read_text("utf-8") == "success success "
    assert done.times["short: one"][1] < done.times["long: long"][1]
