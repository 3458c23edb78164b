"""Jobs that start other pipelines run when their conditions hold, although file variables do not apply to them.

`rules_reader` evaluates the rules according to GitLab's documentation.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from plan.simulated_runs import Run, holds, runs
from targets.gitlab.compiled import compiled
from targets.gitlab.rules_reader import evaluated, is_in_pipeline, starts
from targets.gitlab.split_runs import split_up

# Inputs with their defaults: one of each type, one with a pattern, one with special characters, one without a default.
INPUTS: dict[str, dict[str, Any]] = {
    "dry": {"type": "boolean", "default": True},
    "wet": {"type": "boolean", "default": False},
    "level": {"choices": ["full", "half", ""], "default": "full"},
    "count": {"type": "number", "default": 3},
    "place": {"default": "a b/c\\d$e"},
    "must": {},
}
VALUES = {
    "dry": ("true", "false"),
    "wet": ("true", "false"),
    "level": ("full", "half", ""),
    "count": ("3", "-1.5", ""),
    "place": ("x", "a b/c\\d$e", ""),
    "must": ("x", "full", ""),
}
_WORDS = ("full", "half", "f*", "?", "**", "3", "x", "a b/*", "/^fu/", "/[0-9]$/", "/(?i)FULL/", "/./", "/^x$|^3$/")


def defaults() -> dict[str, str]:
    """Return the values of inputs that a run does not give."""
    return {name: _written(input_.get("default", "")) for name, input_ in INPUTS.items()}


def _written(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | int) else value


def random_when(chance: random.Random, depth: int) -> dict[str, Any]:
    """Return a random condition over inputs, branches, tags, events and variables of the project."""
    key = chance.choice(("inputs", "inputs", "branch", "tag", "event", "env", *(("all", "any", "not") * 2 * depth)))
    match key:
        case "inputs":
            return {"inputs": {name: _wanted(chance, name) for name in chance.sample(list(INPUTS), 2)}}
        case "event":
            return {"event": chance.sample(("push", "tag", "schedule", "manual", "api", "merge_request"), 3)}
        case "env":
            return {"env": {"LEVEL": chance.choice((True, False, "full"))}}
        case "branch" | "tag":
            return {key: chance.choice((True, False, "main", "v*"))}
        case "not":
            return {"not": random_when(chance, depth - 1)}
    return {key: [random_when(chance, depth - 1) for _ in range(2)]}


def _wanted(chance: random.Random, name: str) -> Any:
    if INPUTS[name].get("type") == "boolean":
        return chance.choice((True, False))
    return chance.choice((True, False, chance.choice(_WORDS), chance.sample(_WORDS, 2)))


def expected(when: Mapping[str, Any], run: Run) -> bool:
    """Return whether *when* holds in *run*, with defaults for inputs that the run does not give."""
    return holds(_as_env(when), replace(run, variables={**defaults(), **run.variables}))


def _as_env(when: Any) -> Any:
    """Return *when* with conditions on inputs as conditions on variables."""
    if isinstance(when, list):
        return [_as_env(rule) for rule in when]
    as_env: dict[str, Any] = {}
    for key, value in when.items():
        if key in ("all", "any", "not"):
            as_env[key] = _as_env(value)
        elif key == "inputs":
            words = {
                name: _written(data) if INPUTS[name].get("type") == "boolean" else data for name, data in value.items()
            }
            as_env.setdefault("env", {}).update(words)
        else:
            as_env[key] = value
    return as_env


def given_runs(seed: int) -> Iterator[Run]:
    """Yield runs that set no, some, or all inputs."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    for run in runs(seed, 18):
        plain = {name: value for name, value in run.variables.items() if name == "LEVEL"}
        for share in (0.0, 0.4, 1.0):
            inputs = {name: chance.choice(values) for name, values in VALUES.items() if chance.random() < share}
            yield replace(run, variables={**plain, **inputs})


