"""The clock that waits for time, files, processes and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from pipegen.run.clocks.real import RealClock


@pytest.fixture
def clock() -> Iterator[RealClock]:
    """Yield a real clock."""
    with closing(RealClock()) as real_clock:
        yield real_clock


def test_alarms_come_in_order_and_not_early(clock: RealClock) -> None:
    """A cancelled alarm never comes."""
    calls: list[str] = []
    clock.at(0.04, lambda: calls.append("late"))
    clock.at(0.02, lambda: calls.append("early"))
    clock.at(0.03, lambda: calls.append("never"))()
    while clock.wait():
        pass

    assert calls == ["early", "late"]
    assert clock.now() >= 0.04


def test_wait_returns_false_without_anything_scheduled(clock: RealClock) -> None:
    """Otherwise it would block forever."""
    assert clock.wait() is False


def test_a_readable_file_is_reported_until_cancelled(clock: RealClock) -> None:
    """It is reported each time data can be read, and at end of file."""
    reading, writing = os.pipe()
    calls: list[bytes] = []
    end = clock.on_readable(reading, lambda: calls.append(os.read(reading, 1)))
    os.write(writing, b"ab")
    os.close(writing)
    for _ in range(3):
        assert clock.wait() is True
    end()
    end()
    os.close(reading)

    assert (calls, clock.wait()) == ([b"a", b"b", b""], False)


def test_callbacks_cancelled_in_the_same_turn_are_not_called(clock: RealClock) -> None:
    """Two files are readable at once, and the first callback cancels the second."""
    calls: list[int] = []
    pipes = [os.pipe() for _ in range(2)]
    ends: dict[int, Callable[[], None]] = {}

    def notify(number: int) -> None:
        calls.append(number)
        for end in ends.values():
            end()

    for number, (reading, writing) in enumerate(pipes):
        ends[number] = clock.on_readable(reading, lambda number=number: notify(number))  # type: ignore[misc]
        os.write(writing, b"x")
    while clock.wait():
        pass
    for file in (file for pipe in pipes for file in pipe):
        os.close(file)

    assert len(calls) == 1


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_the_end_of_a_process_is_reported_once(clock: RealClock, delay: float) -> None:
    """This holds whether it ends before or after the callback is registered."""
    processes = [subprocess.Popen(["sh", "-c", f"sleep {pause}; exit 3"]) for pause in (0, 0.02)]
    time.sleep(delay)
    calls: list[int | None] = []
    for process in processes:
        clock.on_end(process, lambda process=process: calls.append(process.returncode))  # type: ignore[misc]
    while clock.wait():
        pass

    assert calls == [3, 3]


def test_signals_are_callbacks(clock: RealClock) -> None:
    """They are called in `wait`, interrupt nothing, and are no reason to wait."""
    calls: list[str] = []
    clock.on_signal(signal.SIGINT, lambda: calls.append("interrupt"))
    clock.on_signal(signal.SIGTERM, lambda: calls.append("terminate"))
    end = clock.at(clock.now() + 60, lambda: None)
    os.kill(os.getpid(), signal.SIGINT)
    assert calls == []
    clock.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    clock.wait()
    end()

    assert not clock.wait()
    assert calls == ["interrupt", "terminate"]


def test_children_that_end_come_after_other_signals(clock: RealClock) -> None:
    """A child that Ctrl-C ends is not noticed before Ctrl-C, although its signal may be handled first."""
    calls: list[str] = []
    clock.on_signal(signal.SIGINT, lambda: calls.append("interrupt"))
    child = subprocess.Popen(["true"])
    clock.on_end(child, lambda: calls.append("child"))
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # until it has ended, and its signal has come
    os.kill(os.getpid(), signal.SIGINT)
    clock.wait()
    clock.wait()

    assert calls == ["interrupt", "child"]


def test_closing_restores_signal_handlers() -> None:
    """The wakeup file descriptor is reset too."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD)
    with closing(RealClock()) as clock:
        clock.on_signal(signal.SIGINT, lambda: None)
        assert signal.getsignal(signal.SIGINT) is not before[0]

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD)) == before
    assert signal.set_wakeup_fd(-1) == -1


def test_a_busy_file_does_not_delay_alarms(clock: RealClock) -> None:
    """A file that is always readable must not starve alarms."""
    reading, writing = os.pipe()
    os.write(writing, b"x")
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1

    end = clock.on_readable(reading, count)
    clock.at(0.2, end)
    while clock.wait():
        pass
    os.close(reading)
    os.close(writing)

    assert counted > 1


def test_a_call_that_a_file_schedules_comes_before_the_next_for_files(clock: RealClock) -> None:
    """After the end of a process, the next one starts at once."""
    reading, writing = os.pipe()
    os.write(writing, b"x")
    calls: list[str] = []

    def read() -> None:
        calls.append("file")
        clock.at(clock.now(), lambda: calls.append("scheduled"))

    clock.on_readable(reading, read)
    for _ in range(4):
        clock.wait()
    os.close(reading)
    os.close(writing)

    assert calls == ["file", "scheduled", "file", "scheduled"]


def test_a_call_that_the_end_of_a_process_schedules_comes_before_the_end_of_the_next(clock: RealClock) -> None:
    """The place of the first is taken before the others are handled."""
    calls: list[str] = []

    def end() -> None:
        calls.append("end")
        clock.at(clock.now(), lambda: calls.append("scheduled"))

    for _ in range(2):
        process = subprocess.Popen(["true"])
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        clock.on_end(process, end)
    while clock.wait():
        pass

    assert calls == ["end", "scheduled", "end", "scheduled"]


def test_the_ends_of_processes_come_before_a_call_that_was_due_meanwhile(clock: RealClock) -> None:
    """A stage that ended while pipegen was suspended did not exceed its timeout."""
    calls: list[str] = []
    for _ in range(2):
        process = subprocess.Popen(["true"])
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        clock.on_end(process, lambda: calls.append("end"))
    clock.at(clock.now(), lambda: calls.append("late"))
    while clock.wait():
        pass

    assert calls == ["end", "end", "late"]
