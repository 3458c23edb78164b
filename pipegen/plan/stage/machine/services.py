"""The service containers of a stage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.config.model import StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.plan.model import Line, Service
from pipegen.plan.model.machine import last_part
from pipegen.plan.stage.commands import check_entries, commands_of
from pipegen.plan.stage.machine.images import image_name
from pipegen.plan.stage.variables import check_variable_name
from pipegen.plan.values import StageValues
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, child, entries_of, items_of, scalars_of

# Valid image names; a run-time value is one NUL character.
_KNOWN = r"[A-Za-z0-9\0][A-Za-z0-9._:/@\0-]*"
_ALIAS = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"


def services(stage: StageConfig, values: StageValues) -> tuple[Service, ...]:
    """Return the services of *stage*; two with the same alias are reported."""
    node = stage.services.node if stage.services else None
    by_alias: dict[str, Service] = {}
    for item in items_of(node):
        service = _service(item, values)
        first = by_alias.setdefault(service.alias, service)
        if first is not service and service.alias:
            values.report.add(
                codes.REPEATED_ALIAS,
                f'two services of stage "{stage.display_name}" have the alias "{service.alias}"',
                at=service.span,
                related=[Label(first.span, "the first one")],
                hint='give one of them another alias: "alias: other"',
            )
    return tuple(by_alias.values())


def _service(node: Node, values: StageValues) -> Service:
    name_node = child(node, "image")
    body = node if isinstance(node, Mapping) and name_node is not None else Mapping((), node.span)
    name = image_name(name_node or node, values)
    alias = body.get("alias")
    return Service(
        image=name,
        alias=alias.text if isinstance(alias, Scalar) else _alias(name, values),
        env=tuple(_variables(body.get("env"), values)),
        command=tuple(_words(body.get("command"))),
        ready=_ready(body.entry("ready"), values),
        span=name.span,
    )


def _alias(name: Text, values: StageValues) -> str:
    """Return the last component of an image name, without tag and digest."""
    text = "".join(part if isinstance(part, str) else "\0" for part in name.parts)
    alias = last_part(text)
    if re.fullmatch(_KNOWN, text) and not re.fullmatch(_ALIAS, alias):
        values.report.add(
            codes.MISSING_KEY,
            "the name of the image is not a host name",
            at=name.span,
            hint='set the host name of the service: "alias: db"',
        )
        return ""
    return alias


def _ready(entry: Entry | None, values: StageValues) -> Line | None:
    if entry is None or not isinstance(entry.value, Scalar):
        return None
    check_entries("ready", commands_of(entry.value), StepValue(entry.value, entry.key.span), values.report)
    return values.line(entry.value)


def _words(node: Node | None) -> Iterator[str]:
    return (word.text for word in scalars_of(node))


def _variables(node: Node | None, values: StageValues) -> Iterator[tuple[str, str]]:
    for entry in entries_of(node):
        span: Span = entry.key.span
        if check_variable_name(entry.key.text, span, values.report) and isinstance(entry.value, Scalar):
            yield entry.key.text, entry.value.text
