"""The mail that is sent when a stage fails."""

from __future__ import annotations

from pipegen.bindings.expression import Expression, Items, List, Text
from pipegen.bindings.names import FAILED
from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Mail
from pipegen.plan.values import StageValues
from pipegen.source.text import Span
from pipegen.source.tree import Node

SUBJECT = "[Pipeline] ${setup.projectShortName} ${setup.pipeline}/${.stage} failed"
BODY = (
    "Pipeline ${setup.pipeline} for project ${setup.project} failed during\n"
    "stage ${.stage}. See the log for details: ${setup.logURL}"
)


def mail(stage: StageConfig, pipeline: PipelineConfig, values: StageValues) -> Mail | None:
    """Return the mail for *stage*: its own settings, else those of the pipeline, else the defaults.

    It reads *values* as they are after the stage has failed.
    """
    if stage.email is None and pipeline.email is None:
        return None
    values = values.at(FAILED)
    settings = [email for email in (stage.email, pipeline.email) if email is not None]
    span = settings[0].span
    to = next((email.to for email in settings if email.to is not None), None)
    recipients = _recipients(to, values) if to is not None else ()
    if not recipients:
        values.report.add(
            codes.MAIL_WITHOUT_RECIPIENT,
            "the mail has no recipient, so none is sent",
            at=span,
            hint='add "to" with an address, here or in the "notify" of the pipeline',
        )
        return None
    return Mail(
        to=recipients,
        subject=_text([email.subject for email in settings], SUBJECT, span, values),
        body=_text([email.body for email in settings], BODY, span, values),
        span=span,
    )


def check_webhook(stage: StageConfig, report: Report) -> None:
    """Report a webhook of a stage whose result no stage can read."""
    if stage.unreadable_webhook is not None:
        report.add(
            codes.INVALID_VALUE,
            f'the name of stage "{stage.display_name}" has characters that a stage with a webhook cannot have',
            at=stage.unreadable_webhook,
            related=[Label(stage.name.span, "this name")],
            hint='rename the stage: use letters, digits, "_" and "-"',
        )


def _text(nodes: list[Node | None], default: str, span: Span, values: StageValues) -> Text:
    return values.text(next((node for node in nodes if node is not None), None), default, span)


def _recipients(node: Node, values: StageValues) -> Items[Text]:
    value: Expression = values.value(node)
    return values.as_items(value, values.as_text) if isinstance(value, List) else (values.as_text(value),)
