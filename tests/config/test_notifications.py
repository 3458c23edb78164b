"""The stage that calls a webhook."""

from __future__ import annotations

import pytest
from plan.sample_plans import plans_of, reported

from pipegen.plan.model import Commands, Plan

_STAGES = "stages: [{name: a, script: x}%s]"


def _plan(webhook: str, more: str = "", rest: str = "") -> Plan:
    (plan,) = plans_of(f"pipelines: {{p: {{notify: {{webhook: {webhook}}}, {_STAGES % more}{rest}}}}}")
    return plan


def _lines(plan: Plan, stage: str) -> list[str]:
    (step,) = plan.job(stage).steps
    assert isinstance(step, Commands)
    return ["".join(map(str, line.script.parts)) for line in step.lines]


@pytest.mark.parametrize(
    ("on", "status", "first"),
    [
        ("", "failed", "text="),
        (", on: success", "success", "text="),
        (", on: always", "", "text="),
        (", on: [success, failure]", "", "text="),
        (", on: [success, fixed]", "success", "text="),
        (", on: fixed", "", "case \"$PIPELINE_STATUS $PREVIOUS_RESULT\" in 'success FAILURE' | 'success ABORTED') ;;"),
        (", on: [fixed, failure]", "", "case \"$PIPELINE_STATUS $PREVIOUS_RESULT\" in 'failed '* | "),
    ],
)
def test_the_webhook_is_called_for_its_results(on: str, status: str, first: str) -> None:
    """The default is only failure. The engine starts the stage for one status."""
    plan = _plan(f"{{url: chat{on}}}")

    assert plan.job("notify").on_status == status
    assert _lines(plan, "notify")[0].startswith(first)
    assert [(secret.id, secret.variables) for secret in plan.job("notify").secrets] == [("chat", ("WEBHOOK_URL",))]


@pytest.mark.parametrize(
    ("on", "first"),
    [
        ("failure", 'case "$STAGE_STATUS" in *failed*) ;; *) exit 0 ;; esac'),
        ("success", 'case "$STAGE_STATUS" in *failed*) exit 0 ;; *success*) ;; *) exit 0 ;; esac'),
        ("[failure, success]", 'case "$STAGE_STATUS" in *failed* | *success*) ;; *) exit 0 ;; esac'),
        ("always", 'case "$STAGE_STATUS" in *failed* | *success*) ;; *) exit 0 ;; esac'),
    ],
)
def test_the_result_of_a_stage_decides(on: str, first: str) -> None:
    """No message is about a stage that was skipped."""
    stages = f"[{{name: a, script: x, notify: {{webhook: {{url: chat, on: {on}}}}}}}]"
    (plan,) = plans_of(f"pipelines: {{p: {{stages: {stages}}}}}")

    assert [(job.stage, job.posts) for job in plan.jobs] == [("a", False), ("notify a", True)]
    assert _lines(plan, "notify a")[0] == first


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("name: unit tests, notify: {webhook: {url: chat}}", ("PG204", "webhook")),
        ("name: a, notify: {webhook: {url: chat, on: fixed}}", ("PG204", "fixed")),
    ],
)
def test_errors_in_a_webhook_of_a_stage(stage: str, expected: tuple[str, str]) -> None:
    """Nobody can read the result of a stage with a blank in its name, or its result in the run before."""
    diagnostics = reported(f"pipelines: {{p: {{stages: [{{script: x, {stage}}}]}}}}")

    assert [
        (diagnostic.code.number, diagnostic.primary.span.text if diagnostic.primary else "")
        for diagnostic in diagnostics
    ] == [expected]


def test_the_webhook_is_the_last_finally_stage() -> None:
    """It has a unique name, and its failure is allowed."""
    plan = _plan("{url: chat}", ", {name: notify, script: y}, {name: end, script: z}", ", finally: [end]")

    assert [(job.stage, job.is_final, job.posts) for job in plan.jobs] == [
        ("a", False, False),
        ("notify", False, False),
        ("end", True, False),
        ("notify 2", True, True),
    ]
    assert plan.job("notify 2").limits.allow_failure is not None


@pytest.mark.parametrize(
    ("webhook", "expected"),
    [
        ("{text: x}", ("PG203", "webhook")),
        ("{url: https://chat.example.org/hook}", ("PG204", "https://chat.example.org/hook")),
        ("{url: chat, on: broken}", ("PG204", "broken")),
        ("{url: chat, field: 'a\"b'}", ("PG204", "'a\"b'")),
        ("{url: chat, text: '${b.v}'}", ("PG304", "${b.v}")),
    ],
)
def test_errors_in_a_webhook_are_at_the_value(webhook: str, expected: tuple[str, str]) -> None:
    """They are the same as in other stages."""
    diagnostics = reported(f"pipelines: {{p: {{notify: {{webhook: {webhook}}}, {_STAGES % ''}}}}}")

    assert [
        (diagnostic.code.number, diagnostic.primary.span.text if diagnostic.primary else "")
        for diagnostic in diagnostics
    ] == [expected]


def test_the_text_can_read_an_output() -> None:
    """An output with a default, as in other finally stages."""
    plan = _plan("{url: chat, text: 'version ${b.v|none}'}", ", {name: b, script: x, outputs: [v], artifacts: [dist/]}")

    assert [output.stage for output in plan.job("notify").inputs] == ["b"]
