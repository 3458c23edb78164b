"""What a chart of a run has in its rows: stages, or where there are too many of them, the slots of executors."""

from __future__ import annotations

from collections.abc import Container

from pipegen.run.model import TaskId
from pipegen.run.simulation import Simulation
from pipegen.run.timeline import Bar
from pipegen.structs import Struct


class ChartRow(Struct):
    """A line of a chart: a name, and the attempts in it, in the order in which they started."""

    name: str
    bars: tuple[Bar, ...]

    @property
    def seconds(self) -> float:
        """The time from the start of the first attempt to the end of the last one."""
        return max(bar.end for bar in self.bars) - self.bars[0].start


def rows(simulation: Simulation, most: int) -> tuple[ChartRow, ...]:
    """Return a row for each stage in the order in which they started; for each slot when there are more than *most*."""
    if simulation.stages > most:
        return by_slot(simulation)
    found: dict[TaskId, list[Bar]] = {}
    for bar in simulation.bars:
        found.setdefault(bar.task.id, []).append(bar)
    return tuple(ChartRow(simulation.name(task), tuple(bars)) for task, bars in found.items())


def by_slot(simulation: Simulation) -> tuple[ChartRow, ...]:
    """Return a row for each slot that was ever taken, in the order of the machines."""
    found: dict[tuple[str, int], list[Bar]] = {}
    for bar in simulation.bars:
        for lane in bar.lanes:
            found.setdefault((bar.attempt.machine, lane), []).append(bar)
    places = {machine.name: place for place, machine in enumerate(simulation.machines)}
    several = with_slots(simulation)
    return tuple(
        ChartRow(slot(machine, lane, several), tuple(found[machine, lane]))
        for machine, lane in sorted(found, key=lambda key: (places[key[0]], key[1]))
    )


def with_slots(simulation: Simulation) -> frozenset[str]:
    """Return the names of the machines that take several tasks at a time."""
    return frozenset(machine.name for machine in simulation.machines if machine.slots != 1)


def slot(machine: str, lane: int, several: Container[str]) -> str:
    """Return the name of a slot: the machine's, with a number where that is one of *several* slots."""
    return f"{machine} {lane + 1}" if machine in several else machine
