"""Stages as tables behave like stages as code, for files of any size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.jenkins_harness import Build, SecretText, UsernamePassword
from engines.proof import worlds
from engines.proof.yaml_text import yaml_text
from engines.requirement import require
from engines.sized import Built, as_tables, built, light, many, realistic

from pipegen.targets.jenkins import model

pytestmark = pytest.mark.xdist_group("tables")

_KEEP = 'printf %s {word} >"$RECORDS/{name}"'
_ODD = 'it\'s "odd": ${x} \\n, ü|+\ta line\nbreak'
_HOSTILE = "'''\"\"\" $HOME `id` \\ \\n |\n+two\n\n  three  \n:four\nstage five\n\r\x1b[31mü🎉\n"
_CONFIG = {
    "inputs": {"level": {"default": "it's full"}},
    "pipelines": {
        "p": {
            "stages": [
                {"name": _ODD, "script": ["true"]},
                {
                    "name": "give",
                    "script": ["mkdir dist; echo made >dist/file"],
                    "outputs": {"given": {"file": "hostile"}, "printed": {"command": "cat hostile"}},
                    "artifacts": ["dist/"],
                    "retry": 1,
                    "timeout": 60,
                },
                {
                    "name": "twice",
                    "script": ['printf x >>"$RECORDS/tries"; [ "$(cat "$RECORDS/tries")" = xx ]'],
                    "retry": {"count": 2, "on": "script"},
                },
                {"name": "lint", "script": ["exit 3"], "allow_failure": {"exit_codes": [2, 3]}},
                {
                    "name": "read",
                    "image": "example/read:1",
                    "env": {"LEVEL": "${inputs.level}"},
                    "secrets": {"TOKEN": "token", "LOGIN": {"password": "login"}},
                    "script": [
                        _KEEP.format(name="given", word='"${give.given}"'),
                        _KEEP.format(name="secrets", word='"$TOKEN $LOGIN_USERNAME $LOGIN_PASSWORD $LEVEL"'),
                        'cp dist/file "$RECORDS/file"',
                        'printf \'<testsuite name="s"><testcase name="a"/></testsuite>\' >tests.xml',
                    ],
                    "after": ['echo over >"$RECORDS/after"'],
                    "reports": {"junit": "tests.xml"},
                    "agent": ["linux"],
                },
                {"name": "never", "when": {"branch": ["release-*", "it's"]}, "script": ["false"]},
                {"name": "main", "when": {"any": [{"branch": "main"}, {"tag": "v*"}]}, "script": ["true"]},
                {"name": "asked", "approve": 'Is it\'s "done"?', "lock": ["one", "it's two"], "script": ["true"]},
                {
                    "name": "told",
                    "script": ["exit 1"],
                    "notify": {"email": {"to": ["a@example.org"], "subject": "it's ${setup.pipeline}"}},
                },
                {"name": "skipped", "script": ["true"]},
                {
                    "name": "start",
                    "trigger": {"name": "other/job", "parameters": {"TEXT": _HOSTILE, "LEVEL": "${inputs.level}"}},
                },
                {
                    "name": "report",
                    "script": [_KEEP.format(name="statuses", word='"${told.status} ${read.status} ${never.status}"')],
                },
            ],
            "execution": [
                [_ODD, "give", ["twice", "lint", "read"], "asked"],
                [_ODD, ["never", "main"], "start"],
                [_ODD, "told", "skipped"],
            ],
            "finally": ["report"],
        }
    },
}


@dataclass(frozen=True, slots=True)
class Ran:
    """A build, and the notes of its stages."""

    build: Build
    notes: Mapping[str, str]


def run(text: str, folder: Path, **options: object) -> Ran:
    """Return the build of a Jenkinsfile, in a repository with the hostile text."""
    records = folder / "notes"
    records.mkdir(parents=True)
    repository = worlds.repository(folder / "repository", files={"hostile": _HOSTILE})
    build = jenkins_harness.run(
        text,
        repository,
        workdir=folder / "build",
        env={"RECORDS": str(records), "BRANCH_NAME": "main"},
        credentials={
            **{f"token-{number}": SecretText("another") for number in range(4)},
            "token": SecretText("a secret"),
            "login": UsernamePassword("me", "my word"),
        },
        remote="https://git.example.org/group/project.git",
        nodes=(jenkins_harness.Node(labels=("linux",)),),
        **options,  # type: ignore[arg-type]
    )
    return Ran(build, {path.name: path.read_bytes().decode() for path in records.iterdir()})


def order(pipeline_build: Built) -> list[tuple[str, str]]:
    """Return the direct predecessors of each stage."""
    return [(earlier, stage.name) for stage in pipeline_build.file.stages for earlier in stage.after]


def in_order(build: Build, arcs: list[tuple[str, str]]) -> bool:
    """Return whether the earlier stage of each of *arcs* ends before the later one starts."""
    at = {(event.kind, event.stage.name): number for number, event in enumerate(build.events)}
    both = [(at.get(("end", earlier)), at.get(("start", later))) for earlier, later in arcs]
    return all(end < start for end, start in both if end is not None and start is not None)


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Ran]:
    """Return the builds of one config in both forms."""
    require(jenkins_harness.available())
    config = yaml_text(_CONFIG)
    texts = {"code": built(config, "scripted").text, "tables": as_tables(config, pytest.MonkeyPatch()).text}
    folder = tmp_path_factory.mktemp("tables")
    return {form: run(text, folder / form) for form, text in texts.items()}


def test_tables_and_code_give_the_same_build(forms: Mapping[str, Ran]) -> None:
    """Outcomes, values, files, mails, jobs, images, questions and reports."""
    code, tables = forms["code"].build, forms["tables"].build

    assert {stage.name: stage.status for stage in tables.stages} == {stage.name: stage.status for stage in code.stages}
    assert {stage.name: stage.node for stage in tables.stages} == {stage.name: stage.node for stage in code.stages}
    assert forms["tables"].notes == forms["code"].notes
    for what in ("result", "mails", "builds", "inputs", "containers", "reports", "stashes"):
        assert getattr(tables, what) == getattr(code, what), what
    assert tables.archived.keys() == code.archived.keys()


def test_values_in_tables_arrive_unchanged(forms: Mapping[str, Ran]) -> None:
    """With any characters, including those that tables use."""
    notes, build = forms["tables"].notes, forms["tables"].build

    assert notes["given"] == _HOSTILE
    assert notes["secrets"] == "a secret me my word it's full"
    assert (notes["file"], notes["after"], notes["tries"]) == ("made\n", "over\n", "xx")
    assert notes["statuses"] == "failed success skipped"
    assert [dict(started_build.parameters) for started_build in build.builds] == [
        {"TEXT": _HOSTILE, "LEVEL": "it's full"}
    ]
    assert [mail["subject"] for mail in build.mails] == ["it's p"]
    assert build.inputs == ('Is it\'s "done"?',)


def test_outcomes_agree_with_the_graph(forms: Mapping[str, Ran]) -> None:
    """A failure ends its own branch; a stage with a false condition is skipped."""
    values = {stage.name: stage.status for stage in forms["tables"].build.stages}

    assert {name for name, status in values.items() if status == "success"} == {
        *(_ODD, "give", "twice", "read", "main", "asked", "start", "report")
    }
    assert (values["lint"], values["told"]) == ("unstable", "failed")
    assert {name for name, status in values.items() if status == "skipped"} == {"never"}


@pytest.mark.parametrize("count", [50, 100, 300])
def test_simple_stages_in_functions_run_in_order(count: int, tmp_path: Path) -> None:
    """As many as fit into functions."""
    require(jenkins_harness.available())
    pipeline_build = built(light(count))
    assert isinstance(pipeline_build.file.body, model.ScriptedPipelines)
    assert pipeline_build.file.body.tables is None

    build = run(pipeline_build.text, tmp_path).build

    assert [stage.status for stage in build.stages] == ["success"] * count
    assert in_order(build, order(pipeline_build))


def test_inputs_and_pipelines_in_functions_behave_like_inline_code(tmp_path: Path) -> None:
    """Many inputs are parameters and variables, and many pipelines run."""
    require(jenkins_harness.available())
    pipeline_build = built(many(inputs=60, pipelines=30, stages=1))
    assert pipeline_build.file.setters
    assert pipeline_build.file.parameter_lists

    build = run(pipeline_build.text, tmp_path).build

    assert [stage.status for stage in build.stages] == ["success"] * 90
    assert len(build.parameters) == 61
    assert build.parameters["given_59"] == "value 59"
    assert "value 0 value 1 value 2 " in build.log
    assert " value 58 value 59\n" in build.log


@pytest.mark.parametrize("count", [50, 150])
def test_realistic_stages_run_in_order(count: int, tmp_path: Path) -> None:
    """In functions, and in tables."""
    require(jenkins_harness.available())
    pipeline_build = built(realistic(count).replace("make step", "echo step").replace("cat VERSION-", "echo "))
    assert isinstance(pipeline_build.file.body, model.ScriptedPipelines)
    assert (pipeline_build.file.body.tables is not None) == (count > 100)

    build = run(pipeline_build.text, tmp_path, seconds=240).build

    assert {stage.status for stage in build.stages} == {"success"}
    assert len(build.stages) == count
    assert in_order(build, order(pipeline_build))
