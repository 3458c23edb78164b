"""`when` has the same result on all engines, and stages after a skipped one keep their order and values."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from engines import gitlab_local, jenkins_harness
from engines.conftest import GIT_ENVIRONMENT
from engines.proof.execution import CONFIG, DECLARATIVE, GITLAB_LOCAL, SCRIPTED, Engine, compiled
from engines.requirement import require
from plan.simulated_runs import Run, holds, runs, whens

pytestmark = pytest.mark.xdist_group("conditions")

MakeRepository = Callable[[Mapping[str, str | bytes]], Path]
ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE}
_CAUSES = {
    "push": "jenkins.branch.BranchEventCause",
    "merge_request": "hudson.model.Cause$UserIdCause",
    "tag": "jenkins.branch.BranchEventCause",
    "schedule": "hudson.triggers.TimerTrigger$TimerTriggerCause",
    "manual": "hudson.model.Cause$UserIdCause",
    "api": "hudson.model.Cause$RemoteCause",
}
_SOURCES = {"merge_request": "merge_request_event", "tag": "push", "manual": "web"}


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run: the stages that ran, their times, and their notes."""

    ran: frozenset[str]
    times: Mapping[str, tuple[float, float]]
    notes: Mapping[str, str]
    log: str


def executed(
    engine: Engine, repository: Path, folder: Path, run: Run, *, pipeline: str = "", previous: str = ""
) -> RunResult:
    """Return the outcome of the config in *repository* on *engine* for *run*."""
    require((gitlab_local if engine.target == "gitlab" else jenkins_harness).available())
    notes = folder / "notes"
    notes.mkdir(parents=True)
    text = compiled(engine, repository, {})
    make = _on_gitlab if engine.target == "gitlab" else _on_jenkins
    ran, times, log = make(text, repository, folder, run, notes, pipeline, previous)
    return RunResult(ran, times, {path.name: path.read_text("utf-8") for path in notes.iterdir()}, log)


_Result = tuple[frozenset[str], Mapping[str, tuple[float, float]], str]


def _on_gitlab(
    text: str, repository: Path, folder: Path, run: Run, notes: Path, pipeline: str, previous: str
) -> _Result:
    del previous
    variables: dict[str, str | None] = {
        "CI_PIPELINE_SOURCE": _SOURCES.get(run.event, run.event),
        "CI_COMMIT_BRANCH": run.branch or None,
        "CI_COMMIT_TAG": run.tag or None,
        "CI_OPEN_MERGE_REQUESTS": None,
        **run.variables,
    }
    if pipeline:
        variables["PIPEGEN_PIPELINE"] = pipeline
    (folder / "gitlab").mkdir()
    result = gitlab_local.run(
        repository, text, workdir=folder / "gitlab", variables=variables, env={"RECORDS": str(notes)}
    )
    ran = [job for job in result.jobs if job.result is gitlab_local.Result.SUCCESS]
    times = {job.name: (job.started or 0, job.ended or 0) for job in ran}
    return frozenset(times), times, result.output


def _on_jenkins(
    text: str, repository: Path, folder: Path, run: Run, notes: Path, pipeline: str, previous: str
) -> _Result:
    is_request = run.event == "merge_request"
    own = {"CHANGE_ID": "7", "CHANGE_TARGET": "main"} if is_request else {}
    own |= {"TAG_NAME": run.tag} if run.tag else {}
    options = jenkins_harness.Options(
        env={**own, **run.variables, "BRANCH_NAME": "PR-7" if is_request else run.branch or run.tag},
        agent_env={**os.environ, "RECORDS": str(notes)},
        params={"PIPEGEN_PIPELINE": pipeline},
        causes=[_CAUSES[run.event]],
        branch=run.branch or "main",
    )
    if is_request:
        options["branch"] = "topic"
    if previous:
        options["previous"] = previous
    build = jenkins_harness.run(text, repository, workdir=folder / "jenkins", **options)
    assert build.result == "SUCCESS", build.log
    around = {name for stage in build.stages for name in stage.parents}
    ran = [stage for stage in build.stages if stage.status == "success" and stage.name not in around]
    times = {stage.name: (stage.start / 1000, stage.end / 1000) for stage in ran}
    return frozenset(times), times, build.log


