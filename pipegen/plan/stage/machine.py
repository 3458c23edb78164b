"""Where a stage runs: its image and services, labels, how much of a machine, the shell."""

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

# How Jenkins joins labels, and what GitLab expands in a tag.
_OPERATOR = r"&&|\|\||<?->|^!|[()]"
_ANYWHERE = Machine()
_UNWRITABLE = r"[\x00-\x1f\x7f$\\\"]"


def machine(stage: StageConfig, values: StageValues) -> Machine:
    """Return where *stage* runs."""
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
    """Return the labels of *stage*, each once, as they are written."""
    if stage.agent is None:
        return ()
    node = stage.agent.node
    items = node.items if isinstance(node, Sequence) else (node,)
    found: dict[str, None] = {}
    for item in items:
        if isinstance(item, Scalar):
            _check_label(item, report)
            found[item.text.strip()] = None
    return tuple(found)


def _check_label(label: Scalar, report: Report) -> None:
    """Report what no engine takes for one label."""
    if re.search(_OPERATOR, label.text):
        report.add(
            codes.INVALID_VALUE,
            f'"{label.text}" joins labels, which only one engine reads',
            at=label.span,
            hint="list the labels that a machine must have: [linux, docker]; there is no other way to join them",
        )
    elif not label.text.strip() or re.search(_UNWRITABLE, label.text):
        report.add(
            codes.INVALID_VALUE,
            f'"{label.text}" is no label',
            at=label.span,
            hint="a label is text on one line without quotes, dollar signs and backslashes",
        )
