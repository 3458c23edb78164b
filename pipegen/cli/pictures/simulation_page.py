"""Simulations as self-contained pages: the chart, and its figures in tables."""

from __future__ import annotations

from pipegen.pictures.chart import Table, render_chart
from pipegen.run.chart.rows import slot, with_slots
from pipegen.run.chart.svg import render_svg
from pipegen.run.chart.times import Unit
from pipegen.run.events import wait_words
from pipegen.run.simulation import Simulation
from pipegen.visible import visible


def page(simulation: Simulation, unit: Unit, words: str) -> str:
    """Return the page of *simulation*; *words* describe it."""
    path = " → ".join(visible(simulation.name(task)) for task in simulation.path.tasks)
    return render_chart(
        title=f"{visible(simulation.title)}: {unit.words(simulation.makespan)}",
        heading="Simulated run",
        words=(*words.splitlines(), f"Longest path, {unit.words(simulation.path.seconds)}: {path}"),
        chart=render_svg(simulation, unit),
        tables=(_waiting(simulation, unit), _stages(simulation, unit)),
    )


def _waiting(simulation: Simulation, unit: Unit) -> Table:
    rows = []
    for (cause, what), times in simulation.waiting().items():
        name = wait_words(cause, visible(what))
        whole = unit.words(sum(time for _, time in times))
        rows.append((name, whole, ", ".join(visible(simulation.name(task)) for task, _ in times)))
    return Table("Waits of stages", ("Cause", "Total", "Stages"), tuple(rows))


def _stages(simulation: Simulation, unit: Unit) -> Table:
    several = with_slots(simulation)
    rows = (
        (
            visible(simulation.name(bar.task.id)),
            unit.words(bar.start) if bar.start else "0",
            unit.words(bar.end),
            unit.words(bar.seconds),
            unit.words(sum(wait.seconds for wait in bar.waits)) if bar.waits else "",
            slot(bar.attempt.machine, bar.slots[0], several),
        )
        for bar in simulation.bars
    )
    return Table("Stages", ("Stage", "Start", "End", "Duration", "Waited", "Executor"), tuple(rows))
