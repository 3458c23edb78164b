"""The scheduler of a run: a queue like that of Kubernetes and a session like that of Volcano."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from pipegen.run.events import Cause
from pipegen.run.model import Demand, RunMachine, Task, TaskId
from pipegen.run.scheduling.actions.allocate import allocate
from pipegen.run.scheduling.actions.backfill import backfill
from pipegen.run.scheduling.actions.enqueue import enqueue
from pipegen.run.scheduling.amounts import Amounts, requests
from pipegen.run.scheduling.base import Cycle, Placement, Refusal
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask, TaskState
from pipegen.run.scheduling.nodes import node
from pipegen.run.scheduling.policies.gang import gang as gang_policy
from pipegen.run.scheduling.policies.machines import fit, pack
from pipegen.run.scheduling.policies.orders import critical_path, first_ready
from pipegen.run.scheduling.policies.proportion import proportion
from pipegen.run.scheduling.queue.entry import QueueState
from pipegen.run.scheduling.queue.queue import QueueSettings
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes, only

Policy: TypeAlias = Callable[[Session], Votes]

CRITICAL_PATH, DECLARED, FIRST_READY = ORDERS = ("critical-path", "declared", "first-ready")

# The policies of each order. Without votes, the user's order applies.
_ORDER_POLICIES: Mapping[str, tuple[Policy, ...]] = {
    CRITICAL_PATH: (critical_path,),
    DECLARED: (),
    FIRST_READY: (first_ready,),
}
# Only some votes count: gangs that lack tasks do not come first, and a job queue may exceed its deserved share while
# there is room; the share only decides the order.
_FAIR: tuple[Policy, ...] = (
    partial(only, proportion, ("job_queue_key",)),
    partial(only, gang_policy, ("is_ready", "is_promised")),
)
_ACTIONS = (enqueue, allocate, backfill)

# Seconds between two checks for items that are unschedulable for too long, as in Kubernetes.
_SAFETY = 30.0
# How many times all slots are given to others before room is reserved for a task that does not fit.
_ROUNDS = 2
# The number of tasks that go first if slots are unlimited, and only other resources run out.
_MANY = 64.0


def scheduler(machines: Sequence[RunMachine], *, order: str = CRITICAL_PATH) -> SessionScheduler:
    """Return a scheduler for *machines* with unique names; *order* is one of `ORDERS`."""
    slots = [machine.slots for machine in machines if machine.slots is not None]
    session = Session(
        [node(machine, index) for index, machine in enumerate(machines)],
        tiers(order),
        settings=QueueSettings(),
        patience=_ROUNDS * sum(slots) or _MANY,
    )
    return SessionScheduler(session)


def tiers(order: str) -> tuple[tuple[Policy, ...], ...]:
    """Return the policies of a run by tier: the next pipeline, its next stage, and the machine."""
    return (_FAIR, _ORDER_POLICIES[order], (fit, pack))


class SessionScheduler:
    """A scheduler that keeps one session for the whole run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # Gangs of ready tasks, by pipeline, priority and demand.
        self._gangs: dict[tuple[str, int, Demand], Gang] = {}
        self._queued_tasks: dict[TaskId, QueuedTask] = {}
        self._asked: dict[Demand, Amounts] = {}
        self._last_safety = 0.0

    def add(self, task: Task, now: float) -> None:
        """Add a task that may start."""
        key = (task.id.pipeline, task.priority, task.demand)
        gang = self._gangs.get(key)
        if gang is None:
            gang = self._gangs[key] = self._gang(task)
            self._session.entering.append(gang)
        queued_task = self._join(gang, task, now)
        # Only a new first task, or age, changes the rank of a gang that is queued.
        is_first = queued_task is gang.first(light=queued_task.is_light)
        if gang.is_admitted and (is_first or gang.refused_at is not None):
            self._session.now = now
            self._session.offer(gang)

    def retry(self, task: Task, failures: int, now: float) -> None:
        """Add a task again, which is no longer in flight, with the backoff of *failures* failures."""
        gang = self._gang(task)
        gang.is_admitted = True
        queued_task = self._join(gang, task, now)
        queue = self._session.light if queued_task.is_light else self._session.queues[gang.job_queue.name]
        self._session.now = now
        self._session.add_failed(gang, queue, failures)

    def cycle(self, now: float) -> Cycle:
        """Run a scheduling cycle; placed tasks are in flight until they are released."""
        session = self._session
        session.now = now
        self._flush(now)
        for act in _ACTIONS:
            act(session)
        started, session.started = session.started, []
        return Cycle(
            placed=tuple(
                Placement(queued_task.task, queued_task.node) for queued_task in started if queued_task.task is not None
            ),
            refused=tuple(self._refusals()),
        )

    def release(self, task: TaskId, now: float) -> None:
        """Release the resources of a task in flight, and wake tasks that wait for them."""
        queued_task = self._queued_tasks.pop(task)
        session = self._session
        session.now = now
        freed = session.give_back(queued_task)
        session.leave(queued_task)
        session.wake(freed)

    def drop(self, task: TaskId) -> None:
        """Remove a queued task."""
        queued_task = self._queued_tasks.pop(task)
        session, gang = self._session, queued_task.gang
        freed = session.unpledge(gang)
        session.leave(queued_task)
        queue = session.light if queued_task.is_light else session.queues[gang.job_queue.name]
        if gang in queue:
            if gang.first(light=queued_task.is_light) is None:
                queue.delete(gang)
            elif freed.nodes:
                queue.activate(gang)
            else:
                queue.update(gang, session.now)
        session.wake(freed)

    def next_time(self) -> float | None:
        """Return the time at which the first backoff ends, None if there is none."""
        times = (queue.next_time() for queue in self._session.waiting_queues())
        return min((time for time in times if time is not None), default=None)

    def _gang(self, task: Task) -> Gang:
        """Return a new gang for *task* and those with equal demands, in the job queue of its pipeline and priority."""
        name, job_queues = f"{task.priority} {task.id.pipeline}", self._session.job_queues
        if name not in job_queues:
            self._session.open_job_queue(JobQueue(name=name, priority=task.priority, order=len(job_queues)))
        return Gang(name=task.id.stage, job_queue=job_queues[name], is_alike=True)

    def _join(self, gang: Gang, task: Task, now: float) -> QueuedTask:
        demand = task.demand
        requested = self._asked.get(demand)
        if requested is None:
            requested = self._asked[demand] = requests(demand)
        queued_task = QueuedTask(
            name=task.id.stage,
            gang=gang,
            requests=requested,
            labels=demand.labels,
            locks=tuple(dict.fromkeys(demand.locks)),
            remaining=task.remaining,
            order=task.order,
            is_light=not demand.slots,
            since=now,
            task=task,
        )
        gang.unreported.append(queued_task)
        self._session.changed[gang] = None
        self._session.join(queued_task)
        self._queued_tasks[task.id] = queued_task
        return queued_task

    def _flush(self, now: float) -> None:
        is_safety = now - self._last_safety >= _SAFETY
        if is_safety:
            self._last_safety = now
        self._session.flush(is_safety=is_safety)

    def _refusals(self) -> Iterator[Refusal]:
        """Yield the tasks that wait, with causes that were not reported yet."""
        changed, self._session.changed = self._session.changed, {}
        for gang in changed:
            unreported, gang.unreported = gang.unreported, []
            cause = self._cause(gang)
            if gang.reported_cause not in (None, cause):
                first = gang.first() or gang.first(light=True)
                if first is not None and first not in unreported:
                    unreported.append(first)
            gang.reported_cause = cause
            for queued_task in unreported:
                if queued_task.state in (TaskState.WAITING, TaskState.PROMISED) and queued_task.task is not None:
                    yield Refusal(queued_task.task, *cause)

    def _cause(self, gang: Gang) -> tuple[Cause, str]:
        """Return the cause why the tasks of *gang* wait; a slot if they were not tried yet."""
        for queue in (self._session.queues[gang.job_queue.name], self._session.light):
            if gang in queue:
                part = queue.entry(gang).part
                if part is QueueState.BACKOFF:
                    return (Cause.BACKOFF, "")
                if part is QueueState.UNSCHEDULABLE:
                    return gang.cause
        return (Cause.SLOT, "")
