"""What stages wait for beside those before them, and what they deploy to."""

from __future__ import annotations

import pytest
from plan.planned import job_of, plan_of, reported, shown, wrong

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
def test_approvals(approve: str, message: str | None, approvers: tuple[str, ...]) -> None:
    """The question is one line."""
    found = job_of(f"{{name: s, script: x, approve: {approve}}}").deployment.approval

    assert found is not None
    assert (found.message, found.approvers) == (message, approvers)


def test_a_delay_asks_nobody() -> None:
    """And `false` does nothing."""
    deployment = job_of("{name: s, script: x, approve: {delay: 2 hours}}").deployment

    assert (deployment.approval, deployment.delay.seconds if deployment.delay else 0) == (None, 7_200)
    assert job_of("{name: s, script: x, approve: false}").deployment == Deployment()


@pytest.mark.parametrize(
    "approve", ["' '", "{delay: 8d}", "{delay: 0s}", "{delay: 1h, approvers: [a]}", "{message: x, approvers: ['a,b']}"]
)
def test_approvals_that_cannot_be(approve: str) -> None:
    """Each is one mistake."""
    assert [code for code, _ in wrong(f"[{{name: s, script: x, approve: {approve}}}]")] == ["PG204"]


@pytest.mark.parametrize(
    ("environment", "name", "url"),
    [
        ("staging", "staging", "none"),
        ("{name: 'r/${setup.branch}'}", "r/<setup setup.branch>", "none"),
        ("{name: s, url: 'https://${.host}/'}", "s", "https://<own s.host>/"),
    ],
)
def test_environments(environment: str, name: str, url: str) -> None:
    """An address may hold what the stage itself works out."""
    found = job_of(f"{{name: s, script: x, outputs: [host], environment: {environment}}}").deployment.environment

    assert found is not None
    assert (shown(found.name), shown(found.url)) == (name, url)


def test_the_values_of_an_address_are_inputs() -> None:
    """They are brought to the stage."""
    plan = plan_of(
        "[{name: a, script: x, outputs: [h]}, {name: b, script: x, environment: {name: e, url: 'https://${a.h}'}}]"
    )

    assert [str(one) for one in plan.job("b").inputs] == ["a.h"]
    assert plan.job("a").outputs == ("h",)


def test_the_stage_that_stops_knows_what() -> None:
    """Its environment is that of the stage that deploys."""
    plan = plan_of("[{name: a, script: x, environment: {name: e, on_stop: b}}, {name: b, script: x}]")
    found = plan.job("b").deployment.environment

    assert found is not None
    assert (shown(found.name), found.stops, found.on_stop) == ("e", True, None)


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
def test_a_stage_that_stops_comes_last(stop: str, execution: str, code: str) -> None:
    """After the stage that deploys, and before none."""
    stages = (
        f"[{{name: a, script: x, environment: {{name: e, on_stop: {stop}}}}}, {{name: b, script: x}},"
        " {name: other, script: x}]"
    )

    assert [number for number, text in wrong(stages, execution) if number != "PG402"] == [code]


def test_stages_under_other_conditions_are_told() -> None:
    """One that stops might not be there."""
    config = (
        "pipelines: {p: {stages: [{name: a, script: x, environment: {name: e, on_stop: b}},"
        " {name: b, script: x, when: {branch: main}}]}}\n"
    )

    assert [one.code.number for one in reported(config)] == ["PG542"]