ORDERED = {
    "pipelines": {
        "service": {
            "stages": [
                {"name": "a", "script": ["sleep 1", "echo made >made"], "artifacts": ["made"]},
                {
                    "name": "b",
                    "when": {"branch": "main"},
                    "script": ["echo 1.2 >version", "cp made copied"],
                    "outputs": {"version": {"file": "version"}, "line": {"command": "cat version"}},
                    "artifacts": ["copied"],
                },
                {
                    "name": "c",
                    "script": [
                        'printf %s "${b.version|no}:${b.line|it\'s none}:$(cat made)" >"$RECORDS/c"',
                        '[ ! -e copied ] || echo copied >"$RECORDS/files"',
                    ],
                },
                {"name": "d", "when": {"branch": ["main"]}, "script": ['printf %s "${b.line}" >"$RECORDS/d"']},
            ],
            "execution": [["a", "b", "c"], ["b", "d"]],
        }
    }
}


@pytest.mark.parametrize("name", ENGINES)
def test_values_of_a_skipped_stage_have_their_defaults(name: str, repository: MakeRepository, tmp_path: Path) -> None:
    """A later stage still runs after the predecessors of the skipped one; files are treated alike."""
    path = repository({CONFIG: json.dumps(ORDERED)})
    subprocess.run(("git", "-C", str(path), "branch", "dev"), check=True)
    main = executed(ENGINES[name], path, tmp_path / "main", Run(event="push", branch="main"))
    dev = executed(ENGINES[name], path, tmp_path / "dev", Run(event="push", branch="dev"))

    assert main.ran == {"a", "b", "c", "d"}, main.log
    assert main.notes == {"c": "1.2\n:1.2:made", "d": "1.2", "files": "copied\n"}
    assert dev.ran == {"a", "c"}, dev.log
    assert dev.notes == {"c": "no:it's none:made"}
    assert main.times["a"][1] <= main.times["b"][0] <= main.times["b"][1] <= main.times["c"][0]
    assert dev.times["a"][1] <= dev.times["c"][0]


_NAMES = ("event", "changeRequest", "sourceBranch", "targetBranch", "actor", "shortCommit", "run")
VALUES = {
    "pipelines": {
        "p": {
            "stages": [
                {
                    "name": "a",
                    "script": [f'printf %s "${{setup.{name}}}" >"$RECORDS/{name}"' for name in _NAMES],
                }
            ]
        }
    }
}
_REQUEST = {
    "gitlab": {
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "it's",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "GITLAB_USER_LOGIN": "jo",
    },
    "jenkins": {"CHANGE_BRANCH": "it's"},
}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("event", ["merge_request", "manual", "schedule", "push", "tag", "api"])
def test_setup_values_describe_the_event_of_a_run(
    name: str, event: str, repository: MakeRepository, tmp_path: Path
) -> None:
    """The event, the change request with its branches, a person, and numbers."""
    path = repository({CONFIG: json.dumps(VALUES)})
    for kind in ("branch topic", "tag v1"):
        subprocess.run(("git", "-C", str(path), *kind.split()), check=True)
    commit = subprocess.run(
        ("git", "-C", str(path), "rev-parse", "HEAD"), check=True, capture_output=True, text=True
    ).stdout
    is_request, target = event == "merge_request", ENGINES[name].target
    variables = _REQUEST[target] if is_request else {"GITLAB_USER_LOGIN": "jo"}
    where = {"tag": "v1"} if event == "tag" else {} if is_request else {"branch": "main"}
    came = executed(ENGINES[name], path, tmp_path / "run", Run(event=event, variables=variables, **where))

    assert came.notes["run"].isdigit(), came.log
    assert {key: value for key, value in came.notes.items() if key != "run"} == {
        "event": event,
        "changeRequest": "7" if is_request else "",
        "sourceBranch": "it's" if is_request else "",
        "targetBranch": "main" if is_request else "",
        "actor": "jo" if target == "gitlab" or event in ("manual", "merge_request") else "",
        "shortCommit": commit[:8],
    }


LET_GO = {
    "pipelines": {
        "p": {
            "stages": [
                {
                    "name": "a",
                    "allow_failure": True,
                    "script": ["echo 1 >one", "exit 3"],
                    "outputs": {"one": {"file": "one"}},
                    "artifacts": ["one"],
                },
                {"name": "b", "script": ['printf %s "${a.one|none}" >"$RECORDS/b"', "test ! -e one"]},
            ]
        }
    }
}


@pytest.mark.parametrize("name", ENGINES)
def test_an_allowed_failure_leaves_no_values_or_files(name: str, repository: MakeRepository, tmp_path: Path) -> None:
    """The default replaces its value."""
    path = repository({CONFIG: json.dumps(LET_GO)})
    came = executed(ENGINES[name], path, tmp_path / "run", Run(event="push", branch="main"))

    assert "b" in came.ran, came.log
    assert came.notes == {"b": "none"}


