"""Limits of a stage."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, reported

from pipegen.plan.model import USUAL_SYSTEM_FAILURES, AllowFailure, Failure, Limits, Retry, SystemFailure, Timeout
from pipegen.source.text import SourceFile, Span

_AT = Span(SourceFile("", ""), 0, 0)
_ALL = tuple(Failure)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("retry: 0, allow_failure: false", Limits()),
        ("retry: 2", Limits(retry=Retry(2, _ALL, _AT))),
        ("retry: {count: 1}", Limits(retry=Retry(1, _ALL, _AT))),
        ("retry: {count: 1, on: system}", Limits(retry=Retry(1, (Failure.SYSTEM,), _AT))),
        (
            "retry: {count: 1, on: [timeout, script, timeout]}",
            Limits(retry=Retry(1, (Failure.TIMEOUT, Failure.SCRIPT), _AT)),
        ),
        (
            "retry: {count: 1, on: [runner, script, stuck]}",
            Limits(retry=Retry(1, (Failure.SYSTEM, Failure.SCRIPT), _AT, (SystemFailure.RUNNER, SystemFailure.STUCK))),
        ),
        ("retry: {count: 1, on: [api, system]}", Limits(retry=Retry(1, (Failure.SYSTEM,), _AT))),
        (
            "retry: {count: 1, on: [system, stale]}",
            Limits(retry=Retry(1, (Failure.SYSTEM,), _AT, (*USUAL_SYSTEM_FAILURES, SystemFailure.STALE))),
        ),
        ("timeout: 1h 30m", Limits(timeout=Timeout(5_400, _AT))),
        ("allow_failure: true", Limits(allow_failure=AllowFailure((), _AT))),
        ("allow_failure: {exit_codes: 2}", Limits(allow_failure=AllowFailure((2,), _AT))),
        ("allow_failure: {exit_codes: [2, 137, 2]}", Limits(allow_failure=AllowFailure((2, 137), _AT))),
    ],
)
def test_limits_are_parsed_from_each_form(keys: str, expected: Limits) -> None:
    """Missing keys, 0 and false set no limit; kinds and codes are unique."""
    assert job_of(f"{{name: a, script: [x], {keys}}}").limits == expected


def test_an_allowed_failure_sends_no_mail() -> None:
    """With exit codes, other failures send one."""
    notify = "notify: {email: {to: me@example.org}}"

    assert job_of(f"{{name: a, script: [x], {notify}, allow_failure: {{exit_codes: 2}}}}").mail is not None
    assert [
        diagnostic.code.number
        for diagnostic in reported(
            f"pipelines: {{p: {{stages: [{{name: a, script: [x], {notify}, allow_failure: true}}]}}}}"
        )
    ] == ["PG530"]
