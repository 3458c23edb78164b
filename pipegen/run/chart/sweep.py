"""A sweep over numbers of executors as a table."""

from __future__ import annotations

from pipegen.run.chart.text import Glyphs
from pipegen.run.chart.times import Unit
from pipegen.run.simulation import counted
from pipegen.run.sweep import Sweep

_HEADS = ("executors", "makespan", "over bound", "used")


def render_sweep(sweep: Sweep, unit: Unit, width: int, glyphs: Glyphs) -> str:
    """Return a line for each number of executors, and where more of them stop helping."""
    cells = [
        (
            str(count),
            unit.words(one.makespan),
            f"{one.makespan / one.lower_bound - 1:.0%}" if one.lower_bound else "",
            f"{one.utilisation:.0%}" if one.utilisation is not None else "",
        )
        for count, one in sweep.simulations
    ]
    widths = [max(map(len, column)) for column in zip(_HEADS, *cells, strict=True)]
    room = max(width - sum(widths) - 2 * len(widths), 10)
    longest = max(one.makespan for _, one in sweep.simulations) or 1
    lines = [_line(_HEADS, widths)]
    for cell, (_, one) in zip(cells, sweep.simulations, strict=True):
        lines.append(f"{_line(cell, widths)}  {glyphs.other * round(one.makespan / longest * room)}".rstrip())
    return "\n".join([*lines, "", verdict(sweep, unit)])


def verdict(sweep: Sweep, unit: Unit) -> str:
    """Return in words where more executors stop helping."""
    last, best = sweep.simulations[-1][0], unit.words(sweep.best)
    if sweep.enough == last:
        end = f"More executors than {last} may still help: with {last}, it takes {best}."
    else:
        end = f"More than {counted(sweep.enough, 'executor')} do not help: it takes {best} then."
    if sweep.nearly_enough == sweep.enough:
        return end
    return f"{end} With {sweep.nearly_enough}, it takes at most a twentieth more."


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