TWO = {
    "pipelines": {
        "test": {"stages": [{"name": "unit", "script": ["echo unit"]}], "when": {"event": ["push", "merge_request"]}},
        "publish": {
            "when": {"any": [{"tag": "v*"}, {"branch": "main", "event": "push"}]},
            "stages": [
                {"name": "release", "script": ["echo release"]},
                {"name": "tell", "when": {"env": {"TELL": True}}, "script": ["echo tell"]},
            ],
        },
    }
}
UNIT, RELEASE, TELL = "test: unit", "publish: release", "publish: tell"


@pytest.mark.parametrize(
    ("name", "run", "selected", "ran"),
    [
        *((name, Run(event="merge_request"), "", {UNIT}) for name in ENGINES),
        *((name, Run(event="merge_request"), "publish", {RELEASE}) for name in ENGINES),
        ("scripted", Run(event="tag", tag="v1", variables={"TELL": "1"}), "", {RELEASE, TELL}),
    ],
    ids=lambda value: "-".join(sorted(value)) if isinstance(value, set) else "" if isinstance(value, Run) else value,
)
def test_pipelines_run_on_their_conditions_or_by_name(
    name: str, run: Run, selected: str, ran: set[str], repository: MakeRepository, tmp_path: Path
) -> None:
    """If named, exactly that pipeline runs, regardless of its condition."""
    path = repository({CONFIG: json.dumps(TWO)})
    for kind in ("branch topic", "tag v1"):
        subprocess.run(("git", "-C", str(path), *kind.split()), check=True)

    assert executed(ENGINES[name], path, tmp_path / "run", run, pipeline=selected).ran == ran


@pytest.mark.parametrize("name", ENGINES)
def test_a_single_pipeline_runs_on_its_condition(name: str, repository: MakeRepository, tmp_path: Path) -> None:
    """No variable names it."""
    stages = [{"name": "a", "script": ["true"]}, {"name": "b", "script": ["true"], "when": {"event": "push"}}]
    path = repository({CONFIG: json.dumps({"pipelines": {"p": {"when": {"branch": "main"}, "stages": stages}}})})
    subprocess.run(("git", "-C", str(path), "branch", "dev"), check=True)
    dev = Run(event="push", branch="dev")

    assert executed(ENGINES[name], path, tmp_path / "main", Run(event="push", branch="main")).ran == {"a", "b"}
    # gitlab-ci-local does not evaluate the rules of the whole pipeline.
    if name != "gitlab":
        assert executed(ENGINES[name], path, tmp_path / "dev", dev).ran == set()


FILES = {
    "pipelines": {
        "service": {
            "stages": [
                {"name": "src", "when": {"changes": "src/**"}, "script": ["true"]},
                {"name": "docs", "when": {"changes": ["docs/**", "*.md"]}, "script": ["true"]},
                {"name": "no docs", "when": {"not": {"changes": "docs/**"}}, "script": ["true"]},
                {"name": "base", "when": {"changes": {"paths": ["docs/**"], "base": "main"}}, "script": ["true"]},
                {"name": "same", "when": {"changes": {"paths": ["README.md"], "base": "main"}}, "script": ["true"]},
                {"name": "there", "when": {"exists": ["none", "src/*/ö *"]}, "script": ["true"]},
                {"name": "missing", "when": {"exists": "src/*"}, "script": ["true"]},
            ],
            "execution": [["src"], ["docs"], ["no docs"], ["base"], ["same"], ["there"], ["missing"]],
        }
    }
}


def history(repository: MakeRepository, config: Mapping[str, object] = FILES) -> tuple[Path, str]:
    """Return a repository with *config* and a commit on branch `topic`, which changed `docs` before and `src` since."""
    path = repository({CONFIG: json.dumps(config), "src/deep/ö x": "1", "docs/a": "1"})

    def git(*arguments: str) -> str:
        command = ("git", "-C", str(path), *arguments)
        return subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, **GIT_ENVIRONMENT}
        ).stdout.strip()

    git("checkout", "-q", "-b", "topic")
    (path / "docs/a").write_text("2")
    git("commit", "-q", "-a", "-m", "docs")
    before = git("rev-parse", "HEAD")
    (path / "src/deep/ö x").write_text("2")
    git("commit", "-q", "-a", "-m", "src")
    git("checkout", "-q", "main")
    (path / "README.md").write_text("new")
    git("add", "README.md")
    git("commit", "-q", "-m", "readme")
    return path, before


