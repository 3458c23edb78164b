"""Steps of plugins and libraries run before and after the script of a stage, where the stage runs."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import gitlab_local, jenkins_harness
from engines.gitlab_local import Result
from engines.proof.execution import CONFIG, GITLAB_LOCAL, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

HOSTILE = "it's $HOME \\ \"end\" \n '''"
GROOVY = """\
script {
    def text = '''a
  b // }'''
    for (int i = 0; i < 2; i++) {
        if (env.LEVEL == 'full') { report(text, i) }
    }
}"""
DEFINITIONS = """\
import groovy.json.JsonOutput
said = JsonOutput.toJson([:])
def report(text, int number) {
    acmeBlock(text, env.RUN, number, said)
}"""
STAGES = [
    {
        "name": "build",
        "script": ["echo built >a.txt", "printf '%s\\n' \"1.0 'x' \\$HOME\" >version"],
        "outputs": {"version": {"command": "cat version"}},
        "artifacts": ["a.txt"],
    },
    {
        "name": "check",
        "script": ["echo checked"],
        "outputs": {"seconds": {"command": "echo 5"}},
        "steps": {
            "jenkins": {
                "before": ["acmeLogin"],
                "after": [
                    {"acmeTell": {"to": ["x", HOSTILE], "level": 2}},
                    {
                        "acmeScan": [
                            "v${build.version}",
                            "${.seconds}",
                            "${setup.projectShortName}",
                            "${inputs.who}",
                            "${JOB_NAME}${NOTHING}",
                        ]
                    },
                    {"acmeEnd": None},
                ],
            },
            "elsewhere": "skip",
        },
    },
    {"name": "gate", "steps": {"jenkins": ["acmeGate"], "elsewhere": "skip"}},
    {"name": "keep", "steps": {"jenkins": [{"archiveArtifacts": "a.txt"}], "elsewhere": "skip"}},
    {
        "name": "groovy",
        "env": {"LEVEL": "full", "RUN": "r-${setup.projectShortName}"},
        "steps": {
            "jenkins": [GROOVY],
            "elsewhere": "skip",
        },
    },
    {"name": "broken", "script": ["false"], "steps": {"jenkins": ["acmeNever"], "elsewhere": "skip"}},
]
TEXT = yaml_text(
    {
        "inputs": {"who": "me"},
        "pipelines": {"p": {"execution": [["build", "check", "gate", "keep", "groovy", "broken"]], "stages": STAGES}},
    }
)
NAMES = ("acmeLogin", "acmeTell", "acmeScan", "acmeEnd", "acmeGate", "acmeBlock", "acmeNever")
Repository = Callable[[Mapping[str, str | bytes]], Path]


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_steps_run_where_their_stage_runs(style: str, repository: Repository, tmp_path: Path) -> None:
    """Texts arrive unchanged; a step that only asks a server takes no agent; no step follows a failure."""
    require(jenkins_harness.available())
    checkout = repository({CONFIG: TEXT})
    text = compiled(Engine(target="jenkins", style=style), checkout, {"definitions": DEFINITIONS})

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", plugin_steps=NAMES)

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert build.result == "FAILURE", build.log
    lines = re.findall(r"^(checked$|\[plugin\] .*)$", build.log, re.MULTILINE)
    assert [line.removeprefix("[plugin] ").split()[0] for line in lines] == [
        *("acmeLogin", "checked", "acmeTell", "acmeScan", "acmeEnd", "acmeGate", "acmeBlock", "acmeBlock")
    ]
    assert [line.endswith(" on null") for line in lines if line != "checked"] == [False] * 4 + [True] + [False] * 2
    assert json.loads(lines[2][len("[plugin] acmeTell ") : lines[2].rindex(" on ")]) == [
        {"to": ["x", HOSTILE], "level": 2}
    ]
    assert json.loads(lines[3][len("[plugin] acmeScan ") : lines[3].rindex(" on ")]) == [
        ["v1.0 'x' $HOME", "5", checkout.name, "me", "demo"]
    ]
    assert [json.loads(line[len("[plugin] acmeBlock ") : line.rindex(" on ")]) for line in lines[6:]] == [
        ["a\n  b // }", f"r-{checkout.name}", number, "{}"] for number in range(2)
    ]
    assert build.archived["a.txt"].read_text() == "built\n"


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_after_commands_follow_all_steps(style: str, repository: Repository, tmp_path: Path) -> None:
    """They also run if a step before the script fails."""
    require(jenkins_harness.available())
    calls = {"before": ["acmeBefore"], "after": ["acmeAfter"]}
    good = {"name": "good", "script": ["echo good"], "after": ["echo clean good"], "steps": {"jenkins": calls}}
    calls = {"before": ["error('stop')"], "after": ["acmeAfter"]}
    bad = {"name": "bad", "script": ["echo bad"], "after": ["echo clean bad"], "steps": {"jenkins": calls}}
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"stages": [good, bad]}}})})
    text = compiled(Engine(target="jenkins", style=style), checkout, {})

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build", plugin_steps=("acmeBefore", "acmeAfter"))

    assert build.result == "FAILURE", build.log
    assert re.findall(r"^(?:\[plugin\] )?(acme\w+|good|bad|clean \w+)", build.log, re.MULTILINE) == [
        *("acmeBefore", "good", "acmeAfter", "clean good", "clean bad")
    ]


@pytest.mark.parametrize("around", [[], ["timestamps"]])
@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_steps_follow_a_stage_in_any_case_or_after_a_failure(
    style: str, around: list[str], repository: Repository, tmp_path: Path
) -> None:
    """Steps in `always` come first, as in `post` of Jenkins; a failure remains a failure."""
    require(jenkins_harness.available())
    calls = {"after": ["acmeAfter"], "always": ["acmeAlways"], "failure": ["acmeFailure"]}
    steps = {"jenkins": {**calls, **({"around": around} if around else {})}, "elsewhere": "skip"}
    kept = {"artifacts": {"paths": ["a.txt"], "when": "failure"}, "steps": steps}
    stages = [
        {"name": "good", "script": ["echo good >a.txt"], "steps": steps},
        {"name": "only", "steps": {"jenkins": {"always": ["acmeOnly"]}, "elsewhere": "skip"}},
        {"name": "bad", "script": ["echo bad >a.txt", "false"], **kept},
        {"name": "never", "script": ["true"], "steps": steps},
    ]
    execution = [["good", "only", "bad", "never"]]
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"execution": execution, "stages": stages}}})})
    text = compiled(Engine(target="jenkins", style=style), checkout, {})

    build = jenkins_harness.run(
        text, checkout, workdir=tmp_path / "build", plugin_steps=("acmeAfter", "acmeAlways", "acmeFailure", "acmeOnly")
    )

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert build.result == "FAILURE", build.log
    assert re.findall(r"^\[plugin\] (\w+)", build.log, re.MULTILINE) == [
        *("acmeAfter", "acmeAlways", "acmeOnly", "acmeAlways", "acmeFailure")
    ]
    assert build.archived["a.txt"].read_text() == "bad\n"


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_other_stages_do_not_affect_steps_after_a_failure(style: str, repository: Repository, tmp_path: Path) -> None:
    """While `post` of a stage runs, its result is that of the build (`runPostConditions` of ModelInterpreter)."""
    require(jenkins_harness.available())
    slow = {"jenkins": {"always": ["sleep 6"]}}
    stages = [
        {"name": "red", "script": ["false"], "steps": slow},
        {"name": "late", "timeout": "2s", "script": ["sleep 60"], "steps": slow},
        *(
            {"name": name, "script": ["sleep 4", end], "steps": {"jenkins": {"failure": [f"echo '> {name}'"]}}}
            for name, end in (("green", "true"), ("broken", "false"))
        ),
        *(
            {"name": name, "script": [f"touch {name}; sleep 4", end], "artifacts": {"paths": [name], "when": "failure"}}
            for name, end in (("sound", "true"), ("crashed", "false"))
        ),
    ]
    execution = [[stage["name"]] for stage in stages]
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"execution": execution, "stages": stages}}})})
    text = compiled(Engine(target="jenkins", style=style), checkout, {})

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build")

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert re.findall(r"^> (\w+)$", build.log, re.MULTILINE) == ["broken"], build.log
    assert list(build.archived) == ["crashed"]


def test_gitlab_leaves_them_out(repository: Repository, tmp_path: Path) -> None:
    """A stage without other work prints that it has nothing to do."""
    require(gitlab_local.available())
    checkout = repository({CONFIG: TEXT})

    pipeline = gitlab_local.run(checkout, compiled(GITLAB_LOCAL, checkout, {}), workdir=tmp_path / "run")

    assert pipeline.results() == {
        **dict.fromkeys(("build", "check", "gate", "keep", "groovy"), Result.SUCCESS),
        "broken": Result.FAILED,
    }
