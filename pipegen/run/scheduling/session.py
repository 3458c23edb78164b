"""The session of the scheduler: job queues, machines, and the votes of policies.

Volcano copies the cluster into each session; this session exists for the whole run and is updated incrementally, so
that a cycle costs only as much as has changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from pipegen.run.events import Cause
from pipegen.run.scheduling.amounts import SLOTS, Amounts, add_to, subtract
from pipegen.run.scheduling.fitting import could_fit, is_kept, is_room, lack, wait_cause
from pipegen.run.scheduling.job_queues import (
    Gang,
    JobQueue,
    QueuedTask,
    TaskState,
    count_placed,
    lineage,
    uncount_placed,
)
from pipegen.run.scheduling.machine_state import Freed, MachineState
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.queue.entry import QueuedItem, QueueState
from pipegen.run.scheduling.queue.heap import Rank
from pipegen.run.scheduling.queue.hints import Hint, Hints, QueueEvent
from pipegen.run.scheduling.queue.queue import Gate, Queue, QueueSettings
from pipegen.run.scheduling.statement import Statement
from pipegen.run.scheduling.turns import Turns
from pipegen.run.scheduling.votes import Ballot, Votes

# The reasons why a gang is unschedulable, and the events that end them.
ROOM, RELEASE, LIMIT, LOCK, SIZE = "room", "release", "limit", "lock", "size"


class Session:
    """The state that actions work on.

    Attributes:
        machines: the machines and locks.
        ballot: the votes of the policies.
        job_queues: the job queues by name; `queues` holds the gangs of each.
        light: gangs with tasks for `backfill`.
        entering: gangs that are not admitted yet.
        started: tasks that the actions placed in this cycle.
        evicted: running tasks that the actions stop for others.
        changed: gangs with new tasks, or with a new cause to wait.
        placed: the number of tasks placed in all.
        now: the current time.
        version: incremented when the requests of a job queue change.
        asking: the job queues whose requests changed since deserved shares were computed.
        turns: the order of the job queues.
    """

    def __init__(
        self,
        nodes: Sequence[SchedulerNode],
        tiers: Sequence[Sequence[Callable[[Session], Votes]]],
        *,
        settings: QueueSettings,
        patience: float,
        gates: Mapping[str, Gate[Any]] | None = None,
        possible: Amounts | None = None,
    ) -> None:
        self.machines = MachineState(nodes)
        self._possible = possible
        self.job_queues: dict[str, JobQueue] = {}
        self.queues: dict[str, Queue[Gang]] = {}
        self.entering: list[Gang] = []
        self.started: list[QueuedTask] = []
        self.evicted: list[QueuedTask] = []
        self.changed: dict[Gang, None] = {}
        self.placed = 0
        self.now = 0.0
        self.version = 0
        self.asking: dict[JobQueue, None] = {}
        self.ballot = Ballot([[policy(self) for policy in tier] for tier in tiers])
        self.turns = Turns(self.ballot.job_queue_key, lambda job_queue: self.queues[job_queue.name].has_next())
        self._settings, self._patience, self._gates = settings, patience, gates or {}
        self._hints: Hints[Gang] = {
            ROOM: ((ROOM, self._has_room), (LIMIT, self._is_within_limits)),
            RELEASE: ((ROOM, self._can_start),),
            LOCK: ((LOCK, self._has_locks),),
            **{name: ((name, lambda *_: Hint.HELPS),) for name in self._gates},
        }
        self.light: Queue[Gang] = Queue(self._light_rank, self._hints, settings, self._gates)
        # Queues that may have unschedulable items or items in backoff: with many job queues, most have none.
        self._waiting: dict[Queue[Gang], None] = {}
        self._job_queues: dict[Queue[Gang], JobQueue] = {}
        self._pledges: dict[Gang, Statement] = {}
        # Gangs refused because of missing room, each with the number of placements at which it is tried again.
        self._aging: deque[tuple[float, Gang]] = deque()

    @property
    def possible(self) -> Amounts:
        """The resources of all machines, also of those that are started when they are needed."""
        return self.machines.totals if self._possible is None else self._possible

    def open_job_queue(self, job_queue: JobQueue) -> None:
        """Open *job_queue*."""
        self.job_queues[job_queue.name] = job_queue
        self.queues[job_queue.name] = Queue(self._rank, self._hints, self._settings, self._gates)
        self._job_queues[self.queues[job_queue.name]] = job_queue

    def join(self, queued_task: QueuedTask) -> None:
        """Add *queued_task* to the waiting tasks of its gang."""
        gang = queued_task.gang
        gang.size += 1
        add_to(gang.job_queue.requested, queued_task.requests)
        self.requests_changed(gang.job_queue)
        self.wait(queued_task)

    def leave(self, queued_task: QueuedTask) -> None:
        """Remove *queued_task*, which has no resources, from its gang."""
        queued_task.state = TaskState.GONE
        queued_task.gang.size -= 1
        subtract(queued_task.gang.job_queue.requested, queued_task.requests)
        self.requests_changed(queued_task.gang.job_queue)

    def give_back(self, queued_task: QueuedTask) -> Freed:
        """Release the resources of *queued_task*, which runs or was evicted, and return them."""
        self.machines.give(queued_task, self.machines.nodes[queued_task.node])
        if queued_task.state is not TaskState.RELEASING:
            uncount_placed(queued_task, is_promise=False)
        return Freed((queued_task.node,), queued_task.locks)

    def dismiss(self, gang: Gang) -> None:
        """Note that *gang*, which was admitted, needs its minimum no longer."""
        for job_queue in lineage(gang.job_queue):
            subtract(job_queue.admitted, gang.minimum or {})

    def add_machine(self, machine: SchedulerNode) -> None:
        """Add *machine*, and wake gangs that it helps."""
        self.machines.add(machine)
        self.version += 1
        self.wake(Freed((machine.name,)))

    def remove_machine(self, name: str) -> bool:
        """Remove the idle machine *name*; return False if tasks have room on it, or are promised some."""
        machine = self.machines.nodes[name]
        if machine.promised or machine.tasks:
            return False
        self.machines.remove(name)
        self.version += 1
        return True

    def requests_changed(self, job_queue: JobQueue) -> None:
        """Note that the requests of *job_queue* changed."""
        self.version += 1
        self.asking[job_queue] = None
        self.turns.touch(job_queue)

    def waiting_queues(self) -> tuple[Queue[Gang], ...]:
        """Return the queues with unschedulable items or items in backoff."""
        self._waiting = {queue: None for queue in self._waiting if queue.has_waiting()}
        return tuple(self._waiting)

    def flush(self, *, is_safety: bool) -> None:
        """Activate items whose backoff is over; with *is_safety*, also those that are unschedulable for too long."""
        for queue in self.waiting_queues():
            queue.flush(self.now)
            if is_safety:
                queue.flush_unschedulable(self.now)
            self._look_at(queue)

    def _look_at(self, queue: Queue[Gang]) -> None:
        """Note that *queue* may have tasks to place."""
        if queue in self._job_queues:
            self.turns.touch(self._job_queues[queue])

    def add_failed(self, gang: Gang, queue: Queue[Gang], failures: int) -> float:
        """Add *gang* to *queue* with the backoff of *failures* failures, and return the end of the backoff."""
        self._waiting[queue] = None
        return queue.add_failed(gang, failures, self.now)

    def admit(self, gang: Gang) -> None:
        """Admit *gang*: its tasks may be placed from now on."""
        self.admit_unplaced(gang)
        self.offer(gang)

    def admit_unplaced(self, gang: Gang) -> None:
        """Admit *gang*, whose tasks are placed later."""
        gang.is_admitted = True
        for job_queue in lineage(gang.job_queue):
            add_to(job_queue.admitted, gang.minimum or {})

    def pass_gate(self, gang: Gang, gate: str) -> None:
        """Check *gate* of *gang* again."""
        for queue in (self.queues[gang.job_queue.name], self.light):
            if gang in queue:
                queue.update(gang, self.now, QueueEvent(gate))
                self._look_at(queue)

    def withdraw(self, gang: Gang) -> None:
        """Remove *gang*, which was admitted and waits, from the queues."""
        for queue in (self.queues[gang.job_queue.name], self.light):
            if gang in queue:
                queue.delete(gang)
        self.dismiss(gang)

    def offer(self, gang: Gang) -> None:
        """Add *gang* to the queues for which it has tasks, or update its rank there."""
        self.turns.touch(gang.job_queue)
        if gang.first() is not None:
            self.queues[gang.job_queue.name].update(gang, self.now)
        if gang.light and gang.first(light=True) is not None:
            self.light.update(gang, self.now)

    def find(self, queued_task: QueuedTask) -> SchedulerNode | None:
        """Return the best machine for *queued_task* now; None without room, or if a lock or a guarantee prevents it."""
        if self.machines.held(queued_task.locks) or not self.ballot.leaves_guarantees(queued_task):
            return None
        nodes = self.machines.choice(with_full=SLOTS not in queued_task.requests)
        candidates = [node for node in nodes if self._is_good(queued_task, node)]
        if len(candidates) < 2:  # noqa: PLR2004 # no choice
            return candidates[0] if candidates else None
        return min(candidates, key=lambda node: self.ballot.node_key(queued_task, node))

    def find_future(self, queued_task: QueuedTask) -> SchedulerNode | None:
        """Return the machine that lacks least for *queued_task* now.

        Machines with promises are excluded: two tasks might wait there for each other's room.
        """
        nodes = [node for node in self.machines.nodes.values() if could_fit(queued_task, node)]
        candidates = [node for node in nodes if not node.promised and self.ballot.is_placeable(queued_task, node)]
        return min(candidates, key=lambda node: (lack(queued_task, node), node.order), default=None)

    def start(self, queued_task: QueuedTask, node: SchedulerNode) -> None:
        """Start *queued_task* on *node*, which has room for it."""
        self.machines.take(queued_task, node)
        queued_task.state, queued_task.node = TaskState.RUNNING, node.name
        count_placed(queued_task, is_promise=False)
        self.started.append(queued_task)
        self.placed += 1
        job_queue = queued_task.gang.job_queue
        job_queue.served = self.placed
        self.turns.touch(job_queue)

    def commit(self, statement: Statement) -> None:
        """Start the tasks that *statement* places, and stop those that it evicts."""
        changed = statement.commit()
        placed = [queued_task for queued_task in changed if queued_task.state is TaskState.RUNNING]
        self.evicted += [queued_task for queued_task in changed if queued_task.state is TaskState.RELEASING]
        self.started += placed
        self.placed += len(placed)
        for queued_task in placed:
            queued_task.gang.job_queue.served = self.placed
            self.turns.touch(queued_task.gang.job_queue)

    def is_aged(self, gang: Gang, popped: QueuedTask | None = None) -> bool:
        """Return whether *gang*, whose first task may be *popped*, is late or overtaken, so that room is reserved."""
        if gang.refused_at is None:
            return False
        return self.placed - gang.refused_at >= self._patience or self._is_late(gang, popped)

    def _is_late(self, gang: Gang, popped: QueuedTask | None = None) -> bool:
        first = (popped or gang.first()) if gang.waiting_time < inf else None
        return first is not None and first.since + gang.waiting_time <= self.now

    def pledge(self, gang: Gang, statement: Statement) -> None:
        """Store *statement*, which promises room to *gang*, until the gang is tried again."""
        if gang in self._pledges:
            self._pledges[gang].merge(statement)
        else:
            self._pledges[gang] = statement

    def redeeming(self) -> list[JobQueue]:
        """Return the job queues with a gang that may start in the room that it was promised, which counts as taken."""
        entries = [self.queues[gang.job_queue.name].entry(gang) for gang in self._pledges]
        return [entry.item.job_queue for entry in entries if entry.part is not QueueState.UNSCHEDULABLE]

    def keep_pledge(self, queue: Queue[Gang], gang: Gang) -> bool:
        """Return whether *gang*, which is in flight, must wait for tasks that were stopped for it and have not ended.

        It keeps the room that it was promised, and returns to *queue*.
        """
        nodes = [(queued_task, self.machines.nodes[queued_task.node]) for queued_task in self.promised(gang)]
        if any(any(node.releasing.values()) and not is_kept(queued_task, node) for queued_task, node in nodes):
            self._refuse(queue, gang, ROOM)
            return True
        return False

    def promised(self, gang: Gang) -> list[QueuedTask]:
        """Return the tasks of *gang* that were promised room."""
        return [queued_task for _, queued_task in self._pledges[gang].operations] if gang in self._pledges else []

    def unpledge(self, gang: Gang) -> Freed:
        """Cancel the promises to *gang*, and return the freed resources."""
        return self.undo(self._pledges.pop(gang)) if gang in self._pledges else Freed()

    def undo(self, statement: Statement) -> Freed:
        """Undo *statement*, so that its tasks wait again, and return the freed resources."""
        queued_tasks = [queued_task for _, queued_task in statement.operations]
        freed = Freed(
            tuple(queued_task.node for queued_task in queued_tasks),
            tuple(lock for queued_task in queued_tasks for lock in queued_task.locks),
        )
        for queued_task in statement.discard():
            self.wait(queued_task)
        return freed

    def wait(self, queued_task: QueuedTask) -> None:
        """Add *queued_task* to the waiting tasks of its gang."""
        queued_task.gang.push(queued_task, self.ballot.queued_task_key(queued_task))

    def wake(self, freed: Freed, *, were_promised: bool = False) -> None:
        """Wake gangs that wait for *freed* resources; if these *were_promised*, only gangs that can start now."""
        if not self._waiting:
            return
        # Other gangs with promises would free these when they are tried, and wake each other without end.
        kind = RELEASE if were_promised else ROOM
        events = [QueueEvent(kind, self.machines.nodes[name]) for name in dict.fromkeys(freed.nodes)]
        if freed.locks:
            events.append(QueueEvent(LOCK, freed.locks))
        for queue in self.waiting_queues():
            for event in events if queue.has_unschedulable() else ():
                queue.event(event, self.now)
            self._look_at(queue)

    def mark_unschedulable(self, queue: Queue[Gang], gang: Gang, queued_task: QueuedTask, *reasons: str) -> None:
        """Mark *gang*, whose *queued_task* found no room, or for other *reasons*, as unschedulable until that ends."""
        self.changed[gang] = None
        if lock := self.machines.held(queued_task.locks):
            gang.cause, gang.refused_at = (Cause.LOCK, lock), None
            self._refuse(queue, gang, LOCK)
            return
        # The first cause is reported as long as room is missing: examining all machines each time is slow.
        if gang.cause[0] in (Cause.SLOT, Cause.LOCK) and not reasons:
            gang.cause = wait_cause(queued_task, self.machines, self.ballot)
        if not queued_task.is_light:
            gang.refused_at = self.placed if gang.refused_at is None else gang.refused_at
            if not gang.is_aging and gang not in self._pledges:
                gang.is_aging = True
                self._aging.append((self.placed + self._patience, gang))
        self._refuse(queue, gang, ROOM, *reasons)

    def _refuse(self, queue: Queue[Gang], gang: Gang, *reasons: str) -> None:
        self._waiting[queue] = None
        # Room must be reserved for aged gangs, and promised room be used, before others take it again.
        backs_off = self.ballot.backs_off and gang not in self._pledges and not self.is_aged(gang)
        rejectors, pending = (reasons, ()) if backs_off else ((), reasons)
        queue.fail(gang, self.now, rejectors=rejectors, pending=pending)

    def age(self) -> None:
        """Try gangs again that many tasks have overtaken, to reserve room for them."""
        while self._aging and self._aging[0][0] <= self.placed:
            _, gang = self._aging.popleft()
            gang.is_aging = False
            if gang.refused_at is not None:
                self.queues[gang.job_queue.name].activate(gang)
                self.turns.touch(gang.job_queue)

    def _rank(self, entry: QueuedItem[Gang]) -> Rank:
        # Room must be reserved for aged gangs before others take it again.
        return (not self.is_aged(entry.item), *self.ballot.gang_key(entry.item))

    def _light_rank(self, entry: QueuedItem[Gang]) -> Rank:
        return (*self.ballot.job_queue_key(entry.item.job_queue), *self.ballot.gang_key(entry.item))

    def _has_room(self, gang: Gang, event: QueueEvent) -> Hint:
        """Return whether the machine of *event* has room for a task of *gang*, or can be promised to it now."""
        node: SchedulerNode = event.what
        has_room = any(is_kept(task, node) or self._is_good(task, node) for task in self._next(gang))
        return _hint(has_room or (gang not in self._pledges and self._is_late(gang)))

    def _can_start(self, gang: Gang, _event: QueueEvent) -> Hint:
        """Return whether *gang*, which has no promises, finds enough room now, or only a limit prevents that."""
        statement, tasks = Statement(self.machines), self._next(gang) if gang not in self._pledges else []
        for task in tasks:
            if self.ballot.may_start(task) and (node := self.find(task)) is not None:
                statement.place(task, node.name)
        can_start = bool(statement.operations) and self.ballot.is_ready(gang)
        statement.discard()
        # If it is limited, it must be tried to note this: else it would only wait for machines.
        return _hint(can_start or not all(self.ballot.may_start(task) for task in tasks))

    def _is_good(self, queued_task: QueuedTask, node: SchedulerNode) -> bool:
        return is_room(queued_task, node) and self.ballot.is_placeable(queued_task, node)

    def _is_within_limits(self, gang: Gang, _event: QueueEvent) -> Hint:
        return _hint(any(self.ballot.may_start(task) for task in self._next(gang)))

    def _has_locks(self, gang: Gang, _event: QueueEvent) -> Hint:
        return _hint(not any(self.machines.held(task.locks) for task in self._next(gang)))

    def _next(self, gang: Gang) -> list[QueuedTask]:
        """Return the tasks of *gang* that start next, one of alike ones: those with a promise, and those that wait."""
        promised = [task for task in self.promised(gang) if task.state is TaskState.PROMISED]
        if gang.is_alike:
            return promised[:1] or [task for task in (gang.first() or gang.first(light=True),) if task is not None]
        waiting = (task for *_, task in gang.waiting or gang.light if task.state is TaskState.WAITING)
        return [*promised, *waiting]


def _hint(is_helped: bool) -> Hint:  # noqa: FBT001 # converts the result of a predicate
    return Hint.HELPS if is_helped else Hint.DOES_NOT
