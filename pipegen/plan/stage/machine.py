"""The machine of a stage: image and services, labels, resources, shell."""

from __future__ import annotations

import re

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Machine, ShellProgram
from pipegen.plan.stage.images import image
from pipegen.plan.stage.resources import resources
from pipegen.plan.stage.services import services
from pipegen.plan.values import StageValues
from pipegen.source.tree import Scalar, Sequence

# Jenkins' label operators; characters that GitLab expands in a tag.
_OPERATOR = r"&&|\|\||<?->|^!|[()]"
_ANYWHERE = Machine()
_UNWRITABLE = r"[\x00-\x1f\x7f$\\\"]"


def machine(stage: StageConfig, values: StageValues) -> Machine:
    """Return the machine that *stage* needs."""
    if stage.services is None and stage.agent is None and stage.resources is None and stage.shell is None:
        return Machine(image=image(stage, values)) if stage.image is not None else _ANYWHERE
    return Machine(
        image=image(stage, values),
        services=services(stage, values),
        labels=_labels(stage, values.report),
        labels_span=stage.agent.span if stage.agent else None,
        resources=resources(stage.resources, values.report) if stage.resources else None,
        shell=ShellProgram(stage.shell.value) if stage.shell else ShellProgram.SH,
        shell_span=stage.shell.span if stage.shell else None,
    )


def _labels(stage: StageConfig, report: Report) -> tuple[str, ...]:
    """Return the labels of *stage*, each once, in the order of the file."""
    if stage.agent is None:
        return ()
    node = stage.agent.node
    items = node.items if isinstance(node, Sequence) else (node,)
    labels: dict[str, None] = {}
    for item in items:
        if isinstance(item, Scalar):
            _check_label(item, report)
            labels[item.text.strip()] = None
    return tuple(labels)


def _check_label(label: Scalar, report: Report) -> None:
    """Report a label that engines do not accept as a single label."""
    if re.search(_OPERATOR, label.text):
        report.add(
            codes.INVALID_VALUE,
            f'"{label.text}" is a label expression, which only one engine reads',
            at=label.span,
            hint="list the labels that the machine must all have: [linux, docker]",
        )
    elif not label.text.strip() or re.search(_UNWRITABLE, label.text):
        report.add(
            codes.INVALID_VALUE,
            f'"{label.text}" is not a valid label',
            at=label.span,
            hint="use text on one line without quotes, dollar signs and backslashes",
        )
