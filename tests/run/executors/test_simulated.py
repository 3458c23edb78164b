"""The virtual clock of simulated attempts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.run.executors.simulated import VirtualClock


def test_time_jumps_to_the_next_call() -> None:
    """Calls are ordered by time, then by when they were scheduled."""
    clock, calls = VirtualClock(), list[tuple[float, str]]()
    for time, name in ((2.0, "late"), (1.0, "first"), (1.0, "second")):
        clock.at(time, lambda name=name: calls.append((clock.now(), name)))  # type: ignore[misc]
    while clock.wait():
        pass

    assert calls == [(1.0, "first"), (1.0, "second"), (2.0, "late")]


def test_a_cancelled_call_is_not_made() -> None:
    """Cancelling again, or after the call, has no effect."""
    clock, calls = VirtualClock(), list[str]()
    cancel = clock.at(1.0, lambda: calls.append("taken back"))
    called = clock.at(2.0, lambda: calls.append("called"))
    cancel()
    cancel()

    assert (clock.wait(), clock.now()) == (True, 2.0)
    called()
    assert (clock.wait(), calls) == (False, ["called"])


def test_a_call_in_the_past_is_due_now() -> None:
    """Time never goes backwards."""
    clock, calls = VirtualClock(), list[float]()

    def look_back() -> None:
        clock.at(1.0, lambda: calls.append(clock.now()))

    clock.at(5.0, look_back)

    assert (clock.wait(), clock.wait(), calls) == (True, True, [5.0])


@settings(deadline=None)
@given(st.lists(st.integers(0, 20), max_size=30))
def test_every_call_is_made_once_in_order(times: list[int]) -> None:
    """The order is that of a stable sort by time."""
    clock, calls = VirtualClock(), list[tuple[float, int]]()
    for number, time in enumerate(times):
        clock.at(time, lambda number=number: calls.append((clock.now(), number)))  # type: ignore[misc]
    while clock.wait():
        pass

    assert calls == sorted((float(time), number) for number, time in enumerate(times))
