"""The same run on more and more executors: where another one stops helping."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self

from pipegen.run.simulation import Simulation
from pipegen.structs import Struct

# Makespans that differ by less are the same to a person.
_NEAR = 0.05
# Sums of fractions come out a little different in another order.
_ROUNDING = 1e-9


class Sweep(Struct):
    """Simulations by the number of executors, fewest first; there is at least one."""

    simulations: tuple[tuple[int, Simulation], ...]

    @classmethod
    def over(cls, counts: Iterable[int], simulate: Callable[[int], Simulation]) -> Self:
        """Return what *simulate* comes to for each of *counts* executors, which rise."""
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
        return min(one.makespan for _, one in self.simulations)

    def _fewest(self, factor: float) -> int:
        return next(count for count, one in self.simulations if one.makespan <= self.best * factor)
