"""Mails for stages that fail."""

from __future__ import annotations

import pytest
from plan.sample_plans import plans_of, reported, shown

from pipegen.plan.model import Mail
from pipegen.plan.stage.mail import BODY, SUBJECT


def mail_of(pipeline: str, stage: str) -> Mail | None:
    """Return the mail of a stage `s` of a pipeline `p`; each is a flow map's keys."""
    (plan,) = plans_of(f"pipelines: {{p: {{{pipeline} stages: [{{name: s, build: x, {stage}}}]}}}}")
    return plan.jobs[0].mail


def summary(mail: Mail | None) -> tuple[list[str], str, str]:
    """Return recipients, subject and body."""
    assert mail is not None
    return [shown(to) for to in mail.to], shown(mail.subject), shown(mail.body)


def test_no_mail_is_sent_by_default() -> None:
    """Neither the stage nor the pipeline sends one."""
    assert mail_of("", "") is None
    assert mail_of("notify: {},", "notify: {}") is None
    assert mail_of("notify: {email: {}},", "notify: {email: {}}") is None


def test_a_mail_has_pipelinelibs_defaults() -> None:
    """It names project, pipeline and stage, and the log."""
    to, subject, body = summary(mail_of("", "notify: {email: {to: a@x.org}}"))

    assert (to, subject) == (["a@x.org"], "[Pipeline] <setup setup.projectShortName> p/s failed")
    assert body == (
        "Pipeline p for project <setup setup.project> failed during\n"
        "stage s. See the log for details: <setup setup.logURL>"
    )
    assert (SUBJECT.count("${"), BODY.count("${")) == (3, 4)


@pytest.mark.parametrize(
    ("pipeline", "stage", "expected"),
    [
        ("{to: a}", "{}", ["a"]),
        ("{to: a}", "{to: b}", ["b"]),
        ("{}", "{to: [b, '${setup.branch}', c]}", ["b", "<setup setup.branch>", "c"]),
        ("{to: [a, b]}", "{subject: x}", ["a", "b"]),
    ],
)
def test_a_stage_overrides_its_pipeline(pipeline: str, stage: str, expected: list[str]) -> None:
    """Key by key."""
    assert summary(mail_of(f"notify: {{email: {pipeline}}},", f"notify: {{email: {stage}}}"))[0] == expected


def test_subject_and_body_come_from_either() -> None:
    """The stage's subject with the pipeline's body."""
    mail = mail_of("notify: {email: {subject: p, body: 'b ${.stage}'}},", "notify: {email: {to: x, subject: s}}")

    assert summary(mail)[1:] == ("s", "b s")


@pytest.mark.parametrize("name", ["imageID", "e", "nope"])
def test_a_mail_reads_no_output_of_the_failed_stage(name: str) -> None:
    """It may not be bound."""
    body = f"'${{.{name}}}'"
    stage = f"{{name: s, build: x, exports: {{e: v}}, notify: {{email: {{to: x, body: {body}}}}}}}"
    (diagnostics,) = reported(f"pipelines: {{p: {{stages: [{stage}]}}}}")

    assert (diagnostics.code.number, "after the stage has failed" in diagnostics.message) == ("PG308", True)


def test_a_mail_uses_the_default_of_a_reference() -> None:
    """With a warning."""
    (diagnostics,) = reported(
        "pipelines: {p: {stages: [{name: s, build: x, notify: {email: {to: x, body: '${.imageID|none}'}}}]}}"
    )

    assert diagnostics.code.number == "PG314"


@pytest.mark.parametrize("email", ["{subject: s}", "{to: []}"])
def test_a_mail_without_recipients_is_dropped(email: str) -> None:
    """A diagnostic reports it."""
    (diagnostics,) = reported(f"pipelines: {{p: {{stages: [{{name: s, build: x, notify: {{email: {email}}}}}]}}}}")

    assert diagnostics.code.number == "PG511"
    assert diagnostics.severity.value == "warning"
