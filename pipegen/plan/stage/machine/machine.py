"""The machine of a stage: image and services, labels, resources, variables of its runner, shell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Machine, Pod, RunnerVariable, ShellProgram, Step, TriggerJob
from pipegen.plan.stage.machine.images import image
from pipegen.plan.stage.machine.labels import is_expression, label_operands
from pipegen.plan.stage.machine.pods import image_and_pod, labels_node
from pipegen.plan.stage.machine.resources import resources
from pipegen.plan.stage.machine.services import services
from pipegen.plan.values import StageValues
from pipegen.source.tree import Scalar, entries_of, scalars_of

_ANYWHERE = Machine()
_UNWRITABLE = r"[\x00-\x1f\x7f$\\\"]"


def machine(stage: StageConfig, directory: str, values: StageValues) -> Machine:
    """Return the machine that *stage* needs, which runs in *directory*."""
    if not any((stage.services, stage.agent, stage.resources, stage.runner_variables, stage.shell, stage.tools)):
        return Machine(image=image(stage, directory, values)) if stage.image is not None else _ANYWHERE
    labels, expressions = _labels(stage, values.report)
    job_image, pod = image_and_pod(stage, directory, values)
    return Machine(
        image=job_image,
        pod=pod,
        services=services(stage, values),
        labels=labels,
        label_expressions=expressions,
        labels_span=stage.agent.span if stage.agent else None,
        tools=_tools(stage),
        tools_span=stage.tools.span if stage.tools else None,
        resources=resources(stage.resources, values.report) if stage.resources else None,
        runner_variables=_runner_variables(stage),
        shell=ShellProgram(stage.shell.value) if stage.shell else ShellProgram.SH,
        shell_span=stage.shell.span if stage.shell else None,
    )


def check_tools(stage: StageConfig, steps: Sequence[Step], pod: Pod | None, report: Report) -> None:
    """Report the tools of *stage* if nothing can use them: Jenkins installs them on an agent, for its script."""
    if stage.tools is None:
        return
    if stage.image is not None or pod is not None:
        machine_entry = stage.image or stage.agent
        name = "an image" if pod is None else "a container of a pod"
        report.add(
            codes.INVALID_VALUE,
            f"{name} does not contain tools of Jenkins",
            at=stage.tools.span,
            related=[Label(machine_entry.span, "the image" if pod is None else "the pod")] if machine_entry else [],
            hint='remove "tools", and use an image that contains them',
        )
    elif stage.steps is None and all(isinstance(step, TriggerJob) for step in steps):
        report.add(
            codes.MISSING_KEY,
            f'stage "{stage.display_name}" has "tools" but no script',
            at=stage.tools.span,
            hint='add "script": tools are on the PATH of its commands',
        )


def _tools(stage: StageConfig) -> tuple[tuple[str, str], ...]:
    """Return the type and the name of each tool of *stage*."""
    entries = entries_of(stage.tools.node) if stage.tools is not None else ()
    return tuple((entry.key.text, entry.value.text) for entry in entries if isinstance(entry.value, Scalar))


def _runner_variables(stage: StageConfig) -> tuple[RunnerVariable, ...]:
    """Return the variables that *stage* sets for its runner, in the order of the file."""
    entries = entries_of(stage.runner_variables.node) if stage.runner_variables is not None else ()
    return tuple(
        RunnerVariable(name=entry.key.text, value=entry.value.text, span=entry.key.span, value_span=entry.value.span)
        for entry in entries
        if isinstance(entry.value, Scalar)
    )


def _labels(stage: StageConfig, report: Report) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels of *stage*, each once, in the order of the file, and the expressions over labels."""
    if stage.agent is None:
        return (), ()
    labels: dict[str, None] = {}
    expressions: dict[str, None] = {}
    for text in scalars_of(labels_node(stage)):
        for operand in _operands(text, report):
            (expressions if is_expression(operand) else labels)[operand] = None
    return tuple(labels), tuple(expressions)


def _operands(label: Scalar, report: Report) -> tuple[str, ...]:
    """Return the operands of `&&` in *label*, which is one label or an expression; errors are reported."""
    if is_expression(label.text):
        operands = label_operands(label.text)
        if operands is None:
            report.add(
                codes.INVALID_VALUE,
                f'"{label.text}" is not a complete expression over labels',
                at=label.span,
                hint='join labels with "&&" and "||", with "!" before a label, and parentheses: "linux && !arm"',
            )
        return operands or ()
    if not label.text.strip() or re.search(_UNWRITABLE, label.text):
        report.add(
            codes.INVALID_VALUE,
            f'"{label.text}" is not a valid label',
            at=label.span,
            hint="use text on one line without quotes, dollar signs and backslashes",
        )
    return (label.text.strip(),)
