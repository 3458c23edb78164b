"""Approvals, delays, locks and environments of stages."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, plan_of, reported, shown, wrong

from pipegen.plan.model import Deployment


@pytest.mark.parametrize(
    ("approve", "message", "approvers"),
    [
        ("true", None, ()),
        ("Go?", "Go?", ()),
        ('"Go\\n  now?"', "Go now?", ()),
        ("{message: Go?, approvers: [a, b, a]}", "Go?", ("a", "b")),
    ],
)
def test_approvals_have_a_message_and_approvers(approve: str, message: str | None, approvers: tuple[str, ...]) -> None:
    """The message is one line."""
    deployment = job_of(f"{{name: s, script: x, approve: {approve}}}").deployment.approval

    assert deployment is not None
    assert (deployment.message, deployment.approvers) == (message, approvers)


def test_a_delay_is_not_an_approval() -> None:
    """`approve: false` has no effect."""
    deployment = job_of("{name: s, script: x, approve: {delay: 2 hours}}").deployment

    assert (deployment.approval, deployment.delay.seconds if deployment.delay else 0) == (None, 7_200)
    assert job_of("{name: s, script: x, approve: false}").deployment == Deployment()


@pytest.mark.parametrize(
    "approve",
    [
        *("' '", "{delay: 8d}", "{delay: 0s}", "{delay: 1h, approvers: [a]}", "{message: x, approvers: ['a,b']}"),
        *(
            "{delay: 1h, optional: true}",
            "{message: x, timeout: 1h}",
            "{optional: true}, allow_failure: {exit_codes: 1}",
        ),
        "{optional: true}, allow_failure: false",
    ],
)
def test_invalid_approvals_are_reported(approve: str) -> None:
    """There is one error for each."""
    assert [code for code, _ in wrong(f"[{{name: s, script: x, approve: {approve}}}]")] == ["PG204"]


@pytest.mark.parametrize(
    ("environment", "name", "url"),
    [
        ("staging", "staging", "none"),
        ("{name: 'r/${setup.branch}'}", "r/<setup setup.branch>", "none"),
        ("{name: s, url: 'https://${.host}/'}", "s", "https://<own s.host>/"),
    ],
)
def test_environments_have_a_name_and_a_url(environment: str, name: str, url: str) -> None:
    """A URL may contain values that the stage itself produces."""
    result = job_of(f"{{name: s, script: x, outputs: [host], environment: {environment}}}").deployment.environment

    assert result is not None
    assert (shown(result.name), shown(result.url)) == (name, url)


def test_the_values_of_a_url_are_inputs() -> None:
    """They are passed to the stage."""
    plan = plan_of(
        "[{name: a, script: x, outputs: [h]}, {name: b, script: x, environment: {name: e, url: 'https://${a.h}'}}]"
    )

    assert [str(output) for output in plan.job("b").inputs] == ["a.h"]
    assert plan.job("a").outputs == ("h",)


def test_a_stop_stage_has_the_environment() -> None:
    """It is the environment of the stage that deploys."""
    plan = plan_of("[{name: a, script: x, environment: {name: e, on_stop: b}}, {name: b, script: x}]")
    environments = plan.job("b").deployment.environment

    assert environments is not None
    assert (shown(environments.name), environments.stops, environments.on_stop) == ("e", True, None)


@pytest.mark.parametrize(
    ("stop", "execution", "code"),
    [
        ("c", "[[a, b]]", "PG301"),
        ("a", "[[a, b]]", "PG544"),
        ("b", "[[b, a]]", "PG544"),
        ("b", "[[a], [b]]", "PG544"),
        ("b", "[[a, b, other]]", "PG544"),
    ],
)
def test_a_stop_stage_needs_the_deployment_and_precedes_nothing(stop: str, execution: str, code: str) -> None:
    """It comes after the stage that deploys."""
    stages = (
        f"[{{name: a, script: x, environment: {{name: e, on_stop: {stop}}}}}, {{name: b, script: x}},"
        " {name: other, script: x}]"
    )

    assert [number for number, text in wrong(stages, execution) if number != "PG402"] == [code]


def test_different_conditions_of_a_stop_stage_are_reported() -> None:
    """The stop stage might be absent."""
    config = (
        "pipelines: {p: {stages: [{name: a, script: x, environment: {name: e, on_stop: b}},"
        " {name: b, script: x, when: {branch: main}}]}}\n"
    )

    assert [diagnostic.code.number for diagnostic in reported(config)] == ["PG542"]


@pytest.mark.parametrize(
    ("approve", "timeout"), [("{optional: true}", 86_400), ("{optional: true, message: Go?, timeout: 2h}", 7_200)]
)
def test_an_optional_stage_may_fail(approve: str, timeout: int) -> None:
    """This holds on every engine; the approval times out after a day by default."""
    job = job_of(f"{{name: s, script: x, approve: {approve}}}")

    assert job.deployment.approval is not None
    assert (job.deployment.approval.is_optional, job.deployment.approval.timeout) == (True, timeout)
    assert job.limits.allow_failure is not None
    assert job.limits.allow_failure.exit_codes == ()


@pytest.mark.parametrize(
    "environment", ["{name: e, action: access, on_stop: t}", "{name: e, action: verify, auto_stop_in: 1d}"]
)
def test_only_a_deployment_may_stop_an_environment(environment: str) -> None:
    """A stage that only uses an environment may not set when it ends."""
    stages = f"[{{name: s, script: x, environment: {environment}}}, {{name: t, script: x}}]"

    assert [code for code, _ in wrong(stages)] == ["PG204"]
