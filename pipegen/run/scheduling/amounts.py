"""How much of what: slots, processors, memory, by name; what is not named is none."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from pipegen.run.model import Demand

SLOTS, CPU, MEMORY = "slots", "cpu", "memory"

# Whole numbers, or infinity for what has no bound.
Amounts = Mapping[str, float]


def asks(demand: Demand) -> Amounts:
    """Return how much of a machine *demand* takes."""
    amounts = {SLOTS: demand.slots, CPU: demand.cpu, MEMORY: demand.memory}
    return {name: float(amount) for name, amount in amounts.items() if amount}


def fits(asked: Amounts, room: Amounts) -> bool:
    """Return whether *room* holds all that is *asked* for."""
    for name, amount in asked.items():  # noqa: SIM110 # asked for each task and machine: twice as fast as all()
        if amount > room.get(name, 0):
            return False
    return True


def put_to(sum_: dict[str, float], more: Amounts) -> None:
    """Put *more* to a sum."""
    for name, amount in more.items():
        sum_[name] = sum_.get(name, 0) + amount


def take_from(sum_: dict[str, float], less: Amounts) -> None:
    """Take from a sum what was put to it."""
    for name, amount in less.items():
        sum_[name] -= amount


def share(part: Amounts, whole: Amounts) -> float:
    """Return the largest share that *part* is of *whole*; what is part of nothing is all of it (dominant share)."""
    found = 0.0
    for name, amount in part.items():
        if amount > 0:
            total = whole.get(name, 0)
            found = max(found, amount / total if total > 0 else 1.0)
    return found


def is_bounded(amount: float) -> bool:
    """Return whether *amount* can run out."""
    return amount != inf
