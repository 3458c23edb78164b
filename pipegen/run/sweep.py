"""Simulations of a run on different numbers of executors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self

from pipegen.run.simulation import Simulation
from pipegen.structs import Struct

# Makespans that differ by less count as equal.
_NEAR = 0.05
# The rounding error of sums of fractions.
_ROUNDING = 1e-9


class Sweep(Struct):
    """Simulations by ascending number of executors; at least one."""

    simulations: tuple[tuple[int, Simulation], ...]

    @classmethod
    def over(cls, counts: Iterable[int], simulate: Callable[[int], Simulation]) -> Self:
        """Return the result of *simulate* for each of *counts* executors, which ascend."""
        return cls(tuple((count, simulate(count)) for count in counts))

    @property
    def enough(self) -> int:
        """The fewest executors with the shortest makespan of all."""
        return self._fewest(1 + _ROUNDING)

    @property
    def nearly_enough(self) -> int:
        """The fewest executors whose makespan is within a twentieth of the shortest."""
        return self._fewest(1 + _NEAR)

    @property
    def best(self) -> float:
        """The shortest makespan."""
        return min(simulation.makespan for _, simulation in self.simulations)

    def _fewest(self, factor: float) -> int:
        return next(count for count, simulation in self.simulations if simulation.makespan <= self.best * factor)
