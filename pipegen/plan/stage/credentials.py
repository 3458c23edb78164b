"""The credentials of a `run`."""

from __future__ import annotations

from pipegen.bindings.expression import Expression, Loop, Map, Text
from pipegen.diagnostics import codes
from pipegen.plan.model import Credential, CredentialKind
from pipegen.plan.model.steps import is_variable_name
from pipegen.plan.values import StageValues
from pipegen.source.tree import Node

_KINDS: tuple[tuple[CredentialKind, tuple[str, ...]], ...] = (
    (CredentialKind.SSH_KEY, ("keyFileVariable",)),
    (CredentialKind.PASSWORD, ("usernameVariable", "passwordVariable")),
    (CredentialKind.TEXT, ("name",)),
)


def credentials(node: Node | None, values: StageValues) -> tuple[Credential, ...]:
    """Return the credentials that *node* lists, which must be known at compile time."""
    listed = []
    for item in values.items(node, lambda item: item):
        if isinstance(item, Loop):
            values.report.add(
                codes.EXPECTED_TEXT,
                "credentials must be known when the pipeline is compiled",
                at=item.span,
                hint="list them: an engine binds them before the run starts",
            )
        else:
            listed.append(_credential(item, values))
    return tuple(listed)


def _credential(item: Expression, values: StageValues) -> Credential:
    entry = values.as_map(item)
    kind, keys = next(
        candidate for candidate in _KINDS if candidate[0] is CredentialKind.TEXT or entry.get(candidate[1][0])
    )
    for key, _ in entry.entries:
        if key.constant not in ("id", *keys):
            values.report.add(
                codes.UNKNOWN_KEY,
                f'"{key.constant}" has no meaning beside "{keys[0]}"',
                at=key.span,
                hint=f"remove it: this credential uses {' and '.join(keys)}",
            )
    variables = tuple(_variable(entry, key, values) for key in keys)
    return Credential(id=_constant(entry, "id", values) or "", kind=kind, variables=variables, span=item.span)


def _variable(entry: Map, key: str, values: StageValues) -> str:
    name, value = _constant(entry, key, values), entry.get(key)
    if name is not None and not is_variable_name(name):
        values.report.add(
            codes.INVALID_VARIABLE,
            f'"{name}" is not a valid name of an environment variable',
            at=value.span if value else entry.span,
            hint='use letters, digits and "_", and begin with no digit',
        )
    return name or ""


def _constant(entry: Map, key: str, values: StageValues) -> str | None:
    """Return the text of *key*; a run-time value is reported."""
    text = values.as_text(entry.get(key) or Text((), entry.span))
    if text.constant is None:
        values.report.add(
            codes.EXPECTED_TEXT,
            f'"{key}" of a credential must be known when the pipeline is compiled',
            at=text.span,
            hint="write it out: an engine binds credentials before the run starts",
        )
    return text.constant
