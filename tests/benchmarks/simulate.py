"""Simulation time of 10,000 stages on 64 executors, by parts."""

from __future__ import annotations

import contextlib
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmarks.pipelines import layered_config, layered_durations, random_plan

from pipegen.cli.timing.durations import load_durations
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.run.chart.data import as_data
from pipegen.run.chart.svg import render_svg
from pipegen.run.chart.text import render_text
from pipegen.run.chart.times import SECONDS
from pipegen.run.model import PipelineRun, RunMachine, TaskId
from pipegen.run.scheduling.scheduler import scheduler
from pipegen.run.simulation import simulate
from pipegen.run.tasks import pipeline_run

STAGES, WIDTH, EXECUTORS = 10_000, 100, 64

T = TypeVar("T")


def main() -> None:
    """Print the table."""
    print(f"{STAGES:,} stages in layers of {WIDTH} on {EXECUTORS} executors: seconds of a processor, seconds of time\n")
    with tempfile.TemporaryDirectory() as folder:
        config, durations = Path(folder) / "pipegen.yaml", Path(folder) / "durations.yaml"
        config.write_text(layered_config(STAGES, WIDTH), encoding="utf-8")
        durations.write_text(layered_durations(STAGES), encoding="utf-8")
        parts(config, durations)
        timed("the whole process", lambda: process(config, durations))
        timed("the baseline", lambda: baseline(config, durations))


def parts(config: Path, durations: Path) -> None:
    """Print the parts of the simulation."""
    report = Report()
    file = load(config, report)
    (plan,) = timed("read and check the config", lambda: analyse(file, (), report)).plans
    times = timed("read the durations", lambda: load_durations(durations, {plan.name: plan}, report))
    known = {job.stage: times[TaskId(plan.name, job.stage)] for job in plan.jobs}
    run = timed("make tasks, longest paths", lambda: pipeline_run(plan, known))
    alike = [RunMachine(name="executor", slots=EXECUTORS)]
    for machines, words in (
        (alike, "simulate: alike"),
        ([RunMachine(name=f"executor-{number}") for number in range(EXECUTORS)], "simulate: by name"),
    ):
        measure = timed(words, lambda machines=machines: simulate([run], times, machines, scheduler(machines)))  # type: ignore[misc]
    runs, durations_of_runs = side_by_side()
    timed("simulate: many pipelines", lambda: simulate(runs, durations_of_runs, alike, scheduler(alike)))
    for words, show in (("text", render_text), ("picture", render_svg), ("data", as_data)):
        timed(f"show: {words}", lambda show=show: show(measure, SECONDS))  # type: ignore[misc]


def side_by_side() -> tuple[list[PipelineRun], dict[TaskId, float]]:
    """Return this number of stages in pipelines of ten, and their durations."""
    dice = random.Random(1)
    runs: list[PipelineRun] = []
    times: dict[TaskId, float] = {}
    for number in range(STAGES // 10):
        plan, durations = random_plan(dice, 10, name=f"p{number}")
        runs.append(pipeline_run(plan, durations, first=10 * number))
        times |= {TaskId(plan.name, stage): seconds for stage, seconds in durations.items()}
    return runs, times


def process(config: Path, durations: Path) -> None:
    """Start the program as a user does."""
    call = [sys.executable, "-c", "from pipegen.__main__ import main; main()", "simulate", str(config)]
    subprocess.run(
        [*call, "--executors", str(EXECUTORS), "--durations", str(durations)], check=True, stdout=subprocess.DEVNULL
    )


def baseline(config: Path, durations: Path) -> None:
    """Start the baseline, which computes the same makespan."""
    call = [sys.executable, str(Path(__file__).with_name("local_baseline.py")), "simulate", str(config), str(durations)]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)


def timed(words: str, work: Callable[[], T]) -> T:
    """Call *work*, print how long it takes, and return its result."""
    start, used = time.perf_counter(), _used()
    with contextlib.redirect_stdout(io.StringIO()):
        result = work()
    print(f"{words:<28}{_used() - used:>8.2f}{time.perf_counter() - start:>8.2f}", flush=True)
    return result


def _used() -> float:
    """Return the processor seconds of this process and of its finished children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
