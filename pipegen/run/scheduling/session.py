"""The scheduler's world: who waits in which lane, what the machines have, and how plugins vote.

Volcano copies the cluster into each session; this one lives as long as the run and is kept up to date, so that a look
at it costs what has changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from pipegen.run.events import Cause
from pipegen.run.scheduling.amounts import is_bounded
from pipegen.run.scheduling.fitting import could_fit, is_kept, is_room, why
from pipegen.run.scheduling.hosts import SchedulerNode
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask, Standing
from pipegen.run.scheduling.places import MachineState
from pipegen.run.scheduling.queue.entry import QueuedItem
from pipegen.run.scheduling.queue.heap import Rank
from pipegen.run.scheduling.queue.hints import Hint, QueueEvent
from pipegen.run.scheduling.queue.queue import Habits, Queue
from pipegen.run.scheduling.statement import Statement
from pipegen.run.scheduling.turns import Turns
from pipegen.run.scheduling.votes import Ballot, Votes
from pipegen.structs import Struct

# Why a gang is parked, and the events that end it.
ROOM, LOCK, SIZE = "room", "lock", "size"


class Freed(Struct):
    """What somebody has given back: room on machines, by their names, and locks."""

    hosts: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()


class Session:
    """Everything that actions work on.

    Attributes:
        places: the machines and locks.
        ballot: how plugins vote.
        lanes: the lanes by name; `queues` has the gangs of each.
        light: gangs with members for `backfill`.
        entering: gangs that are not admitted yet.
        started: members that the actions have placed, for whoever asked for a cycle.
        changed: gangs that somebody joined, or that wait for something else than before.
        placed: how many members have been placed in all.
        now: what time it is.
        version: goes up whenever somebody asks for more or less.
        asking: the lanes of whom that is true, until what they deserve is worked out.
        turns: whose turn it is.
    """

    def __init__(
        self,
        hosts: Sequence[SchedulerNode],
        tiers: Sequence[Sequence[Callable[[Session], Votes]]],
        *,
        habits: Habits,
        patience: float,
    ) -> None:
        self.places = MachineState(hosts)
        self.job_queues: dict[str, JobQueue] = {}
        self.queues: dict[str, Queue[Gang]] = {}
        self.entering: list[Gang] = []
        self.started: list[QueuedTask] = []
        self.changed: dict[Gang, None] = {}
        self.placed = 0
        self.now = 0.0
        self.version = 0
        self.asking: dict[JobQueue, None] = {}
        self.ballot = Ballot([[policy(self) for policy in tier] for tier in tiers])
        self.turns = Turns(self.ballot.job_queue_key, lambda job_queue: self.queues[job_queue.name].has_next())
        self._habits = habits
        self._patience = patience
        self._hints = {ROOM: ((ROOM, self._has_room),), LOCK: ((LOCK, self._has_locks),)}
        self.light: Queue[Gang] = Queue(self._light_rank, self._hints, habits)
        # Of all queues, those that may have somebody parked or in backoff: with many lanes, most have not.
        self._waiting: dict[Queue[Gang], None] = {}
        self._job_queues: dict[Queue[Gang], JobQueue] = {}
        self._pledges: dict[Gang, Statement] = {}
        # Gangs refused for want of room, each with how many are placed when it is looked at again.
        self._aging: deque[tuple[float, Gang]] = deque()

    def open_job_queue(self, job_queue: JobQueue) -> None:
        """Open *job_queue*."""
        self.job_queues[job_queue.name] = job_queue
        self.queues[job_queue.name] = Queue(self._rank, self._hints, self._habits)
        self._job_queues[self.queues[job_queue.name]] = job_queue

    def ask_anew(self, job_queue: JobQueue) -> None:
        """Note that *job_queue* asks for more or less."""
        self.version += 1
        self.asking[job_queue] = None
        self.turns.touch(job_queue)

    def waiting_queues(self) -> tuple[Queue[Gang], ...]:
        """Return the queues in which anybody is parked or in backoff."""
        for queue in [one for one in self._waiting if not one.has_waiting()]:
            del self._waiting[queue]
        return tuple(self._waiting)

    def flush(self, *, is_safety: bool) -> None:
        """Let those go on whose delay is over; with *is_safety*, look at those too who are parked for too long."""
        for queue in self.waiting_queues():
            queue.flush(self.now)
            if is_safety:
                queue.flush_parked(self.now)
            self._look_at(queue)

    def _look_at(self, queue: Queue[Gang]) -> None:
        """Note that *queue* may have somebody to place."""
        if queue in self._job_queues:
            self.turns.touch(self._job_queues[queue])

    def add_failed(self, gang: Gang, queue: Queue[Gang], failures: int) -> None:
        """Let *gang*, which has failed so often, wait out its delay in *queue*."""
        self._waiting[queue] = None
        queue.add_failed(gang, failures, self.now)

    def admit(self, gang: Gang) -> None:
        """Let the members of *gang* be placed from now on."""
        gang.is_admitted = True
        self.offer(gang)

    def offer(self, gang: Gang) -> None:
        """Queue *gang* wherever it has members to place; where it stands there already, its rank is taken anew."""
        self.turns.touch(gang.job_queue)
        if gang.first() is not None:
            self.queues[gang.job_queue.name].update(gang, self.now)
        if gang.first(light=True) is not None:
            self.light.update(gang, self.now)

    def find(self, queued_task: QueuedTask) -> SchedulerNode | None:
        """Return the best machine that has room for *queued_task* now, if its locks are free."""
        if self.places.held(queued_task.locks):
            return None
        hosts = self.places.choice(with_full=queued_task.is_light)
        good = [host for host in hosts if self._is_good(queued_task, host)]
        if len(good) < 2:  # noqa: PLR2004 # there is nothing to choose from
            return good[0] if good else None
        return min(good, key=lambda host: self.ballot.host_key(queued_task, host))

    def find_future(self, queued_task: QueuedTask) -> SchedulerNode | None:
        """Return the machine that soonest may have room for *queued_task*, by what others take there now.

        One that keeps room already is left out: two might each wait there for what the other keeps.
        """
        hosts = [host for host in self.places.hosts.values() if not host.promised and could_fit(queued_task, host)]
        fit = [host for host in hosts if self.ballot.is_placeable(queued_task, host)]
        return min(fit, key=lambda host: (_lack(queued_task, host), host.order), default=None)

    def commit(self, statement: Statement) -> None:
        """Let those start whom *statement* places."""
        placed = statement.commit()
        self.started += placed
        self.placed += len(placed)
        for queued_task in placed:
            queued_task.gang.job_queue.served = self.placed
            self.turns.touch(queued_task.gang.job_queue)

    def is_aged(self, gang: Gang) -> bool:
        """Return whether so many have overtaken *gang* since it was refused that room is kept for it now."""
        return gang.parked_at is not None and self.placed - gang.parked_at >= self._patience

    def pledge(self, gang: Gang, statement: Statement) -> None:
        """Keep *statement*, which promises room to *gang*, until the gang is looked at again."""
        self._pledges[gang] = statement

    def unpledge(self, gang: Gang) -> Freed:
        """Take back what *gang* was promised; return what others may have of it."""
        statement = self._pledges.pop(gang, None)
        return self.undo(statement) if statement is not None else Freed()

    def undo(self, statement: Statement) -> Freed:
        """Undo *statement*, so that its members wait again; return what others may have."""
        queued_tasks = [queued_task for _, queued_task in statement.operations]
        found = Freed(
            tuple(one.host for one in queued_tasks), tuple(lock for one in queued_tasks for lock in one.locks)
        )
        for queued_task in statement.discard():
            self.wait(queued_task)
        return found

    def wait(self, queued_task: QueuedTask) -> None:
        """Let *queued_task* wait in its gang."""
        queued_task.gang.push(queued_task, self.ballot.queued_task_key(queued_task))

    def wake(self, freed: Freed) -> None:
        """Wake those who wait for what is *freed*."""
        events = [QueueEvent(ROOM, self.places.hosts[name]) for name in dict.fromkeys(freed.hosts)]
        if freed.locks:
            events.append(QueueEvent(LOCK, freed.locks))
        for queue in self.waiting_queues():
            for event in events if queue.has_parked() else ():
                queue.event(event, self.now)
            self._look_at(queue)

    def park(self, queue: Queue[Gang], gang: Gang, queued_task: QueuedTask) -> None:
        """Park *gang*, whose *queued_task* found no place, until that can change."""
        self.changed[gang] = None
        self._waiting[queue] = None
        lock = self.places.held(queued_task.locks)
        if lock:
            gang.cause, gang.parked_at = (Cause.LOCK, lock), None
            queue.fail(gang, self.now, pending=(LOCK,))
            return
        # What it lacked at first is told as long as it lacks room: to look at all machines each time takes long.
        if gang.cause[0] in (Cause.SLOT, Cause.LOCK):
            gang.cause = why(queued_task, self.places, self.ballot)
        if not queued_task.is_light:
            gang.parked_at = self.placed if gang.parked_at is None else gang.parked_at
            if not gang.is_aging and gang not in self._pledges:
                gang.is_aging = True
                self._aging.append((self.placed + self._patience, gang))
        queue.fail(gang, self.now, pending=(ROOM,))

    def age(self) -> None:
        """Let those be looked at again, to be promised room, whom many have overtaken."""
        while self._aging and self._aging[0][0] <= self.placed:
            _, gang = self._aging.popleft()
            gang.is_aging = False
            if gang.parked_at is not None:
                self.queues[gang.job_queue.name].activate(gang)
                self.turns.touch(gang.job_queue)

    def _rank(self, entry: QueuedItem[Gang]) -> Rank:
        # Room must be promised to who is aged before the others take it again.
        return (not self.is_aged(entry.item), *self.ballot.gang_key(entry.item))

    def _light_rank(self, entry: QueuedItem[Gang]) -> Rank:
        return (*self.ballot.job_queue_key(entry.item.job_queue), *self.ballot.gang_key(entry.item))

    def _has_room(self, gang: Gang, event: QueueEvent) -> Hint:
        """Return whether the machine that *event* is about has room for who is first in *gang*, promises included."""
        host: SchedulerNode = event.what
        for _, queued_task in self._pledges[gang].operations if gang in self._pledges else ():
            if queued_task.standing is Standing.PROMISED:
                return _hint(is_kept(queued_task, host) or self._is_good(queued_task, host))
        first = gang.first() or gang.first(light=True)
        return _hint(first is not None and self._is_good(first, host))

    def _is_good(self, queued_task: QueuedTask, host: SchedulerNode) -> bool:
        return is_room(queued_task, host) and self.ballot.is_placeable(queued_task, host)

    def _has_locks(self, gang: Gang, _event: QueueEvent) -> Hint:
        first = gang.first() or gang.first(light=True)
        return _hint(first is not None and not self.places.held(first.locks))


def _hint(is_helped: bool) -> Hint:  # noqa: FBT001 # a predicate's answer, put into the queue's words
    return Hint.HELPS if is_helped else Hint.DOES_NOT


def _lack(queued_task: QueuedTask, host: SchedulerNode) -> float:
    """Return how much *host* lacks that *queued_task* asks for, as a part of what it has."""
    bounded = [name for name in queued_task.asks if is_bounded(host.limits[name])]
    return max(
        (max(0.0, queued_task.asks[name] - host.idle[name]) / host.limits[name] for name in bounded), default=0.0
    )
