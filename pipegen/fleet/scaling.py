"""Groups of machines that follow the load: machines start when stages wait, and stop when they are idle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, inf
from typing import Any

from pipegen.fleet.measures import ByHour
from pipegen.fleet.model import MachineGroup
from pipegen.run.scheduling.amounts import Amounts, add_to
from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.nodes import SchedulerNode, node
from pipegen.run.scheduling.session import Session
from pipegen.structs import replace

At = Callable[[float, Callable[[Any], None], object], None]


class _GroupState:
    """A group during the simulation.

    *tasks* counts the tasks on each running machine. *visits* counts the tasks that it ever had, so that a machine that
    was used since it became idle is not stopped. *unused* is when a machine without any was last stopped.
    """

    __slots__ = ("group", "limits", "number", "running", "starting", "tasks", "unused", "visits")

    def __init__(self, group: MachineGroup) -> None:
        self.group = group
        self.limits = node(group.machine, 0).limits
        self.number = 0
        self.starting = 0
        self.tasks: dict[str, int] = {}
        self.visits: dict[str, int] = {}
        self.unused = -inf
        self.running = ByHour()

    @property
    def count(self) -> int:
        """The number of machines that run or start."""
        return len(self.tasks) + self.starting

    def next_machine(self, order: int) -> SchedulerNode:
        """Return a new idle machine."""
        self.number += 1
        name = self.group.machine.name if self.group.maximum == 1 else f"{self.group.machine.name}-{self.number}"
        self.tasks[name] = self.visits[name] = 0
        return node(replace(self.group.machine, name=name), order)


class IdleMachine:
    """The idle *machine* of a group, which had *visits* tasks before; it is void after another one."""

    __slots__ = ("machine", "state", "visits")

    def __init__(self, state: _GroupState, machine: str) -> None:
        self.state, self.machine, self.visits = state, machine, state.visits[machine]

    @property
    def is_void(self) -> bool:
        """Whether the machine was used or has stopped since."""
        return self.state.visits.get(self.machine) != self.visits or bool(self.state.tasks[self.machine])


class Scaling:
    """The machines of a fleet; *at* schedules a call at a time.

    Attributes:
        is_scaled: whether any group is scaled.
        group_of: the name of the group of each machine.
    """

    def __init__(self, groups: Sequence[MachineGroup], at: At) -> None:
        self._groups = {group.machine.name: _GroupState(group) for group in groups}
        self._at = at
        self._idle_now: list[IdleMachine] = []
        self._order = 0
        self.is_scaled = any(group.is_scaled for group in groups)
        self.group_of: dict[str, str] = {}

    def nodes(self) -> list[SchedulerNode]:
        """Return the machines that run from the beginning."""
        return [self._machine(state) for state in self._groups.values() for _ in range(state.group.minimum)]

    def possible(self) -> Amounts:
        """Return the resources of all machines that the groups may have."""
        total: dict[str, float] = {}
        for state in self._groups.values():
            add_to(total, {name: amount * state.group.maximum for name, amount in state.limits.items()})
        return total

    def begin(self, session: Session) -> None:
        """Begin to measure, with the machines of *session*."""
        self._session = session
        for state in self._groups.values():
            state.running.change(state.count, session.now)

    def finish(self, now: float) -> Mapping[str, ByHour]:
        """Return the number of running machines by group, until *now*."""
        for state in self._groups.values():
            state.running.change(0.0, now)
        return {name: state.running for name, state in self._groups.items()}

    def placed(self, machine: str) -> None:
        """Note that a task starts on *machine*."""
        state = self._groups[self.group_of[machine]]
        state.tasks[machine] += 1
        state.visits[machine] += 1

    def freed(self, machine: str) -> None:
        """Note that a task on *machine* ended; the machine stops if it stays idle."""
        state = self._groups[self.group_of[machine]]
        state.tasks[machine] -= 1
        if not state.tasks[machine] and state.group.is_scaled:
            self._watch(state, machine)

    def shrink(self) -> None:
        """Stop the idle machines of groups that wait no time for it."""
        idle, self._idle_now = self._idle_now, []
        for idle_machine in idle:
            self._stop_idle(idle_machine)

    def grow(self, waiting: Iterable[tuple[Gang, int]]) -> None:
        """Start machines for the *waiting* gangs, each with the number of further gangs like it."""
        # To examine all that wait takes longer than the rest of a cycle.
        if all(state.count >= state.group.maximum for state in self._groups.values()):
            return
        needed: dict[str, float] = {}
        for gang, count in waiting:
            for requests, labels, tasks in _members(gang, count):
                name = self._group_for(requests, labels)
                if name:
                    needed[name] = needed.get(name, 0.0) + tasks / _capacity(requests, self._groups[name].limits)
        for name, machines in needed.items():
            state = self._groups[name]
            # Tasks without limited resources fit on one machine, however many they are.
            missing = max(ceil(machines), 1) - state.starting
            for _ in range(min(missing, state.group.maximum - state.count)):
                state.starting += 1
                self._at(self._session.now + state.group.start_up, self._started, state)
            state.running.change(state.count, self._session.now)

    def _machine(self, state: _GroupState) -> SchedulerNode:
        machine = state.next_machine(self._order)
        machine.is_spare = state.group.is_scaled
        self._order += 1
        self.group_of[machine.name] = state.group.machine.name
        return machine

    def _started(self, state: _GroupState) -> None:
        state.starting -= 1
        machine = self._machine(state)
        self._session.add_machine(machine)
        self._watch(state, machine.name)

    def _watch(self, state: _GroupState, machine: str) -> None:
        """Stop *machine* if it is not used until its idle time is over; the scheduler can use it before in any case."""
        idle_machine = IdleMachine(state, machine)
        if state.group.idle:
            self._at(self._session.now + state.group.idle, self._stop_idle, idle_machine)
        else:
            self._idle_now.append(idle_machine)

    def _stop_idle(self, idle_machine: IdleMachine) -> None:
        state, machine = idle_machine.state, idle_machine.machine
        if idle_machine.is_void or len(state.tasks) <= state.group.minimum:
            return
        if not self._session.remove_machine(machine):
            self._watch(state, machine)
        else:
            del state.tasks[machine], state.visits[machine]
            if not idle_machine.visits:
                state.unused = self._session.now
            state.running.change(state.count, self._session.now)

    def _group_for(self, requests: Amounts, labels: tuple[str, ...]) -> str:
        """Return the first group that can grow and suits a task, "" if there is none."""
        for name, state in self._groups.items():
            is_growing = state.count - state.starting < state.group.maximum and state.group.is_scaled
            # The same machines would start and stop again, and no time would pass.
            is_growing = is_growing and state.unused < self._session.now
            if is_growing and set(labels) <= set(state.group.machine.labels) and _capacity(requests, state.limits) >= 1:
                return name
        return ""


def lacks_machine(session: Session, gang: Gang) -> bool:
    """Return whether the first waiting task of *gang* could start on a further machine."""
    first = gang.first() or gang.first(light=True)
    if first is None or session.machines.held(first.locks) or session.ballot.is_overused(gang.job_queue):
        return False
    return session.ballot.may_start(first)


def _members(gang: Gang, count: int) -> list[tuple[Amounts, tuple[str, ...], int]]:
    """Return the requests and labels of the waiting tasks of *gang*, each with their number."""
    if gang.is_alike:
        first = gang.first() or gang.first(light=True)
        return [(first.requests, first.labels, len(gang.waiting) + len(gang.light))] if first else []
    return [(task.requests, task.labels, count) for task in gang.waiting_tasks()]


def _capacity(requests: Amounts, limits: Amounts) -> float:
    """Return how many tasks with *requests* fit on a machine with *limits*."""
    return min(
        (limits.get(name, 0.0) // amount for name, amount in requests.items() if limits.get(name) != inf), default=inf
    )