@pytest.mark.parametrize(
    ("style", "run", "has_previous", "ran"),
    [
        ("scripted", Run(event="push", branch="topic"), True, {"src", "no docs", "base", "there"}),
        ("scripted", Run(event="push", branch="topic"), False, {"src", "docs", "base", "there"}),
        ("scripted", Run(event="schedule", branch="topic"), True, {"src", "docs", "base", "there"}),
        ("declarative", Run(event="merge_request"), True, {"src", "docs", "base", "there"}),
    ],
    ids=("push", "first push", "schedule", "request"),
)
def test_jenkins_compares_files(
    style: str, run: Run, *, has_previous: bool, ran: set[str], repository: MakeRepository, tmp_path: Path
) -> None:
    """With the previous build, the target, or a branch; without any of them, all files count as changed."""
    path, before = history(repository)
    came = executed(ENGINES[style], path, tmp_path / "run", run, previous=before if has_previous else "")

    assert came.ran == ran, came.log


STARTS = {
    "pipelines": {
        "service": {
            "stages": [
                {
                    "name": "src",
                    "script": ["true"],
                    "approve": {"optional": True, "when": {"not": {"changes": "src/**"}}},
                },
                {
                    "name": "docs",
                    "script": ["true"],
                    "approve": {"optional": True, "when": {"not": {"changes": "docs/*"}}},
                },
                {"name": "last", "script": ["true"]},
            ],
        }
    }
}


@pytest.mark.parametrize("style", ["scripted", "declarative"])
@pytest.mark.parametrize(("has_previous", "asked"), [(True, ("Run stage docs?",)), (False, ())])
def test_jenkins_asks_about_stages_whose_files_have_not_changed(
    style: str, *, has_previous: bool, asked: tuple[str, ...], repository: MakeRepository, tmp_path: Path
) -> None:
    """Nobody agrees, and the build goes on; in the first build of a branch, all files count as changed."""
    require(jenkins_harness.available())
    path, before = history(repository, STARTS)
    options = jenkins_harness.Options(
        branch="topic", env={"BRANCH_NAME": "topic"}, causes=[_CAUSES["push"]], approve=False
    )
    options |= {"previous": before} if has_previous else {}
    build = jenkins_harness.run(compiled(ENGINES[style], path, {}), path, workdir=tmp_path / "run", **options)
    ran = {stage.name for stage in build.stages if stage.status == "success"}

    assert (build.result, tuple(build.inputs), ran) == (
        "SUCCESS",
        asked,
        {"src", "last"} if asked else {"src", "docs", "last"},
    ), build.log


@pytest.mark.parametrize("manual", [("src",), ()])
def test_gitlab_starts_stages_by_hand_whose_files_have_not_changed(
    manual: tuple[str, ...], repository: MakeRepository, tmp_path: Path
) -> None:
    """The branch that is checked out is the one that gitlab-ci-local compares with, so no file has changed."""
    require(gitlab_local.available())
    path, _ = history(repository, STARTS)
    text = compiled(GITLAB_LOCAL, path, {})
    result = gitlab_local.run(
        path,
        text,
        workdir=tmp_path,
        variables={"CI_PIPELINE_SOURCE": "merge_request_event", "CI_OPEN_MERGE_REQUESTS": None},
        manual=manual,
    )

    assert {job.name for job in result.jobs if job.result is gitlab_local.Result.SUCCESS} == {*manual, "last"}


def test_jenkins_finds_the_base_in_the_first_build_of_a_plain_job(repository: MakeRepository, tmp_path: Path) -> None:
    """The agent has no clone yet, and the first clone fetches other branches only if configured."""
    require(jenkins_harness.available())
    path, _ = history(repository)
    text = compiled(SCRIPTED, path, {})
    build = jenkins_harness.run(text, path, workdir=tmp_path / "run", branch="topic")

    assert build.result == "SUCCESS", build.log
    assert {stage.name for stage in build.stages if stage.status == "success"} == {"src", "docs", "base", "there"}


def test_gitlab_compares_files_with_the_default_branch(repository: MakeRepository, tmp_path: Path) -> None:
    """Here it is the branch that is checked out, so no file has changed."""
    path, _ = history(repository)
    came = executed(GITLAB_LOCAL, path, tmp_path / "run", Run(event="merge_request"))

    assert came.ran == {"no docs", "there"}, came.log


