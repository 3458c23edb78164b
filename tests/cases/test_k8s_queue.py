"""The scheduling queue behaves like that of Kubernetes, apart from the documented exclusions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import pytest
from cases.excluded_cases import KUBERNETES, check_exclusions, skip_excluded
from run.scheduling_state import flight_log, in_flight

from pipegen.run.scheduling.queue.backoff import Delays
from pipegen.run.scheduling.queue.entry import QueuedItem, QueueState
from pipegen.run.scheduling.queue.hints import Hint, Hints, QueueEvent, QueueingStrategy, strategy_for
from pipegen.run.scheduling.queue.queue import Queue, QueueSettings

CASES = "k8s_queue.json"

Case = dict[str, Any]
Op = dict[str, Any]

NANO = 1e-9
# The rejector of pods that a case adds as refused without a reason.
NO_REASON = "none"
HINTS = {"queue": Hint.HELPS, "skip": Hint.DOES_NOT, "error": Hint.HELPS}
WORTH = {
    "skip": QueueingStrategy.SKIP,
    "after_backoff": QueueingStrategy.AFTER_BACKOFF,
    "immediately": QueueingStrategy.IMMEDIATELY,
}
PARTS = {"active": QueueState.ACTIVE, "backoff": QueueState.BACKOFF, "unschedulable": QueueState.UNSCHEDULABLE}

# The queue does not nominate machines for tasks: expectations about that are ignored.
NOT_LOOKED_AT = ("nominated", "absent")
# Without hints, Kubernetes keeps no log of pods in flight; this queue always has one.
LOG = ("in_flight", "in_flight_events")
# What an event may require of the priority of a pod.
CHECKS: dict[str, Callable[[int, int], bool]] = {
    "min_priority": operator.ge,
    "max_priority": operator.le,
    "even": lambda priority, is_even: (priority % 2 == 0) is bool(is_even),
}


class Replay:
    """A queue on which the operations of a case are played; items are names of pods."""

    def __init__(self, case: Case) -> None:
        self.now = 0.0
        self.ignored = (*NOT_LOOKED_AT, *(() if case.get("hints_enabled", True) else LOG))
        self.priorities: dict[str, int] = {}
        self.labels: dict[str, list[str]] = {}
        self.popped: dict[str, QueuedItem[str]] = {}
        gates = {f"gate{number}": self.gate(gate["allow_labels"]) for number, gate in enumerate(case.get("gates", ()))}
        self.queue: Queue[str] = Queue(
            lambda entry: (-self.priorities.get(entry.item, 0), entry.since),
            {**hints_of(case), "wildcard": [(reason, self.may_move) for reason in (NO_REASON, *reasons_of(case))]},
            QueueSettings(
                delays=Delays(case.get("initial_backoff_s", 1.0), case.get("max_backoff_s", 10.0)),
                longest_unschedulable=case.get("max_unschedulable_s", 300.0),
            ),
            gates,
        )

    def gate(self, allowed: list[str]) -> Callable[[str], bool]:
        """Return a gate that is open for pods with one of the *allowed* labels."""
        return lambda pod: any(label in allowed for label in self.labels.get(pod, ()))

    def may_move(self, pod: str, event: QueueEvent) -> Hint:
        """Return whether *event*, which resolves any reason, applies to the priority of *pod*."""
        checks = (event.what or {}).items()
        is_met = all(CHECKS[name](self.priorities[pod], limit) for name, limit in checks)
        return Hint.HELPS if is_met else Hint.DOES_NOT

    def learn(self, op: Op) -> str:
        """Record the priority and labels of the pod in *op*, and return its name."""
        pod: str = op["pod"]
        self.priorities[pod] = op.get("priority", self.priorities.get(pod, 0))
        self.labels[pod] = op.get("labels", self.labels.get(pod, []))
        return pod

    def parts(self, part: QueueState, *, is_gated: bool | None = None) -> list[str]:
        """Return the pods in *part*, filtered by whether a gate holds them if *is_gated* is given."""
        entries = (entry for entry in self.queue if entry.part is part)
        return [entry.item for entry in entries if is_gated is None or bool(entry.gate) is is_gated]

    def play(self, op: Op) -> None:
        """Run *op* and check its expectations."""
        getattr(self, f"do_{op['op']}")(op)

    def do_advance(self, op: Op) -> None:
        """Advance the clock."""
        self.now += op["s"]

    def do_add(self, op: Op) -> None:
        """Add a pod."""
        self.queue.add(self.learn(op), self.now)

    def do_put(self, op: Op) -> None:
        """Put a pod directly into a part of the queue, unless it is in flight: each item is in one part only."""
        if op["pod"] in in_flight(self.queue):
            return
        entry = QueuedItem(
            item=self.learn(op),
            since=op.get("ts", self.now),
            refusals=op.get("unschedulable_count", 0),
            errors=op.get("error_count", 0),
            rejectors=tuple(op.get("rejected_by", (NO_REASON,))),
        )
        self.queue.put(entry, PARTS[op["in"]])

    def do_move_to_backoff(self, op: Op) -> None:
        """Add a pod that has already failed."""
        self.queue.add_failed(self.learn(op), 0, self.now)

    def do_pop(self, op: Op) -> None:
        """Pop the next pod; None means that the queue would block."""
        entry = self.queue.pop(self.now)
        if op["expect"] is None:
            assert entry is None
            return
        assert entry is not None
        self.popped[entry.item] = entry
        assert entry.item == op["expect"]
        assert entry.attempts == op.get("attempts", entry.attempts)
        assert entry.first_try == pytest.approx(op.get("initial_attempt_ts", entry.first_try))
        assert list(entry.rejectors) == op.get("rejected_by", list(entry.rejectors))
        assert list(entry.pending) == op.get("pending_on", list(entry.pending))

    def do_fail(self, op: Op) -> None:
        """Return a popped pod to the queue as failed."""
        if op.get("fresh"):
            self.popped[op["pod"]].refusals = self.popped[op["pod"]].errors = 0
        self.queue.fail(
            op["pod"], self.now, rejectors=tuple(op["rejected_by"]), pending=tuple(op.get("pending_on", ()))
        )

    def do_event(self, op: Op) -> None:
        """Send an event."""
        self.queue.event(QueueEvent(op["event"], op.get("precheck")), self.now)

    def do_update(self, op: Op) -> None:
        """Change a pod."""
        pod = self.learn(op)
        self.queue.update(pod, self.now, QueueEvent("Pod/Update", pod) if op["changed"] else None)

    def do_delete(self, op: Op) -> None:
        """Delete a pod."""
        self.queue.delete(op["pod"])

    def do_activate(self, op: Op) -> None:
        """Activate a pod; in flight, that is an event for it alone."""
        if op["pod"] in in_flight(self.queue):
            self.queue.update(op["pod"], self.now, QueueEvent("ForceActivate", op["pod"]))
        self.queue.activate(op["pod"])

    def do_flush_backoff(self, _op: Op) -> None:
        """Activate the pods whose backoff is over."""
        self.queue.flush(self.now)

    def do_flush_backoff_force(self, _op: Op) -> None:
        """Activate all pods in backoff."""
        self.queue.flush(math.inf)

    def do_flush_unschedulable(self, _op: Op) -> None:
        """Activate the pods that have been unschedulable for too long."""
        self.queue.flush_unschedulable(self.now)

    def do_drain_backoff(self, op: Op) -> None:
        """Remove the pods whose backoff is over from the queue."""
        before = set(self.parts(QueueState.ACTIVE))
        self.queue.flush(self.now)
        drained = [pod for pod in self.parts(QueueState.ACTIVE) if pod not in before]
        for pod in drained:
            self.queue.delete(pod)
        assert drained == op.get("expect", drained)

    def do_expect(self, op: Op) -> None:
        """Check the expectations of *op*; an unknown one is an error."""
        for key, expected in op.items():
            if key not in {"op", *self.ignored}:
                getattr(self, f"expect_{key}")(expected)

    def expect_active(self, expected: list[str]) -> None:
        """Check the active pods."""
        assert sorted(self.parts(QueueState.ACTIVE)) == sorted(expected)

    def expect_backoff(self, expected: list[str]) -> None:
        """Check the pods in backoff."""
        assert sorted(self.parts(QueueState.BACKOFF)) == sorted(expected)

    def expect_unschedulable(self, expected: list[str]) -> None:
        """Check the unschedulable pods."""
        assert sorted(self.parts(QueueState.UNSCHEDULABLE)) == sorted(expected)

    def expect_in_flight(self, expected: list[str]) -> None:
        """Check the pods in flight."""
        assert sorted(in_flight(self.queue)) == sorted(expected)

    def expect_in_flight_events(self, expected: list[str]) -> None:
        """Check the log of pods in flight and events."""
        assert [entry.name if isinstance(entry, QueueEvent) else entry for entry in flight_log(self.queue)] == expected

    def expect_where(self, expected: dict[str, str]) -> None:
        """Check the part of each pod."""
        for pod, part in expected.items():
            assert pod in (
                self.parts(QueueState.UNSCHEDULABLE, is_gated=True) if part == "gated" else self.parts(PARTS[part])
            )

    def expect_counts(self, expected: dict[str, int]) -> None:
        """Check the number of pods in each part."""
        assert {part: len(self.parts(PARTS[part])) for part in expected} == expected

    def expect_backoff_s(self, expected: dict[str, float]) -> None:
        """Check the backoff of each pod."""
        for pod, seconds in expected.items():
            entry = self.queue.entry(pod)
            assert QueueSettings().delays.after(entry.failures) == seconds


def reasons_of(case: Case) -> list[str]:
    """Return the reasons for which pods are refused in *case*."""
    return sorted({reason for op in case["ops"] for key in ("rejected_by", "pending_on") for reason in op.get(key, ())})


def hints_of(case: Case) -> Hints[str]:
    """Return the hints of *case*; if it disables them, every hint answers that the event helps."""
    is_on = case.get("hints_enabled", True)

    def hint(answer: str) -> Callable[[str, QueueEvent], Hint]:
        return lambda *_: HINTS[answer] if is_on else Hint.HELPS

    return {
        event: [(plugin, hint(answer)) for plugin, answer in plugins.items()]
        for event, plugins in case.get("hints", {}).items()
    }


def check_worth(case: Case) -> None:
    """Check the queueing strategy of a pod after an event, and the number of hints that were called."""
    calls: list[str] = []

    def hint(plugin: str, answer: str) -> Callable[[str, QueueEvent], Hint]:
        def ask(_pod: str, _event: QueueEvent) -> Hint:
            calls.append(plugin)
            return HINTS[answer]

        return ask

    def is_target(pod: str, event: QueueEvent) -> Hint:
        return Hint.HELPS if event.what in (None, pod) else Hint.DOES_NOT

    # Kubernetes matches events with patterns; here, each has one name.
    hints = {
        case["event"] if fnmatchcase(case["event"], event) else event: [
            (name, hint(name, answer)) for name, answer in rows
        ]
        for event, rows in case["hints"].items()
    }
    # No plugin of a case is asked about this event, which concerns all reasons.
    hints["wildcard"] = [(reason, is_target) for reason in (*case["rejected_by"], *case["pending_on"])]
    entry = QueuedItem(
        item=case["pod"], since=0, rejectors=tuple(case["rejected_by"]), pending=tuple(case["pending_on"])
    )
    event = QueueEvent(case["event"], case["event_target"])

    assert strategy_for(entry, event, hints) is WORTH[case["expect"]["strategy"]]
    assert len(calls) == case["expect"]["hint_calls"]


def check_delay(case: Case) -> None:
    """Check the length of a backoff."""
    delays = Delays(case["initial_ns"] * NANO, case["max_ns"] * NANO)
    assert delays.after(case["failures"]) == pytest.approx(case["expect"]["ns"] * NANO)


def test_case_has_the_results_of_kubernetes(case: Case) -> None:
    """Documented exclusions are skipped."""
    skip_excluded(case["id"], KUBERNETES)
    if case.get("kind") == "worth_requeuing":
        check_worth(case)
    elif case.get("kind") == "backoff_duration":
        check_delay(case)
    else:
        replay = Replay(case)
        for op in case["ops"]:
            replay.play(op)


@pytest.mark.usefixtures("cases")
def test_excluded_cases_are_documented() -> None:
    """The documentation lists exactly the exclusions of this module."""
    check_exclusions(KUBERNETES, (CASES,))
