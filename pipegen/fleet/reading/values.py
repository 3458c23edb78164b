"""Values in the file of a fleet: times, amounts, distributions. The schema has checked their form."""

from __future__ import annotations

from math import inf

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.fleet.distributions import Distribution, Exponential, FixedTime, LogNormal
from pipegen.plan.durations import length
from pipegen.plan.stage.machine.resources import cpu, memory
from pipegen.run.scheduling.amounts import CPU, MEMORY, SLOTS, Amounts
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, integer, number


def mapping(node: Node | None, parent: Node) -> Mapping:
    """Return *node* as a map, empty and at the place of *parent* without it."""
    return node if isinstance(node, Mapping) else Mapping((), parent.span)


def whole(node: Node | None, default: int) -> int:
    """Return the whole number of *node*."""
    return integer(node.text) if isinstance(node, Scalar) else default


def flag(node: Node | None) -> bool:
    """Return the boolean of *node*; True by default."""
    return not isinstance(node, Scalar) or node.value is True


def fraction(node: Node | None) -> float:
    """Return the number of *node*; 0 by default."""
    if not isinstance(node, Scalar):
        return 0.0
    return float(integer(node.text)) if node.kind is ScalarKind.INTEGER else number(node.text)


def time_of(node: Node | None, default: float = 0.0) -> float:
    """Return the seconds of *node*: a number, or a time in words."""
    if not isinstance(node, Scalar):
        return default
    if node.kind in (ScalarKind.INTEGER, ScalarKind.NUMBER):
        return float(node.value or 0)
    return float(length(node))


def amounts(node: Node | None, report: Report) -> Amounts:
    """Return the amounts of resources in *node*, {} without it."""
    if not isinstance(node, Mapping):
        return {}
    slots = node.get(SLOTS)
    read = {
        SLOTS: fraction(slots) if slots is not None else None,
        CPU: cpu(node.get(CPU), report),
        MEMORY: memory(node.get(MEMORY), report),
    }
    return {name: float(amount) for name, amount in read.items() if amount is not None}


def bounded(bounds: Amounts) -> Amounts | None:
    """Return *bounds* as an upper bound: other resources are unlimited, and None is no bound."""
    return {name: bounds.get(name, inf) for name in (SLOTS, CPU, MEMORY)} if bounds else None


def distribution(node: Node, report: Report) -> Distribution:
    """Return the distribution of *node*."""
    if not isinstance(node, Mapping):
        return FixedTime(time_of(node))
    mean = node.get("mean")
    if mean is not None:
        exponential = Exponential(time_of(mean))
        if not exponential.mean:
            report.add(
                codes.INVALID_FLEET_VALUE,
                "the mean of a time is 0",
                at=mean.span,
                hint="write a longer time, or 0 in place of the distribution",
            )
        return exponential
    median, p95 = time_of(node.get("median")), time_of(node.get("p95"))
    if not 0 < median <= p95:
        report.add(
            codes.INVALID_FLEET_VALUE,
            "the median of a time is above zero, and not above the 95th percentile",
            at=node.span,
            hint="swap the two values, or write a single time",
        )
        return FixedTime(median)
    return LogNormal(median, p95)