@pytest.mark.parametrize(("event", "seed"), [("push", 3), ("schedule", 5)])
def test_gitlab_local_agrees_with_random_conditions(
    event: str, seed: int, repository: MakeRepository, tmp_path: Path
) -> None:
    """Conditions on changed files are excluded, since there are none here, as are unset variables.

    gitlab-ci-local fails on several patterns for an unset variable.
    """
    entries = [when for when in whens(seed, 80) if not {"changes", "tag"} & set(re.findall(r"\w+", json.dumps(when)))][
        :10
    ]
    run = Run(
        event=event,
        branch="release/1.0",
        variables={"LEVEL": "x/y", "MODE": ""},
        files=("README.md", "src/deep/b.py", "$HOME/x", CONFIG),
    )
    stages = [{"name": f"s{number}", "script": ["true"], "when": when} for number, when in enumerate(entries)]
    execution = [[stage["name"]] for stage in stages]
    config = json.dumps({"pipelines": {"p": {"stages": stages, "execution": execution}}})
    path = repository({**dict.fromkeys(run.files, "x"), CONFIG: config})
    came = executed(GITLAB_LOCAL, path, tmp_path / "run", run)

    assert came.ran == {stage["name"] for stage, when in zip(stages, entries, strict=True) if holds(when, run)}, (
        came.log
    )


def test_groovy_agrees_with_random_conditions(repository: MakeRepository, tmp_path: Path) -> None:
    """Random conditions over random runs in one build, with the state of each run inserted."""
    require(jenkins_harness.available())
    entries, simulated = whens(23, 60), runs(29, 60)
    stages = [{"name": f"s{number}", "script": ["true"], "when": when} for number, when in enumerate(entries)]
    execution = [[stage["name"]] for stage in stages]
    config = {"pipelines": {"p": {"stages": stages, "execution": execution}}}
    path = repository({CONFIG: json.dumps(config), "runs": "".join(map(_state, simulated))})
    build = jenkins_harness.run(_asking(compiled(SCRIPTED, path, {})), path, workdir=tmp_path / "build", params={})

    assert build.result == "SUCCESS", build.log
    texts = [line.removeprefix("SAYS ") for line in build.log.splitlines() if line.startswith("SAYS ")]
    expected = ["".join("01"[holds(when, run)] for when in entries) for run in simulated]
    wrong = [
        (when, run)
        for run, line, right in zip(simulated, texts, expected, strict=True)
        for when, text, other in zip(entries, line, right, strict=True)
        if text != other
    ]
    assert wrong == []


def _state(run: Run) -> str:
    """Return *run* as a line of fields."""
    is_compared = run.event in ("push", "merge_request") and run.changed is not None
    fields = [
        run.branch,
        run.tag,
        "7" if run.event == "merge_request" else "",
        _CAUSES[run.event],
        "|".join(run.files),
        "|".join(run.changed or ()) if is_compared else "/",
        "|".join(run.since_base),
        run.variables.get("LEVEL", "\\"),
        run.variables.get("MODE", "\\"),
    ]
    return ";".join(fields) + "\n"


def _asking(text: str) -> str:
    """Return the Jenkinsfile *text*, changed to evaluate its conditions for each line of `runs` and run no stages."""
    # A closure would read `currentBuild` of the harness, and not a field of that name. `env` cannot unset variables.
    text = text.replace("currentBuild.", "simulatedBuild.").replace("env.getProperty(", "simulatedVariables.get(")
    text = re.sub(r"\benv\.", "simulatedVariables.", text)
    head, _, functions = text.partition("runStages(stagesReady())\n")
    start, _, rest = head.partition("// Lists the files that conditions need")
    stages = rest[rest.index("addStage") :]
    return (
        f"{start}\n@Field Map simulatedBuild = [:]\n@Field Map simulatedVariables = [:]\n{stages}\n"
        "String simulated = node { checkout(scm); readFile('runs') }\n"
        "for (String line : simulated.readLines()) {\n"
        "    List fields = line.split(';', -1).toList()\n"
        "    ['BRANCH_NAME', 'TAG_NAME', 'CHANGE_ID'].eachWithIndex { name, place ->\n"
        "        simulatedVariables[name] = fields[place] ?: null\n"
        "    }\n"
        "    String cause = fields[3]\n"
        "    simulatedBuild = [getBuildCauses: { kind -> kind in [null, cause] ? [[_class: cause]] : [] }]\n"
        "    files = fields[4].replace('|', '\\0')\n"
        "    changed = ['': fields[5].replace('|', '\\0'), trunk: fields[6].replace('|', '\\0')]\n"
        "    ['LEVEL', 'MODE'].eachWithIndex { name, place ->\n"
        "        simulatedVariables[name] = fields[7 + place] == '\\\\' ? null : fields[7 + place]\n"
        "    }\n"
        "    String said = ''\n"
        "    for (options in stages.values()) { said += options.when == null || options.when.call() ? '1' : '0' }\n"
        '    echo "SAYS ${said}"\n'
        "}\n\n"
        f"{functions}"
    )
