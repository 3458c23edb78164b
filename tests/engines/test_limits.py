"""Retries, timeouts and allowed failures have the same result on all engines that support them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.containers import Containers
from engines.proof.execution import CONFIG, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require
from engines.test_scripts import ENGINES, executed

pytestmark = pytest.mark.xdist_group("limits")

# Records an attempt, and whether the checkout was clean; fails until the third attempt.
_TRY = """\
printf x >>"$RECORDS/{stage}"
if [ -e left ]; then echo dirty >"$RECORDS/dirty"; fi
touch left
test -f given
[ "$(cat "$RECORDS/{stage}")" = {enough} ]
"""
# A shell that exits with 0 after a stop signal.
_SLOW = """\
printf x >>"$RECORDS/{stage}"
set +e
trap 'exit 0' TERM
n=0
while [ "$n" -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
"""


def tried(stage: str, enough: str, **keys: object) -> dict[str, object]:
    """Return a stage that succeeds after *enough* attempts."""
    return {"name": stage, "script": [_TRY.format(stage=stage, enough=enough)], **keys}


def slow(stage: str, **keys: object) -> dict[str, object]:
    """Return a stage with a timeout of two seconds that takes longer."""
    return {"name": stage, "script": [_SLOW.format(stage=stage)], "timeout": 2, **keys}


TRIED = [
    {"name": "give", "script": ["touch given"], "artifacts": ["given"]},
    tried("thrice", "xxx", retry=2),
    tried("script", "xxx", retry={"count": 2, "on": "script"}),
    tried("system", "xxx", retry={"count": 2, "on": "system"}),
    tried("too-often", "xxx", retry=1),
    slow("slow"),
    slow("slower", retry={"count": 1, "on": "timeout"}),
    slow("slowest", retry={"count": 2, "on": "script"}),
    {"name": "last", "script": ["true"]},
]
_TRIES = {"thrice": 3, "script": 3, "system": 1, "too-often": 2, "slow": 1, "slower": 2, "slowest": 1}


@pytest.mark.parametrize("name", ["scripted", "declarative", "here"])
def test_a_pipeline_that_takes_too_long_is_stopped(containers: Containers, tmp_path: Path, name: str) -> None:
    """Its running stages fail, the next one does not start, and finally stages run."""
    noted = {stage: {"name": stage, "script": [f'echo >"$RECORDS/{stage}"']} for stage in ("first", "next", "end")}
    endless = [{"name": name, "script": ["sleep 300"]} for name in ("endless", "beside")]
    stages = [noted["first"], *endless, noted["next"], noted["end"]]
    execution = [["first", ["endless", "beside"], "next"]]
    pipeline = {"timeout": "4 s", "stages": stages, "finally": ["end"], "execution": execution}

    done, records = executed(ENGINES[name], containers, tmp_path, yaml_text({"pipelines": {"p": pipeline}}), {})

    stopped = "failed" if name == "here" else "aborted"
    results = [done.outcomes[name] for name in ("first", "endless", "beside")]
    assert results == ["success", stopped, stopped], done.log
    assert {path.name for path in records.iterdir()} == {"first", "end"}


@pytest.mark.parametrize("result", ["FAILURE", "UNSTABLE", "ABORTED"])
@pytest.mark.parametrize("style", ["scripted", "declarative"])
def test_a_triggered_job_may_fail(
    style: str, result: str, repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """Its result then does not affect the result of the build."""
    require(jenkins_harness.available())
    trigger = {"name": "other/job", "wait": True, "parameters": {"WORD": "it's"}}
    stages = [
        {"name": "soft", "trigger": trigger, "allow_failure": True},
        {"name": "next", "script": ["true"]},
    ]
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"stages": stages}}})})
    text = compiled(Engine(target="jenkins", style=style), checkout, {})

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", jobs={"other/job": result})

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert (build.result, build.stage("soft").status, build.stage("next").status) == ("SUCCESS", "unstable", "success")
    assert build.builds[0].parameters == {"WORD": "it's"}


@pytest.mark.parametrize("name", ["scripted", "declarative", "here"])
def test_retries_and_timeouts_are_applied(containers: Containers, tmp_path: Path, name: str) -> None:
    """Each attempt starts from a clean checkout; a script that exits with 0 after the timeout fails."""
    arcs = [["give", [*_TRIES]], ["thrice", "last"]]
    text = yaml_text({"pipelines": {"p": {"stages": TRIED, "execution": arcs}}})

    done, records = executed(ENGINES[name], containers, tmp_path, text, {})

    assert done.outcomes["thrice"] == done.outcomes["script"] == "success", done.log
    assert {stage for stage, outcome in done.outcomes.items() if outcome == "failed"} == _TRIES.keys() - {
        "thrice",
        "script",
    }
    assert {stage: len((records / stage).read_text("utf-8")) for stage in _TRIES} == _TRIES
    assert not (records / "dirty").exists()


_SOME = {"allow_failure": {"exit_codes": [2, 7]}, "files_from": []}
ALLOWED: list[dict[str, object]] = [
    {"name": "any", "script": ["touch left; exit 3"], "allow_failure": True, "artifacts": ["left"]},
    {"name": "some", "script": ["true | (exit 7)"], "retry": 1, **_SOME},
    {"name": "fine", "script": ["true"], **_SOME},
    {"name": "other", "script": ["exit 8"], **_SOME},
    {"name": "after", "script": ["if [ -e .pipegen ]; then exit 1; fi; [ ! -e left ]"]},
    {"name": "never", "script": ["true"]},
]


BY_RUN: list[dict[str, object]] = [
    {"name": "any", "script": ["exit 3"], "allow_failure": {"when": {"branch": "main"}}},
    {"name": "some", "script": ["exit 7"], "allow_failure": {"when": {"branch": "main"}, "exit_codes": [7]}},
    {"name": "after", "script": ["true"]},
    {"name": "other", "script": ["exit 3"], "allow_failure": {"when": {"branch": "dev"}}},
    {"name": "code", "script": ["exit 7"], "allow_failure": {"when": {"branch": "dev"}, "exit_codes": [7]}},
    {"name": "asked", "script": ["true"], "approve": {"when": {"branch": "dev"}}},
    {"name": "optional", "script": ["exit 3"], "approve": {"when": {"branch": "dev"}, "optional": True}},
]


@pytest.mark.parametrize("name", ENGINES)
def test_failures_are_allowed_only_in_runs_of_the_condition(containers: Containers, tmp_path: Path, name: str) -> None:
    """The run is on branch main; a stage that needs an approval only on others starts by itself, and counts."""
    arcs = [["any", "some", "after"], ["other"], ["code"], ["asked"], ["optional"]]
    text = yaml_text({"pipelines": {"p": {"stages": BY_RUN, "execution": arcs}}})

    done, _ = executed(ENGINES[name], containers, tmp_path, text, {})

    assert done.outcomes == {
        "any": "unstable",
        "some": "unstable",
        "after": "success",
        "other": "failed",
        "code": "failed",
        "asked": "success",
        "optional": "failed",
    }, done.log


@pytest.mark.parametrize("name", ENGINES)
def test_an_allowed_failure_does_not_stop_successors(containers: Containers, tmp_path: Path, name: str) -> None:
    """If exit codes are listed, only those of the script are allowed."""
    arcs = [["any", "some", "fine", "after"], ["other", "never"]]
    text = yaml_text({"pipelines": {"p": {"stages": ALLOWED, "execution": arcs}}})

    done, _ = executed(ENGINES[name], containers, tmp_path, text, {})

    assert done.outcomes == {
        "any": "unstable",
        "some": "unstable",
        "fine": "success",
        "other": "failed",
        "after": "success",
        # gitlab-ci-local allows any failure of a job with exit codes if other jobs need it.
        "never": "success" if name == "gitlab" else "skipped",
    }, re.sub("\x1b\\[[0-9;]*m", "", done.log)
