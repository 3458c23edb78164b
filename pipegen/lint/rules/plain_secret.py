"""Secrets in plain text."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.lint.secret_names import assigned_secrets, is_likely_secret, is_secret_name
from pipegen.lint.tokens import Secret, tokens
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, children

# Keys with names of secrets, not values; and services, whose passwords are only for one run.
_NO_VALUES = ("secrets", "credentials", "services")


def check(config: CheckedConfig, report: Report) -> None:
    """Report tokens anywhere in the text, also in comments, and values that stages assign to names of secrets."""
    secrets: dict[Span, str] = {}
    stages_by_body = {id(stage.config.body): stage for stage in config.stages()}.values()
    for file in config.files:
        for token in tokens(file.text):
            secrets[Span(file, token.start, token.end)] = token.description
    for stage in stages_by_body:
        service_values = _service_values(stage)
        for span, description in _assigned_secrets(stage.config.body) if stage.config.body is not None else ():
            if span.text not in service_values and not any(_overlaps(span, other) for other in secrets):
                secrets[span] = description
    for span, description in secrets.items():
        report.add(
            codes.PLAIN_SECRET,
            f"{description} is written here in plain text",
            at=span,
            hint='bind it with "secrets" from the engine, and revoke it: anyone who has read it can use it',
        )


def _assigned_secrets(node: Node) -> Iterator[tuple[Span, str]]:
    """Yield each value in *node* that is assigned to the name of a secret."""
    if isinstance(node, Scalar):
        for secret in assigned_secrets(node.text):
            yield _secret_span(node, secret), secret.description
    elif isinstance(node, Mapping):
        for entry in node.entries:
            value, name = entry.value, entry.key.text
            if name in _NO_VALUES:
                continue
            if isinstance(value, Scalar) and is_secret_name(name) and is_likely_secret(value.text):
                yield value.part(0, len(value.text)), f'the value of "{name}"'
            else:
                yield from _assigned_secrets(value)
    else:
        for item in children(node):
            yield from _assigned_secrets(item)


def _secret_span(node: Scalar, secret: Secret) -> Span:
    return node.part(secret.start, secret.end)


def _service_values(stage: CheckedStage) -> frozenset[str]:
    """Return the environment values of a stage's services, which the stage may repeat."""
    return frozenset(value for service in stage.job.machine.services for _, value in service.env)


def _overlaps(first: Span, second: Span) -> bool:
    return first.file is second.file and first.start < second.end and second.start < first.end
