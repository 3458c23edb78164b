"""Tests of the clock on paper."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.run.clocks.virtual import VirtualClock


def test_time_jumps_to_what_is_due() -> None:
    """Calls come in the order of their times, then in the order they were arranged."""
    clock, told = VirtualClock(), list[tuple[float, str]]()
    for time, name in ((2.0, "late"), (1.0, "first"), (1.0, "second")):
        clock.at(time, lambda name=name: told.append((clock.now(), name)))  # type: ignore[misc]
    while clock.wait():
        pass

    assert told == [(1.0, "first"), (1.0, "second"), (2.0, "late")]


def test_what_is_taken_back_never_comes() -> None:
    """Taking it back again, or once it was called, does nothing."""
    clock, told = VirtualClock(), list[str]()
    cancel = clock.at(1.0, lambda: told.append("taken back"))
    called = clock.at(2.0, lambda: told.append("called"))
    cancel()
    cancel()

    assert (clock.wait(), clock.now()) == (True, 2.0)
    called()
    assert (clock.wait(), told) == (False, ["called"])


def test_what_is_past_is_due_now() -> None:
    """Time never goes back."""
    clock, told = VirtualClock(), list[float]()

    def look_back() -> None:
        clock.at(1.0, lambda: told.append(clock.now()))

    clock.at(5.0, look_back)

    assert (clock.wait(), clock.wait(), told) == (True, True, [5.0])


@settings(deadline=None)
@given(st.lists(st.integers(0, 20), max_size=30))
def test_no_call_is_lost_or_out_of_turn(times: list[int]) -> None:
    """Each is called once, at its time, sorted as `sorted` does."""
    clock, told = VirtualClock(), list[tuple[float, int]]()
    for number, time in enumerate(times):
        clock.at(time, lambda number=number: told.append((clock.now(), number)))  # type: ignore[misc]
    while clock.wait():
        pass

    assert told == sorted((float(time), number) for number, time in enumerate(times))
