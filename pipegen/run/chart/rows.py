"""The rows of a chart: stages, or if there are too many, the slots of executors."""

from __future__ import annotations

from collections.abc import Container

from pipegen.run.model import TaskId
from pipegen.run.simulation import Simulation
from pipegen.run.timeline import Bar
from pipegen.structs import Struct


class ChartRow(Struct):
    """A row of a chart: a name, and its attempts in the order in which they started."""

    name: str
    bars: tuple[Bar, ...]

    @property
    def seconds(self) -> float:
        """The time from the start of the first attempt to the end of the last one."""
        return max(bar.end for bar in self.bars) - self.bars[0].start


def rows(simulation: Simulation, most: int) -> tuple[ChartRow, ...]:
    """Return a row for each stage in starting order, or for each slot if there are more than *most* stages."""
    if simulation.stages > most:
        return _by_slot(simulation)
    bars_by_row: dict[TaskId, list[Bar]] = {}
    for bar in simulation.bars:
        bars_by_row.setdefault(bar.task.id, []).append(bar)
    return tuple(ChartRow(simulation.name(task), tuple(bars)) for task, bars in bars_by_row.items())


def _by_slot(simulation: Simulation) -> tuple[ChartRow, ...]:
    """Return a row for each used slot, in the order of the machines."""
    bars_by_row: dict[tuple[str, int], list[Bar]] = {}
    for bar in simulation.bars:
        for number in bar.slots:
            bars_by_row.setdefault((bar.attempt.machine, number), []).append(bar)
    indexes = {machine.name: index for index, machine in enumerate(simulation.machines)}
    several = with_slots(simulation)
    return tuple(
        ChartRow(slot(machine, number, several), tuple(bars_by_row[machine, number]))
        for machine, number in sorted(bars_by_row, key=lambda key: (indexes[key[0]], key[1]))
    )


def with_slots(simulation: Simulation) -> frozenset[str]:
    """Return the names of the machines with several slots."""
    return frozenset(machine.name for machine in simulation.machines if machine.slots != 1)


def slot(machine: str, number: int, several: Container[str]) -> str:
    """Return the name of a slot: the name of the machine, with a number if the machine is one of *several*."""
    return f"{machine} {number + 1}" if machine in several else machine
