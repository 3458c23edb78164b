"""Parameters of a file, and values set at compile time."""

from __future__ import annotations

import pytest
from config.sample_configs import written
from plan.sample_plans import of, plans_of, reported, shown

from pipegen.bindings.expression import Text
from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Commands, InputType, Plan
from pipegen.plan.runs.parameters import is_reserved

STAGES = "pipelines: {p: {stages: [{name: s, script: [echo], env: {E: 'a${inputs.x|d}'}}]}}"


def plan_of(inputs: str, **fixed: str) -> Plan:
    """Return the plan of a stage that reads the input `x` of the flow map *inputs*, with the values in *fixed*."""
    report = Report()
    (plan,) = analyse(written(f"inputs: {inputs}\n{STAGES}\n"), (), report, fixed).plans

    assert report.diagnostics() == ()
    return plan


@pytest.mark.parametrize(
    ("written_as", "kind", "default"),
    [
        ("quick", InputType.STRING, "quick"),
        ("'1'", InputType.STRING, "1"),
        ("1.10", InputType.NUMBER, "1.10"),
        ("True", InputType.BOOLEAN, "true"),
        ("{default: false}", InputType.BOOLEAN, "false"),
        ("{default: 7, type: string}", InputType.STRING, "7"),
        ("{default: 7, choices: [7, all]}", InputType.STRING, "7"),
        ("{type: boolean, default: 'true'}", InputType.BOOLEAN, "true"),
        ("{}", InputType.STRING, None),
        ("{default: ''}", InputType.STRING, ""),
    ],
)
def test_the_default_determines_the_type(written_as: str, kind: InputType, default: str | None) -> None:
    """An explicit type takes precedence; parameters with choices are strings."""
    (parameter,) = plan_of(f"{{x: {written_as}}}").inputs

    assert (parameter.type, parameter.default) == (kind, default)


def test_all_parameters_are_in_the_plan_in_order() -> None:
    """The engine's form also displays unread parameters."""
    assert [input_.name for input_ in plan_of("{z: 1, x: 2, a: 3}").inputs] == ["z", "x", "a"]


def test_a_default_is_not_a_fixed_value() -> None:
    """A run may override it."""
    assert env(plan_of("{x: quick}")) == "a<input inputs.x|d>"


def test_a_fixed_value_is_text() -> None:
    """An empty value selects the default, as in a run."""
    fixed = plan_of("{x: quick, y: 1}", x="full")

    assert env(fixed) == "afull"
    assert [input_.name for input_ in fixed.inputs] == ["y"]
    assert env(plan_of("{x: quick}", x="")) == "ad"


def env(plan: Plan) -> str:
    """Return the variable of the stage."""
    ((_, value),) = of(Commands, plan.jobs[0]).env
    assert isinstance(value, Text)
    return shown(value)


@pytest.mark.parametrize(
    ("name", "diagnostics"),
    [
        ("path", True),
        ("Home", True),
        ("CI_COMMIT_SHA", True),
        ("pipegen_x", True),
        ("build_number", True),
        ("_", True),
        ("IFS", True),
        ("LD_PRELOAD", True),
        ("env", False),
        ("stage_only", False),
        ("run_tests", False),
        ("version", False),
        ("ci", True),
        ("city", False),
        ("BUILD_USER_ID", True),
        ("BUILD_TYPE", False),
        ("docker_host", True),
        ("DOCKER_TLS_CERTDIR", True),
        ("DOCKER_TAG", False),
        ("GIT_SSH_COMMAND", True),
        ("GIT_REF_PARANOIA", True),
        ("GIT_REF", False),
    ],
)
def test_names_of_engines_and_shells_are_reserved(name: str, diagnostics: bool) -> None:  # noqa: FBT001
    """Names of engines match in any case, names of shells only in their own."""
    assert is_reserved(name) is diagnostics


@pytest.mark.parametrize("stage", ["inputs", "matrix", "pipeline"])
def test_stages_may_be_named_after_newer_keys(stage: str) -> None:
    """Configs of PipelineLib, and configs generated from them, stay valid."""
    first, second = f"{{name: {stage}, build: b}}", f"{{name: s, run: {{image: '${{{stage}.imageID}}'}}}}"
    (plan,) = plans_of(f"pipelines: {{p: {{stages: [{first}, {second}]}}}}")

    assert plan.job("s").inputs[0].stage == stage


def test_a_reference_to_another_pipelines_stage_is_reported() -> None:
    """In a file without inputs."""
    diagnostics = reported(
        "pipelines: {p: {stages: [{name: inputs}]}, q: {stages: [{name: s, run: {image: '${inputs.imageID}'}}]}}"
    )

    assert [diagnostic.code.number for diagnostic in diagnostics] == ["PG305"]
