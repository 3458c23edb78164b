"""The machine of a stage: image and services, labels, resources, shell."""

from __future__ import annotations

import re

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Machine, ShellProgram
from pipegen.plan.stage.images import image
from pipegen.plan.stage.labels import is_expression, label_operands
from pipegen.plan.stage.pods import image_and_pod, labels_node
from pipegen.plan.stage.resources import resources
from pipegen.plan.stage.services import services
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Scalar, Sequence

_ANYWHERE = Machine()
_UNWRITABLE = r"[\x00-\x1f\x7f$\\\"]"


def machine(stage: StageConfig, values: StageValues) -> Machine:
    """Return the machine that *stage* needs."""
    if not any((stage.services, stage.agent, stage.resources, stage.shell, stage.tools)):
        return Machine(image=image(stage, values)) if stage.image is not None else _ANYWHERE
    labels, expressions = _labels(stage, values.report)
    job_image, pod = image_and_pod(stage, values)
    return Machine(
        image=job_image,
        pod=pod,
        services=services(stage, values),
        labels=labels,
        label_expressions=expressions,
        labels_span=stage.agent.span if stage.agent else None,
        tools=_tools(stage, values.report),
        tools_span=stage.tools.span if stage.tools else None,
        resources=resources(stage.resources, values.report) if stage.resources else None,
        shell=ShellProgram(stage.shell.value) if stage.shell else ShellProgram.SH,
        shell_span=stage.shell.span if stage.shell else None,
    )


def _tools(stage: StageConfig, report: Report) -> tuple[tuple[str, str], ...]:
    """Return the type and the name of each tool of *stage*."""
    node = stage.tools.node if stage.tools is not None else None
    if stage.tools is None or not isinstance(node, Mapping):
        return ()
    if stage.image is not None:
        report.add(
            codes.INVALID_VALUE,
            f'stage "{stage.display_name}" runs in an image, which does not contain tools of Jenkins',
            at=stage.tools.span,
            related=[Label(stage.image.span, "the image")],
            hint='remove "tools", and use an image that contains them',
        )
    return tuple((entry.key.text, entry.value.text) for entry in node.entries if isinstance(entry.value, Scalar))


def _labels(stage: StageConfig, report: Report) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels of *stage*, each once, in the order of the file, and the expressions over labels."""
    if stage.agent is None:
        return (), ()
    node = labels_node(stage)
    items = node.items if isinstance(node, Sequence) else (node,)
    labels: dict[str, None] = {}
    expressions: dict[str, None] = {}
    for item in items:
        if isinstance(item, Scalar):
            for operand in _operands(item, report):
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
