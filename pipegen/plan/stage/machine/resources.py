"""The processors and memory that a stage needs."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from pipegen.config.model import StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Resources
from pipegen.source.tree import Node, Scalar, child

_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
# The minimum in Kubernetes: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
_MILLI = 1000
# More than any machine has.
_MOST = 10**15


def resources(value: StepValue, report: Report) -> Resources:
    """Return the `resources` of a stage, from *value*."""
    limits = child(value.node, "limits")
    result = Resources(
        cpu=cpu(child(value.node, "cpu"), report),
        memory=memory(child(value.node, "memory"), report),
        cpu_limit=cpu(child(limits, "cpu"), report),
        memory_limit=memory(child(limits, "memory"), report),
        span=value.span,
    )
    amounts = {"cpu": (result.cpu, result.cpu_limit), "memory": (result.memory, result.memory_limit)}
    for key, (amount, limit) in amounts.items():
        node = child(limits, key)
        if node is not None and amount is not None and limit is not None and limit < amount:
            report.add(
                codes.INVALID_VALUE,
                f'the limit of "{key}" is less than the stage requests',
                at=node.span,
                hint="increase the limit, or request less",
            )
    return result


def cpu(node: Node | None, report: Report) -> int | None:
    """Return thousandths of a processor; None if *node* sets none. Invalid values are reported."""
    if not isinstance(node, Scalar):
        return None
    try:
        thousandths = Decimal(node.text.removesuffix("m")) * (1 if node.text.endswith("m") else _MILLI)
    except InvalidOperation:
        thousandths = Decimal(0)
    if not thousandths.is_finite() or not 1 <= thousandths <= _MOST or thousandths != thousandths.to_integral_value():
        report.add(
            codes.INVALID_VALUE,
            f'"{node.text}" is not a number of processors',
            at=node.span,
            hint="write 2, 0.5, or 500m for half a processor; the minimum is 1m",
        )
        return None
    return int(thousandths)


def memory(node: Node | None, report: Report) -> int | None:
    """Return bytes; None if *node* sets none. Invalid values are reported."""
    if not isinstance(node, Scalar):
        return None
    digits = node.text.rstrip("KMGi")
    bytes_ = int(digits) * _UNITS.get(node.text[len(digits) :], 1) if digits.isdecimal() else 0
    if not 1 <= bytes_ <= _MOST:
        report.add(
            codes.INVALID_VALUE,
            f'"{node.text}" is not an amount of memory',
            at=node.span,
            hint="write bytes, or a number with a unit: 512Mi, 4Gi",
        )
        return None
    return bytes_
