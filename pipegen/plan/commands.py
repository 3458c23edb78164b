"""A stage's script, its environment and the outputs that it leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.plan.checks import check_variable
from pipegen.plan.model import Commands, Measure, Measured
from pipegen.plan.values import Values
from pipegen.source.tree import Entry, Mapping, Node, Scalar, Sequence

_OUTPUT_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def commands(stage: Stage, values: Values) -> Commands | None:
    """Return the script of *stage*; None without one, when what belongs to a script is reported."""
    if stage.script is None:
        _check_alone(stage, values)
        return None
    env = values.map(stage.env, stage.script.span)
    for name, _ in env.entries:
        check_variable(name, values.report)
        if name.constant is None or not _VARIABLE.fullmatch(name.constant):
            values.report.add(
                codes.INVALID_VARIABLE,
                f'"{name.constant or "${…}"}" is no name that a shell takes for a variable',
                at=name.span,
                hint='use letters, digits and "_", and begin with no digit',
            )
    found = Commands(
        lines=tuple(values.line(item) for item in _entries(stage.script.node)),
        env=tuple((name.constant or "", values.as_text(value)) for name, value in env.entries),
        outputs=tuple(_outputs(stage, values)),
        span=stage.script.span,
    )
    for output in found.outputs:
        if not _OUTPUT_NAME.fullmatch(output.name):
            values.report.add(
                codes.INVALID_VARIABLE,
                f'"{output.name}" is no name that a reference could read',
                at=output.span,
                hint='use letters, digits, "_", "-" and "."',
            )
    return found


def _check_alone(stage: Stage, values: Values) -> None:
    """Report keys that say something of a script that is not there."""
    for key, span in (
        ("outputs", stage.outputs.span if stage.outputs else None),
        ("env", stage.env.span if stage.env else None),
    ):
        if span is not None:
            values.report.add(
                codes.MISSING_KEY,
                f'stage "{stage.name.value}" has "{key}", and no script',
                at=span,
                hint='add "script"; a container that "run" starts has an "env" of its own, and "exports" binds texts',
            )


def _entries(node: Node) -> tuple[Scalar, ...]:
    items = node.items if isinstance(node, Sequence) else (node,)
    return tuple(item for item in items if isinstance(item, Scalar))


def _outputs(stage: Stage, values: Values) -> Iterator[Measured]:
    node = stage.outputs.node if stage.outputs else None
    if isinstance(node, Sequence):
        for item in _entries(node):
            yield Measured(name=item.text, measure=Measure.WRITTEN, span=item.span)
    if isinstance(node, Mapping):
        yield from (_measured(entry, values) for entry in node.entries)


def _measured(entry: Entry, values: Values) -> Measured:
    body = entry.value
    command = body.get("command") if isinstance(body, Mapping) else None
    file = body.get("file") if isinstance(body, Mapping) else None
    if isinstance(command, Scalar):
        return Measured(name=entry.key.text, measure=Measure.COMMAND, command=values.line(command), span=entry.key.span)
    path: Text = values.text(file, entry.key.text, entry.key.span)
    return Measured(name=entry.key.text, measure=Measure.FILE, file=path, span=entry.key.span)
