"""A stage's script with its environment and outputs, and its `before` and `after` commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.bindings.names import FAILED
from pipegen.config.model import StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Commands, Export, Line, Measure, Measured, Step, TriggerJob
from pipegen.plan.stage.variables import check_variable_name
from pipegen.plan.values import StageValues
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, Sequence, child, entries_of, items_of, scalars_of

_OUTPUT_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
# Conventional names of environment variables, not variables of awk or jq, nor regular expressions.
_LITERAL = r"(?<![$\\])\$[A-Z][A-Z0-9_]+(?![a-z])"
_VARIABLE = r"(?<![$\\])\$(?P<brace>\{)?(?P<name>[A-Z][A-Z0-9_]+)(?(brace)\}|(?![a-z]))"
# Keys of caches, environments and artifacts whose values take references.
_NAME_KEYS = ("key", "prefix", "fallback", "name", "url")
_ODD_BACKSLASHES = r"(?<!\\)(?:\\\\)*\\$"


def commands(stage: StageConfig, values: StageValues) -> Commands | None:
    """Return the script of *stage*, or None.

    Without a script, keys that require one are reported.
    """
    if stage.script is None:
        _check_alone(stage, values.report)
        return None
    entries = commands_of(stage.script.node)
    check_entries("script", entries, stage.script, values.report)
    if stage.before is not None:
        before = commands_of(stage.before.node)
        check_entries("before", before, stage.before, values.report)
        entries = (*before, *entries)
    script = Commands(
        lines=tuple([values.line(item) for item in entries]),
        env=variables(stage, values),
        outputs=_outputs(stage, values),
        span=stage.script.span,
    )
    for output in script.outputs:
        _check_output(output, values.report)
    return script


def variables(stage: StageConfig, values: StageValues) -> tuple[tuple[str, Text], ...]:
    """Return the variables in `env` of *stage*; invalid names are reported."""
    return variables_in(stage.env.node, stage.env.span, values) if stage.env is not None else ()


def variables_in(env: Node, span: Span, values: StageValues) -> tuple[tuple[str, Text], ...]:
    """Return the variables in the map *env* at *span*; invalid names are reported."""
    entries = values.map(env, span).entries
    check_literals(env, values.report)
    for name, _ in entries:
        check_variable_name(name.constant, name.span, values.report)
    return tuple([(name.constant or "", values.as_text(value)) for name, value in entries])


def script_entries(stage: StageConfig) -> tuple[Scalar, ...]:
    """Return the commands of the script of *stage*; those in `before` come first."""
    keys = (stage.before, stage.script) if stage.script is not None else ()
    return tuple([entry for key in keys if key is not None for entry in commands_of(key.node)])


def post_commands(stage: StageConfig, steps: tuple[Step, ...], values: StageValues) -> tuple[Line, ...]:
    """Return the `after` commands of *stage*; its *steps* may have failed, so they read none of their outputs."""
    if stage.after is None:
        return ()
    values = values.at(FAILED)
    if all(isinstance(step, Export | TriggerJob) for step in steps):
        values.report.add(
            codes.MISSING_KEY,
            f'stage "{stage.display_name}" has "after" but no steps',
            at=stage.after.span,
            hint='add "script"',
        )
    entries = commands_of(stage.after.node)
    check_entries("after", entries, stage.after, values.report)
    return tuple(values.line(entry) for entry in entries)


def commands_of(node: Node) -> tuple[Scalar, ...]:
    """Return the entries of *node* that contain a command."""
    return tuple([command for command in scalars_of(node) if command.text.strip()])


def check_entries(key: str, entries: tuple[Scalar, ...], value: StepValue, report: Report) -> None:
    """Report *entries* of *key* that no shell can run, or that engines run differently."""
    if not entries:
        report.add(codes.INVALID_VALUE, f'"{key}" contains no command', at=value.span, hint="write at least one")
        return
    if entries[0].text.startswith("#!"):
        report.add(
            codes.INVALID_VALUE,
            f'"{key}" names an interpreter, but the shell of the engine runs it',
            at=entries[0].span,
            hint="remove the line that starts with #!, and put programs in other languages into their own files",
        )
    for entry in entries:
        text = entry.text.rstrip("\r\n")
        if text.startswith("-") and (match := re.match(r"-([A-Za-z./$][^\n]*)", entry.span.text)):
            report.add(
                codes.INVALID_VALUE,
                "a dash begins an item of a list only with a blank after it",
                at=entry.part(0, len(match[0])),
                hint=f'write "- {match[1]}"',
            )
        if text.endswith("\\") and re.search(_ODD_BACKSLASHES, text):
            report.add(
                codes.INVALID_VALUE,
                "a backslash at the end would continue the command with the next line",
                at=entry.span,
                hint='write a command of several lines as one block: "- |", then its lines',
            )


def check_literals(env: Node, report: Report) -> None:
    """Report `$NAME` in the values of *env*, which neither the engine nor the shell expands."""
    entries = entries_of(env)
    for value in [entry.value for entry in entries if isinstance(entry.value, Scalar) and "$" in entry.value.text]:
        for match in re.finditer(_LITERAL, value.text):
            hint = f'write "${{{match[0][1:]}}}" for the variable'
            _report_literal(match, value, "env", hint, report)


def check_no_variables(stage: StageConfig, report: Report) -> None:
    """Report variables in names and keys of *stage*: caches, environments and archives."""
    values = (("cache", stage.cache), ("environment", stage.environment), ("artifacts", stage.artifacts))
    axes = stage.combination.axes if stage.combination is not None else ()
    for key, value in values:
        for text in _names(value.node) if value is not None and "$" in value.node.span.text else ():
            for match in re.finditer(_VARIABLE, text.text):
                name = match["name"]
                hint = (
                    f'write "${{matrix.{name}}}" for the value of the axis'
                    if name in axes
                    else f'write a setup value, such as "${{setup.branch}}", or "${{setup.params.{name}}}"'
                )
                _report_literal(match, text, key, hint, report)


def _names(node: Node) -> Iterator[Scalar]:
    """Yield the names and keys in *node*: itself, or the values of its keys that take text."""
    if isinstance(node, Scalar):
        yield node
    for item in items_of(node):
        yield from _names(item)
    for entry in entries_of(node):
        if entry.key.text in _NAME_KEYS:
            yield from _names(entry.value)


def _report_literal(match: re.Match[str], value: Scalar, key: str, hint: str, report: Report) -> None:
    report.add(
        codes.LITERAL_VARIABLE,
        f'"{match[0]}" is not expanded: a value of "{key}" is text',
        at=value.part(match.start(), match.end()),
        hint=hint,
    )


def _check_output(output: Measured, report: Report) -> None:
    if not _OUTPUT_NAME.fullmatch(output.name):
        report.add(
            codes.INVALID_VALUE,
            f'"{output.name}" is not a valid name of an output',
            at=output.span,
            hint='use letters, digits, "_", "-" and "."',
        )


def _check_alone(stage: StageConfig, report: Report) -> None:
    """Report keys that require a script in a stage without one."""
    for key, span in (
        ("before", stage.before.span if stage.before else None),
        ("outputs", stage.outputs.span if stage.outputs else None),
        ("env", stage.env.span if stage.env and not stage.steps else None),
    ):
        if span is not None:
            report.add(
                codes.MISSING_KEY,
                f'stage "{stage.display_name}" has "{key}" but no script',
                at=span,
                hint='add "script"; for a container of "run", set its own "env"; to bind text, use "exports"',
            )


def _outputs(stage: StageConfig, values: StageValues) -> tuple[Measured, ...]:
    if stage.outputs is None:
        return ()
    node = stage.outputs.node
    if type(node) is Mapping:
        return tuple([_measured(entry, values) for entry in node.entries])
    items = [item for item in node.items if isinstance(item, Scalar)] if isinstance(node, Sequence) else []
    return tuple([Measured(name=item.text, measure=Measure.WRITTEN, span=item.span) for item in items])


def _measured(entry: Entry, values: StageValues) -> Measured:
    command = child(entry.value, "command")
    if isinstance(command, Scalar):
        return Measured(name=entry.key.text, measure=Measure.COMMAND, command=values.line(command), span=entry.key.span)
    path = values.text(child(entry.value, "file"), entry.key.text, entry.key.span)
    return Measured(name=entry.key.text, measure=Measure.FILE, file=path, span=entry.key.span)
