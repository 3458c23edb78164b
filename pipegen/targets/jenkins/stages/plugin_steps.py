"""Steps of plugins and shared libraries before and after the script of a stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.emit.groovy import literal
from pipegen.plan.model import Job
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.stages.known_steps import KnownStep, known_steps
from pipegen.targets.jenkins.stages.raw import NAME, is_call

# A call on one line, with or without parentheses.
_STATEMENT = rf"{NAME}([ \t(][^\r\n]*)?"
# The parameters of a step, as keys of a map and of Groovy.
_KEY = r"[A-Za-z_]\w*"


def plugin_steps(calls: Sequence[Node]) -> tuple[model.Step, ...]:
    """Return the steps that the user wrote as *calls*."""
    return tuple(model.GroovyStatement(text) for call in calls if (text := _statement(call)))


def statements(job: Job) -> tuple[str, ...]:
    """Return all steps of plugins of *job* in Groovy."""
    return tuple(filter(None, map(_statement, _calls(job))))


def needs_agent(job: Job) -> bool:
    """Return whether a step of a plugin of *job* certainly needs an agent, or the stage asks for one."""
    names = {model.step_name(statement) for statement in statements(job)}
    is_known = any(step.needs_agent for name, step in known_steps().items() if name in names)
    return bool(names) and (is_known or bool(job.machine.labels) or job.machine.image is not None)


def check_plugin_steps(job: Job, report: Report) -> None:
    """Report steps of plugins of *job* that are not calls, and wrong parameters of known steps."""
    for call in _calls(job):
        if isinstance(call, Mapping):
            _check_parameters(call.entries[0], report)
        elif not is_call(call, _STATEMENT):
            _refuse(
                call,
                "this is not a Jenkins step on one line",
                'write a call, such as "waitForQualityGate abortPipeline: true", or a map: "acmeDeploy: {to: staging}"',
                report,
            )
        elif isinstance(call, Scalar):
            _known(model.step_name(call.text.strip()), call, report)


def _calls(job: Job) -> Iterator[Node]:
    if job.plugin_steps is not None:
        yield from job.plugin_steps.before
        yield from job.plugin_steps.after


def _statement(call: Node) -> str:
    """Return *call* in Groovy; a bare name is a call."""
    if isinstance(call, Mapping):
        entry = call.entries[0]
        return f"{entry.key.text}({_arguments(entry.value)})"
    text = call.text.strip() if isinstance(call, Scalar) else ""
    return f"{text}()" if re.fullmatch(NAME, text) else text


def _arguments(value: Node) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_key(entry)}: {_value(entry.value)}" for entry in value.entries)
    return "" if isinstance(value, Scalar) and value.kind is ScalarKind.NULL else _value(value)


def _value(value: Node) -> str:  # noqa: PLR0911 - one for each kind
    """Return *value* as an expression in Groovy."""
    match value:
        case Mapping(entries=()):
            return "[:]"
        case Mapping():
            return f"[{_arguments(value)}]"
        case TreeSequence():
            return f"[{', '.join(map(_value, value.items))}]"
        case Scalar(kind=ScalarKind.NULL):
            return "null"
        case Scalar(kind=ScalarKind.BOOLEAN | ScalarKind.INTEGER):
            return str(value.value).lower()
        case Scalar(kind=ScalarKind.NUMBER) if re.fullmatch(r"-?\d+[.]\d+", value.text):
            return value.text
        case Scalar():
            return literal(value.text)


def _key(entry: Entry) -> str:
    return entry.key.text if re.fullmatch(_KEY, entry.key.text) else literal(entry.key.text)


def _check_parameters(entry: Entry, report: Report) -> None:
    """Report the step *entry*, a name with its parameters, if Jenkins refuses it."""
    name = entry.key.text
    if not re.fullmatch(NAME, name):
        hint = 'write the name of a step, such as "acmeDeploy", and its parameters as a map'
        if isinstance(entry.value, Scalar) and re.fullmatch(_STATEMENT, name):
            hint = f"for YAML, this is a key with a value; put quotes around the step: '{name}: {entry.value.text}'"
        _refuse(entry.key, f'"{name}" is not the name of a Jenkins step', hint, report)
        return
    step = _known(name, entry.key, report)
    if step is None or not isinstance(entry.value, Mapping):
        return
    for parameter in entry.value.entries:
        if parameter.key.text not in step.parameters:
            suggested = suggestion(parameter.key.text, step.parameters)
            known = f"its parameters are {listed(step.parameters)}" if step.parameters else "it has no parameters"
            hint = f'rename it to "{suggested}"' if suggested else known
            _refuse(parameter.key, f'the step "{name}" has no parameter "{parameter.key.text}"', hint, report)
    for required in step.required:
        if entry.value.get(required) is None:
            _refuse(entry.key, f'the step "{name}" needs the parameter "{required}"', f'add "{required}"', report)


def _known(name: str, node: Node, report: Report) -> KnownStep | None:
    """Return the known step *name*, None if it is of a library or a plugin that is not known; blocks are reported."""
    step = known_steps().get(name)
    if step is None or not step.is_block:
        return step
    hint = 'to put it around the steps of the stage, write "raw: {jenkins: {wrap: […]}}"'
    _refuse(node, f'the step "{name}" has other steps inside', hint, report)
    return None


def _refuse(node: Node, message: str, hint: str, report: Report) -> None:
    report.add(codes.INVALID_PLUGIN_STEP, message, at=node.span, hint=hint)