def config(whens: Mapping[str, Any], *, pipeline_when: Any = None, beside: bool) -> str:
    """Return triggers with *whens* and stages after them with the same conditions, perhaps in two pipelines."""
    stages: list[dict[str, Any]] = [{"name": "start", "script": ["x"]}]
    for name, when in whens.items():
        stages.append({"name": name, "trigger": {"name": "go"}, "when": when})
        stages.append({"name": f"{name}-after", "script": ["x"], "when": when})
    pipelines: dict[str, Any] = {"a": {"stages": stages, **({"when": pipeline_when} if pipeline_when else {})}}
    if beside:
        pipelines["b"] = {"stages": [{"name": "other", "script": ["x"]}]}
    settings = {"gitlab": {"projects": {"go": "group/project"}}}
    return json.dumps({"inputs": INPUTS, "targets": settings, "pipelines": pipelines})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_triggers_run_when_their_conditions_hold(seed: int) -> None:
    """For any inputs of a run; a bridge never has their defaults as variables."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    whens = {f"s{number}": random_when(chance, 2) for number in range(25)}
    data = compiled(config(whens, beside=False)).data
    for name, when in whens.items():
        if name not in data:
            # The rule never holds, and was left out.
            continue
        assert data[name]["inherit"] == {"variables": False}
        wrong = [run for run in given_runs(seed) if is_in_pipeline(data, name, run) is not expected(when, run)]
        assert wrong == [], (when, data[name]["rules"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_triggers_run_with_their_pipeline(seed: int) -> None:
    """The selection names no pipeline, this one, all, or another."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    whens = {f"s{number}": random_when(chance, 1) for number in range(10)}
    condition = random_when(chance, 1)
    data = compiled(config(whens, pipeline_when=condition, beside=True)).data
    for name, when in whens.items():
        for run in given_runs(seed):
            for selected in (None, "", "a", "b", "b,a", "all"):
                named = (
                    run if selected is None else replace(run, variables={**run.variables, "PIPEGEN_PIPELINE": selected})
                )
                is_on = expected(condition, run) if not selected else selected != "b" and selected is not None
                runs_there = is_on and expected(when, run)

                assert is_in_pipeline(data, f"a: {name}", named) is runs_there, (when, condition, named)
                assert is_in_pipeline(data, f"a: {name}-after", named) is runs_there


@pytest.mark.parametrize("beside", [False, True])
def test_child_pipelines_run_the_stages_of_their_pipeline(*, beside: bool) -> None:
    """Neither the bridge nor triggers in the child have file variables."""
    whens: dict[str, Any] = {
        "s1": {"inputs": {"dry": True}},
        "s2": {"not": {"inputs": {"dry": True}}},
        "s3": {"inputs": {"level": "h*"}},
    }
    files = split_up(
        config(whens, pipeline_when={"branch": "main"}, beside=beside),
        ["s1,s1-after,s2,s2-after,s3,s3-after"],
    ).data()
    parent = files[".gitlab-ci.yml"]
    prefix = "a: " if beside else ""
    (bridge,) = (name for name, job in parent.items() if isinstance(job, dict) and "include" in job.get("trigger", {}))
    (child,) = (data for name, data in files.items() if name != ".gitlab-ci.yml")
    for selected, branch, is_on in ((None, "main", True), ("", "main", True), (None, "x", False), ("a", "x", beside)):
        values = {} if selected is None else {"PIPEGEN_PIPELINE": selected}
        run = Run(event="push", branch=branch, variables=values)

        assert (starts(parent, run) and is_in_pipeline(parent, bridge, run)) is is_on
    for run in given_runs(1):
        for name, when in whens.items():
            assert is_in_pipeline(child, f"{prefix}{name}", run) is expected(when, run), (when, run)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # https://docs.gitlab.com/ci/jobs/job_rules/#compare-a-variable-to-a-string, and the following sections: null is
        # not an empty string, and `$VARIABLE` alone is false if it is empty.
        ("$NONE == null", True),
        ("$NONE != null", False),
        ('$NONE == ""', False),
        ('$NONE != ""', True),
        ('$NONE == "x"', False),
        ('$NONE != "x"', True),
        ("$NONE =~ /xy/", False),
        ("$NONE !~ /xy/", True),
        ("$NONE", False),
        ('$EMPTY == ""', True),
        ("$EMPTY == null", False),
        ("$EMPTY", False),
        ("$X", True),
        ('$X == "x"', True),
        ("$X =~ /^x/", True),
        ('$X == "y" || $X == "x" && $NONE == null', True),
        ('($X == "x" || $NONE == null) && $X == "y"', False),
        ('$X == "x" || $NONE == null && $X == "y"', True),
    ],
)
def test_rule_expressions_are_evaluated_as_documented(text: str, *, value: bool) -> None:
    """Unset variables are null, `&&` binds before `||`, and parentheses group."""
    assert evaluated(text, {"X": "x", "EMPTY": ""}) is value


def test_a_parameter_that_the_rules_read_is_an_error() -> None:
    """A job's variables override those of a run, also in its rules."""
    output = compiled("""
        inputs: {level: {default: full}}
        targets: {gitlab: {projects: {go: g/p}}}
        pipelines:
          p:
            stages:
              - {name: a, trigger: {name: go, parameters: {level: low}}, when: {inputs: {level: full}}}
              - {name: b, trigger: {name: go, parameters: {level: low}}}
    """)

    assert [code for code, _ in output.codes() if code != "PG630"] == ["PG632"]


def test_a_bridge_has_one_rule_for_its_name_and_for_none() -> None:
    """It does not inherit the empty variable, so it is null by default."""
    output = compiled("""
        pipelines:
          p: { stages: [{ name: first, pipeline: q }, { name: start, trigger: { include: child.yml } }] }
          q: { stages: [{ name: a, script: [make] }] }
    """)

    rules = output.data["p: start"]["rules"]
    unset = '$PIPEGEN_PIPELINE == null || $PIPEGEN_PIPELINE == ""'
    assert rules == [{"if": f"{unset} || $PIPEGEN_PIPELINE =~ /(^|,)(all|p)(,|$)/"}]
