"""Sweeps over numbers of executors as tables."""

from __future__ import annotations

from pipegen.run.chart.text import Glyphs
from pipegen.run.chart.times import Unit
from pipegen.run.simulation import counted
from pipegen.run.sweep import Sweep

_HEADS = ("executors", "makespan", "over bound", "used")


def render_sweep(sweep: Sweep, unit: Unit, width: int, glyphs: Glyphs) -> str:
    """Return a line for each number of executors, and a verdict."""
    cells = [
        (
            str(count),
            unit.words(simulation.makespan),
            f"{simulation.makespan / simulation.lower_bound - 1:.0%}" if simulation.lower_bound else "",
            f"{simulation.utilisation:.0%}" if simulation.utilisation is not None else "",
        )
        for count, simulation in sweep.simulations
    ]
    widths = [max(map(len, column)) for column in zip(_HEADS, *cells, strict=True)]
    room = max(width - sum(widths) - 2 * len(widths), 10)
    longest = max(simulation.makespan for _, simulation in sweep.simulations) or 1
    lines = [_line(_HEADS, widths)]
    for cell, (_, simulation) in zip(cells, sweep.simulations, strict=True):
        lines.append(f"{_line(cell, widths)}  {glyphs.other * round(simulation.makespan / longest * room)}".rstrip())
    return "\n".join([*lines, "", verdict(sweep, unit)])


def verdict(sweep: Sweep, unit: Unit) -> str:
    """Return the number of executors beyond which more do not help, in words."""
    last, best = sweep.simulations[-1][0], unit.words(sweep.best)
    if sweep.enough == last:
        end = f"More executors than {last} may still help: with {last}, the run takes {best}."
    else:
        end = f"More than {counted(sweep.enough, 'executor')} do not help: the run takes {best}."
    if sweep.nearly_enough == sweep.enough:
        return end
    return f"{end} With {sweep.nearly_enough}, the run takes at most 5% longer."


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
