"""The secrets of a stage, which the engine stores and binds to environment variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Credential, CredentialKind, IdToken, RunContainer, Step
from pipegen.plan.stage.variables import check_variable_name
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Node, as_items, child, entries_of, items_of, written_text
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct

_KINDS = {
    "text": CredentialKind.TEXT,
    "file": CredentialKind.FILE,
    "password": CredentialKind.PASSWORD,
    "ssh_key": CredentialKind.SSH_KEY,
}
_CONTROL = r"[\x00-\x1f\x7f]"


class StageSecrets(Struct):
    """The secrets that the engine binds for the script of a stage."""

    credentials: tuple[Credential, ...] = ()
    id_tokens: tuple[IdToken, ...] = ()


_NONE = StageSecrets()


def secrets(stage: StageConfig, steps: Sequence[Step], report: Report) -> StageSecrets:
    """Return the secrets of *stage*; *steps* may bind others. Names that are bound twice are reported."""
    if stage.secrets is None or not isinstance(stage.secrets.node, TreeMapping):
        return _NONE
    if stage.script is None and stage.after is None and stage.steps is None:
        report.add(
            codes.MISSING_KEY,
            f'stage "{stage.display_name}" has "secrets" but no script',
            at=stage.secrets.span,
            hint='add "script"; for a container of "run", set its own "credentials"',
        )
    bound: list[Credential | IdToken] = []
    for entry in stage.secrets.node.entries:
        if stage.posts and "://" in written_text(entry.value):
            report.add(
                codes.INVALID_VALUE,
                '"url" takes the ID of a secret text, not the URL of the webhook itself',
                at=entry.value.span,
                hint="store the URL as a secret of the engine, and write its ID, such as chat-webhook",
            )
        bound += _secret(entry, report)
    stage_secrets = StageSecrets(
        tuple(secret for secret in bound if isinstance(secret, Credential)),
        tuple(secret for secret in bound if isinstance(secret, IdToken)),
    )
    _check_unique(stage_secrets, stage, steps, report)
    return stage_secrets


def _secret(entry: Entry, report: Report) -> Iterator[Credential | IdToken]:
    name, node = entry.key.text, entry.value
    if not check_variable_name(name, entry.key.span, report):
        return
    kind: str = "text"
    if isinstance(node, TreeMapping):
        kind_entry = node.entries[0]
        kind, node = kind_entry.key.text, kind_entry.value
    if kind == "id_token":
        audiences = tuple(_checked_text(item, "an audience", report) for item in as_items(node))
        yield IdToken(name, audiences, entry.key.span)
        return
    variables = (f"{name}_USERNAME", f"{name}_PASSWORD") if kind == "password" else (name,)
    yield Credential(
        id=_checked_text(node, "the ID of a secret", report),
        kind=_KINDS[kind],
        variables=variables,
        span=entry.key.span,
    )


def _checked_text(node: Node, what: str, report: Report) -> str:
    """Return the text of *node*; text that engines would cut or expand is reported."""
    text = written_text(node)
    if not text.strip() or re.search(_CONTROL, text) or "$" in text:
        report.add(
            codes.INVALID_VALUE,
            f'"{text}" is not {what}',
            at=node.span,
            hint="write it out, on one line and without dollar signs: an engine binds secrets before the run starts",
        )
    return text


def _check_unique(stage_secrets: StageSecrets, stage: StageConfig, steps: Sequence[Step], report: Report) -> None:
    """Report variables that two secrets, or a secret and `env`, set."""
    bound: dict[str, tuple[Credential | IdToken, Span]] = {}
    others = (credential for step in steps if isinstance(step, RunContainer) for credential in step.credentials)
    all_: tuple[Credential | IdToken, ...] = (*stage_secrets.credentials, *stage_secrets.id_tokens, *others)
    for secret in all_:
        for variable in secret.variables if isinstance(secret, Credential) else (secret.variable,):
            first = bound.setdefault(variable, (secret, secret.span))
            if first[0] != secret:
                _report_twice(variable, secret.span, first[1], report)
    for name, span in _exported(stage).items():
        if name in bound:
            _report_twice(name, span, bound[name][1], report)


def _exported(stage: StageConfig) -> Mapping[str, Span]:
    bodies = [stage.env.node] if stage.env else []
    for case in items_of(stage.cases.node) if stage.cases else ():
        env = child(case, "env")
        bodies += [env] if env is not None else []
    return {entry.key.text: entry.key.span for body in bodies for entry in entries_of(body)}


def _report_twice(variable: str, at: Span, first: Span, report: Report) -> None:
    report.add(
        codes.SECRET_BOUND_TWICE,
        f'the variable "{variable}" is set twice, once to a secret',
        at=at,
        label="set again",
        related=[Label(first, "holds the secret")],
        hint="give one of the two another name",
    )
