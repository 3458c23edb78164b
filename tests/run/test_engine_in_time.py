"""The loop of the engine with the real clock: only time differs."""

from __future__ import annotations

import os
import signal
from contextlib import closing

import pytest
from run.graphs import GRAPH
from run.simulated_runs_in_tests import EventLog, Slots, graph_plan

from pipegen.run.clocks.real import RealClock
from pipegen.run.engine import Engine
from pipegen.run.events import Ended, Skipped, Started
from pipegen.run.executors.simulated import SimulatedExecutor
from pipegen.run.status import Reason, Status
from pipegen.run.tasks import pipeline_run


def run(clock: RealClock, seconds: float, log: EventLog) -> Engine:
    """Return an engine whose stages take *seconds* each."""
    executor = SimulatedExecutor(clock, lambda _: seconds)
    runs = [pipeline_run(graph_plan(GRAPH, final=["report"]))]
    return Engine(runs, clock=clock, executor=executor, scheduler=Slots(2), listeners=[log])


def test_stages_take_their_durations() -> None:
    """They run in the same order as in a simulation."""
    log = EventLog()
    with closing(RealClock()) as clock:
        status = run(clock, 0.02, log).run()
        elapsed = clock.now()
    started = [event.attempt.task.id.stage for event in log.events if isinstance(event, Started)]

    assert (status, started) == ({"p": Status.SUCCESS}, ["build", "test", "lint", "release", "report"])
    assert elapsed >= 0.08


@pytest.mark.parametrize(("signals", "ran"), [(1, ["build", "report"]), (2, ["build"])])
def test_signals_stop_a_run(signals: int, ran: list[str]) -> None:
    """The first lets running and finally stages end; the second kills."""
    log = EventLog()
    with closing(RealClock()) as clock:
        engine = run(clock, 0.3, log)
        numbers: list[int] = []

        def interrupt() -> None:
            numbers.append(len(numbers))
            engine.stop(kill=len(numbers) > 1)

        clock.on_signal(signal.SIGINT, interrupt)
        for number in range(signals):
            clock.at(0.02 + number * 0.02, lambda: os.kill(os.getpid(), signal.SIGINT))
        status = engine.run()
    skipped = {event.task.stage: event.reason for event in log.events if isinstance(event, Skipped)}

    assert (status, len(numbers)) == ({"p": Status.FAILED}, signals)
    assert [event.attempt.task.id.stage for event in log.events if isinstance(event, Ended)] == ran
    assert set(skipped.values()) == {Reason.STOPPED}
    assert {"test", "lint", "release"} <= skipped.keys()
