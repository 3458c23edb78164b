"""The queue alone: the order of items, their reasons to wait, and events, none of which is lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.scheduling_state import flight_log, in_flight

from pipegen.run.scheduling.queue.backoff import Delays
from pipegen.run.scheduling.queue.entry import QueuedItem, QueueState
from pipegen.run.scheduling.queue.heap import Heap
from pipegen.run.scheduling.queue.hints import Hint, Hints, QueueEvent
from pipegen.run.scheduling.queue.queue import Queue, QueueSettings

HINTS: Hints[str] = {
    "freed": (("room", lambda item, event: Hint.HELPS if item in event.what else Hint.DOES_NOT),),
    "opened": (("gate", lambda *_: Hint.HELPS),),
    "any": tuple((reason, lambda *_: Hint.HELPS) for reason in ("room", "other")),
}
REASONS = ("room", "other")


def queue_of(*items: str, gates: set[str] | None = None) -> Queue[str]:
    """Return a queue of *items* in alphabetical order; *gates* hold items back."""
    by_name = {"gate": lambda item: item not in gates} if gates is not None else {}
    queue: Queue[str] = Queue(lambda entry: (entry.item,), HINTS, QueueSettings(), by_name)
    for item in items:
        queue.add(item, 0.0)
    return queue


def popped(queue: Queue[str], now: float = 0.0) -> str | None:
    """Return the next item, or None."""
    entry = queue.pop(now)
    return entry.item if entry else None


def test_an_event_counts_for_whoever_was_taken_before_it() -> None:
    """It does not count for an item that was popped after it, as this one sees the freed resource."""
    queue = queue_of("a", "b")
    popped(queue)
    queue.event(QueueEvent("freed", "ab"), 0.0)
    popped(queue)
    for item in "ba":
        queue.fail(item, 0.0, rejectors=(), pending=("room",))

    assert {entry.item: entry.part for entry in queue} == {"a": QueueState.ACTIVE, "b": QueueState.UNSCHEDULABLE}
    assert flight_log(queue) == []


def test_only_whom_it_helps_is_woken() -> None:
    """The reasons of the refusal and the subject of the event decide."""
    queue = queue_of("a", "b", "c")
    for reason in ("room", "room", "other"):
        item = popped(queue)
        assert item is not None
        queue.fail(item, 0.0, rejectors=(), pending=(reason,))
    queue.event(QueueEvent("freed", "bc"), 0.0)

    assert [entry.item for entry in queue if entry.part is QueueState.ACTIVE] == ["b"]


def test_a_refusal_does_not_lengthen_the_backoff_of_an_error() -> None:
    """Errors do not lengthen the backoff of a refusal either."""
    queue = queue_of("a")
    for _ in range(3):
        popped(queue)
        queue.fail("a", 0.0, rejectors=("room",))
        queue.event(QueueEvent("any"), 0.0)
    popped(queue)
    queue.fail("a", 10.0, rejectors=())
    entry = queue.entry("a")

    assert (entry.refusals, entry.errors, queue.next_time()) == (3, 1, 11.0)
    assert popped(queue, 10.5) is None
    queue.flush(11.0)
    assert popped(queue, 11.0) == "a"
    queue.fail("a", 11.0, rejectors=("room",))
    assert (entry.refusals, entry.errors, queue.next_time()) == (4, 0, None)


def test_who_was_refused_is_taken_early_when_nobody_else_is_there() -> None:
    """Items are popped in the order in which their backoffs end, which are not yet over at the full second."""
    queue = queue_of("a", "b", "c")
    for now in (0.0, 1.0):
        item = popped(queue, now)
        assert item is not None
        queue.fail(item, now, rejectors=("room",))
    queue.event(QueueEvent("freed", "ab"), 1.0)

    assert [popped(queue, 1.0) for _ in range(4)] == ["c", "a", "b", None]


@pytest.mark.parametrize(("now", "order"), [(6.9, "cabd"), (7.9, "cabd"), (8.0, "abcd")])
def test_backoffs_of_one_second_end_together(now: float, order: str) -> None:
    """Refused items leave after the second in which their backoffs end, and the ranks order those of one second."""
    queue = queue_of()
    for item, since in (("b", 6.0), ("d", 6.5), ("a", 6.9), ("c", 5.9)):
        entry = QueuedItem(item=item, since=since, refusals=1, rejectors=("room",))
        queue.put(entry, QueueState.BACKOFF)
    queue.flush(now)
    active = [entry.item for entry in queue if entry.part is QueueState.ACTIVE]

    assert sorted(active) == {6.9: [], 7.9: ["c"], 8.0: list("abcd")}[now]
    assert [popped(queue, now) for _ in order] == list(order)


def test_who_is_parked_for_too_long_is_tried_again() -> None:
    """This limits the effect of missing events."""
    queue = queue_of("a")
    popped(queue)
    queue.fail("a", 5.0, rejectors=(), pending=("other",))
    queue.flush_unschedulable(304.9)
    early = queue.entry("a").part
    queue.flush_unschedulable(305.0)

    assert (early, queue.entry("a").part) == (QueueState.UNSCHEDULABLE, QueueState.ACTIVE)


def test_an_item_that_is_activated_from_backoff_passed_its_gates_before() -> None:
    """A gate that has closed since does not hold it, as at the end of the backoff."""
    closed: set[str] = set()
    queue = queue_of(gates=closed)
    queue.add_failed("a", 1, 0.0)
    closed.add("a")
    queue.activate("a")

    assert popped(queue) == "a"


def test_a_gate_is_asked_again_when_its_event_comes() -> None:
    """Other events do not open it."""
    closed = {"a"}
    queue = queue_of("a", gates=closed)
    closed.clear()
    queue.event(QueueEvent("freed", "a"), 1.0)
    before = popped(queue, 1.0)
    queue.event(QueueEvent("opened"), 1.0)

    assert (before, popped(queue, 1.0)) == (None, "a")


def test_who_leaves_takes_its_events_along() -> None:
    """This holds for every part of the queue, and for items in flight."""
    queue = queue_of("a", "b", "c")
    popped(queue)
    queue.event(QueueEvent("freed", "a"), 0.0)
    popped(queue)
    queue.fail("b", 0.0, rejectors=(), pending=("room",))
    for item in "abc":
        queue.delete(item)
    queue.event(QueueEvent("freed", "abc"), 0.0)

    assert (list(queue), popped(queue), flight_log(queue)) == ([], None, [])
    assert not queue.has_unschedulable()


@pytest.mark.parametrize("failures", [0, 1, 2, 5, 1_000_000])
def test_delays_double_up_to_the_most(failures: int) -> None:
    """The longest delay is a limit, there is no overflow, and a delay of 0 stays 0."""
    assert Delays(1, 10).after(failures) == {0: 0, 1: 1, 2: 2}.get(failures, 10)
    assert Delays(1, 0).after(failures) == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans())))
def test_a_heap_gives_the_least_of_what_is_left(items: list[tuple[int, bool]]) -> None:
    """Equal items come in the order in which they were added; removed items do not come."""
    heap: Heap[int] = Heap()
    entries = [QueuedItem(item=number, since=0.0) for number in range(len(items))]
    for entry, (rank, _) in zip(entries, items, strict=True):
        heap.push(entry, (rank,))
    for entry, (_, is_removed) in zip(entries, items, strict=True):
        if is_removed:
            heap.remove(entry)
    left = [(rank, number) for number, (rank, is_removed) in enumerate(items) if not is_removed]

    assert len(heap) == len(left)
    assert [entry.item for entry in iter(heap.pop, None)] == [number for _, number in sorted(left)]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from("abcd"), st.sampled_from(REASONS)), max_size=40))
def test_each_item_is_in_one_part(steps: list[tuple[int, str, str]]) -> None:
    """After any operations, all items are present, and at the end each is popped once."""
    queue, there, now = queue_of(), set[str](), 0.0
    for step, item, reason in steps:
        flying = item in in_flight(queue)
        match step:
            case 0 if item not in there:
                queue.add(item, now)
                there.add(item)
            case 1:
                queue.pop(now)
            case 2 if flying:
                queue.fail(item, now, rejectors=(), pending=(reason,))
            case 3 if flying:
                queue.fail(item, now, rejectors=(reason,))
            case 4 if flying:
                queue.fail(item, now, rejectors=())
            case 5:
                queue.event(QueueEvent("freed", item), now)
            case 6 if item in there:
                queue.delete(item)
                there.remove(item)
            case 7:
                now += 1
                queue.flush(now)
    parts = Counter(entry.part for entry in queue)
    flying_now = in_flight(queue)
    queue.event(QueueEvent("any"), now + 1000)
    queue.flush(now + 1000)

    assert {entry.item for entry in queue} == there
    assert parts[QueueState.IN_FLIGHT] == len(flying_now)
    assert sorted(entry.item for entry in iter(lambda: queue.pop(now + 1000), None)) == sorted(there - flying_now)
