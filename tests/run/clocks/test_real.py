"""Tests of the clock that waits: for time, files, processes and signals."""

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
    """Yield a clock."""
    with closing(RealClock()) as found:
        yield found


def test_it_waits_for_the_time(clock: RealClock) -> None:
    """Not less than asked for, and in order."""
    told: list[str] = []
    clock.at(0.04, lambda: told.append("late"))
    clock.at(0.02, lambda: told.append("early"))
    clock.at(0.03, lambda: told.append("never"))()
    while clock.wait():
        pass

    assert told == ["early", "late"]
    assert clock.now() >= 0.04


def test_there_is_an_end(clock: RealClock) -> None:
    """Without anything arranged there is nothing to wait for."""
    assert clock.wait() is False


def test_a_file_is_told_of_until_that_is_ended(clock: RealClock) -> None:
    """Each time something can be read, its end too."""
    reading, writing = os.pipe()
    told: list[bytes] = []
    end = clock.on_readable(reading, lambda: told.append(os.read(reading, 1)))
    os.write(writing, b"ab")
    os.close(writing)
    for _ in range(3):
        assert clock.wait() is True
    end()
    end()
    os.close(reading)

    assert (told, clock.wait()) == ([b"a", b"b", b""], False)


def test_what_is_ended_in_the_same_turn_is_not_told(clock: RealClock) -> None:
    """Two files can be read at once; who hears of the first ends the other."""
    told: list[int] = []
    pipes = [os.pipe() for _ in range(2)]
    ends: dict[int, Callable[[], None]] = {}

    def notify(number: int) -> None:
        told.append(number)
        for end in ends.values():
            end()

    for number, (reading, writing) in enumerate(pipes):
        ends[number] = clock.on_readable(reading, lambda number=number: notify(number))  # type: ignore[misc]
        os.write(writing, b"x")
    while clock.wait():
        pass
    for file in (file for pipe in pipes for file in pipe):
        os.close(file)

    assert len(told) == 1


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_the_end_of_a_process_is_told_once(clock: RealClock, delay: float) -> None:
    """Whether it came before anybody listened, or after."""
    processes = [subprocess.Popen(["sh", "-c", f"sleep {pause}; exit 3"]) for pause in (0, 0.02)]
    time.sleep(delay)
    told: list[int | None] = []
    for process in processes:
        clock.on_end(process, lambda process=process: told.append(process.returncode))  # type: ignore[misc]
    while clock.wait():
        pass

    assert told == [3, 3]


def test_nobody_hears_of_a_process_that_was_taken_back(clock: RealClock) -> None:
    """It ends all the same."""
    process = subprocess.Popen(["true"])
    clock.on_end(process, lambda: pytest.fail("told of what was taken back"))()
    while clock.wait():
        pass

    assert process.wait() == 0


def test_signals_are_calls(clock: RealClock) -> None:
    """They come in `wait`, interrupt nothing, and are no reason to wait."""
    told: list[str] = []
    clock.on_signal(signal.SIGINT, lambda: told.append("interrupt"))
    clock.on_signal(signal.SIGTERM, lambda: told.append("terminate"))
    end = clock.at(clock.now() + 60, lambda: None)
    os.kill(os.getpid(), signal.SIGINT)
    assert told == []
    clock.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    clock.wait()
    end()

    assert not clock.wait()
    assert told == ["interrupt", "terminate"]


def test_signals_are_given_back() -> None:
    """Whoever had them before has them again."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD)
    with closing(RealClock()) as clock:
        clock.on_signal(signal.SIGINT, lambda: None)
        assert signal.getsignal(signal.SIGINT) is not before[0]

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD)) == before
    assert signal.set_wakeup_fd(-1) == -1


def test_busy_files_hold_up_no_alarm(clock: RealClock) -> None:
    """A file that can always be read leaves its turn to what is due."""
    reading, writing = os.pipe()
    os.write(writing, b"x")
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1

    end = clock.on_readable(reading, count)
    clock.at(0.01, end)
    while clock.wait():
        pass
    os.close(reading)
    os.close(writing)

    assert counted > 1
