"""Simulations as JSON documents; the format is documented in docs/simulate.md."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.run.chart.times import Unit
from pipegen.run.model import TaskId
from pipegen.run.simulation import Simulation
from pipegen.run.sweep import Sweep
from pipegen.run.timeline import Bar

# Digits of times: more are rounding errors of sums.
_DIGITS = 6


def as_data(simulation: Simulation, unit: Unit) -> dict[str, object]:
    """Return *simulation* as a JSON document."""
    return {
        "unit": "second" if unit.is_seconds else "stage",
        "pipelines": list(simulation.pipelines),
        **_figures(simulation),
        "longest_path": {
            "time": _time(simulation.path.seconds),
            "stages": [_stage(task) for task in simulation.path.tasks],
        },
        "waiting": [
            {
                "cause": cause.value,
                "what": what,
                "time": _time(sum(time for _, time in times)),
                "stages": [{**_stage(task), "time": _time(time)} for task, time in times],
            }
            for (cause, what), times in simulation.waiting().items()
        ],
        "executors": [
            {
                "name": machine.name,
                "slots": machine.slots,
                "cpu": machine.cpu,
                "memory": machine.memory,
                "labels": list(machine.labels),
            }
            for machine in simulation.machines
        ],
        "stages": [_bar(bar) for bar in simulation.bars],
    }


def sweep_data(sweep: Sweep) -> dict[str, object]:
    """Return *sweep* as part of a JSON document."""
    return {
        "enough": sweep.enough,
        "nearly_enough": sweep.nearly_enough,
        "steps": [{"executors": count, **_figures(simulation)} for count, simulation in sweep.simulations],
    }


def _figures(simulation: Simulation) -> Mapping[str, object]:
    use = simulation.utilisation
    return {
        "makespan": _time(simulation.makespan),
        "lower_bound": _time(simulation.lower_bound),
        "work": _time(simulation.work),
        "utilisation": None if use is None else round(use, _DIGITS),
    }


def _bar(bar: Bar) -> Mapping[str, object]:
    return {
        **_stage(bar.task.id),
        "executor": bar.attempt.machine,
        "slots": list(bar.slots),
        "start": _time(bar.start),
        "end": _time(bar.end),
        "waits": [
            {"cause": wait.cause.value, "what": wait.what, "start": _time(wait.start), "end": _time(wait.end)}
            for wait in bar.waits
        ],
    }


def _stage(task: TaskId) -> dict[str, object]:
    return {"pipeline": task.pipeline, "stage": task.stage}


def _time(time: float) -> float:
    return round(time, _DIGITS)
