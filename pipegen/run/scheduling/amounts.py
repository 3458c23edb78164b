"""Amounts of resources by name: slots, processors, memory; missing names are 0."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from pipegen.run.model import Demand

SLOTS, CPU, MEMORY = "slots", "cpu", "memory"

# Whole numbers, or infinity for unlimited resources.
Amounts = Mapping[str, float]


def requests(demand: Demand) -> Amounts:
    """Return the resources that *demand* takes."""
    amounts = {SLOTS: demand.slots, CPU: demand.cpu, MEMORY: demand.memory}
    return {name: float(amount) for name, amount in amounts.items() if amount}


def fits(requested: Amounts, room: Amounts) -> bool:
    """Return whether *room* is enough for the *requested* amounts."""
    for name, amount in requested.items():  # noqa: SIM110 # called for each task and machine: twice as fast as all()
        if amount > room.get(name, 0):
            return False
    return True


def add_to(total: dict[str, float], more: Amounts) -> None:
    """Add *more* to *total*."""
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def subtract(total: dict[str, float], less: Amounts) -> None:
    """Subtract *less* from *total*."""
    for name, amount in less.items():
        total[name] -= amount


def share(part: Amounts, whole: Amounts) -> float:
    """Return the dominant share of *part* in *whole*: the largest fraction; 1 if *whole* has none of a resource."""
    largest = 0.0
    for name, amount in part.items():
        if amount > 0:
            total = whole.get(name, 0)
            largest = max(largest, amount / total if total > 0 else 1.0)
    return largest


def is_bounded(amount: float) -> bool:
    """Return whether *amount* is finite."""
    return amount != inf
