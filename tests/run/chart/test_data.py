"""Simulated runs as data."""

from __future__ import annotations

import json

from run.chart.shown import service

from pipegen.run.chart.data import as_data, sweep_data
from pipegen.run.chart.times import SECONDS, UNITS
from pipegen.run.sweep import Sweep


def test_data_has_times_waits_and_positions_of_stages() -> None:
    """It contains everything that the chart displays."""
    data = json.loads(json.dumps(as_data(service(), SECONDS)))

    assert data["unit"] == "second"
    assert (data["makespan"], data["lower_bound"], data["work"]) == (330.5, 330.5, 480.5)
    assert data["longest_path"] == {
        "time": 330.5,
        "stages": [{"pipeline": "service", "stage": stage} for stage in ("unit", "release", "mail")],
    }
    assert [(wait["cause"], wait["time"]) for wait in data["waiting"]] == [("slot", 30.0), ("delay", 30.0)]
    assert data["executors"] == [{"name": "executor", "slots": 2, "cpu": None, "memory": None, "labels": []}]
    assert data["stages"][2] == {
        "pipeline": "service",
        "stage": "docs",
        "executor": "executor",
        "slots": [0],
        "start": 60.0,
        "end": 150.0,
        "waits": [
            {"cause": "delay", "what": "", "start": 0.0, "end": 30.0},
            {"cause": "slot", "what": "", "start": 30.0, "end": 60.0},
        ],
    }


def test_a_sweep_has_a_step_per_number_of_executors() -> None:
    """It also names the numbers that are enough and nearly enough."""
    data = sweep_data(Sweep.over(range(1, 4), service))

    assert (data["enough"], data["nearly_enough"]) == (2, 2)
    assert json.loads(json.dumps(data))["steps"][0] == {
        "executors": 1,
        "makespan": 480.5,
        "lower_bound": 480.5,
        "work": 480.5,
        "utilisation": 1.0,
    }
    assert as_data(service(), UNITS)["unit"] == "stage"
