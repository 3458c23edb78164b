"""The scheduler of a run: Kubernetes' queue and Volcano's session behind the contract that the engine knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from pipegen.run.events import Cause
from pipegen.run.model import Demand, RunMachine, Task, TaskId
from pipegen.run.scheduling.actions.allocate import allocate
from pipegen.run.scheduling.actions.backfill import backfill
from pipegen.run.scheduling.actions.enqueue import enqueue
from pipegen.run.scheduling.amounts import Amounts, asks, put_to, take_from
from pipegen.run.scheduling.base import Cycle, Placement, Refusal
from pipegen.run.scheduling.hosts import host
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask, Standing, unseat
from pipegen.run.scheduling.policies.critical_path import critical_path
from pipegen.run.scheduling.policies.first_ready import first_ready
from pipegen.run.scheduling.policies.fit import fit
from pipegen.run.scheduling.policies.gang import gang
from pipegen.run.scheduling.policies.pack import pack
from pipegen.run.scheduling.policies.proportion import proportion
from pipegen.run.scheduling.queue.backoff import Delays
from pipegen.run.scheduling.queue.entry import QueueState
from pipegen.run.scheduling.queue.queue import Habits
from pipegen.run.scheduling.session import Freed, Session
from pipegen.run.scheduling.votes import Votes, only

Policy: TypeAlias = Callable[[Session], Votes]

CRITICAL_PATH, DECLARED, FIRST_READY = ORDERS = ("critical-path", "declared", "first-ready")

# By the name of an order, the policies that make it. Where nobody has a say, the user's order holds.
_ORDER_POLICIES: Mapping[str, tuple[Policy, ...]] = {
    CRITICAL_PATH: (critical_path,),
    DECLARED: (),
    FIRST_READY: (first_ready,),
}
# No gang waits for others of its kind, so that those which lack members are not put first; and no lane is held to what
# it deserves while there is room: its share only decides who is next.
_FAIR: tuple[Policy, ...] = (
    partial(only, proportion, ("job_queue_key",)),
    partial(only, gang, ("is_ready", "is_promised")),
)
_ACTIONS = (enqueue, allocate, backfill)

_DELAYS = Delays()
# Seconds between two looks at those who are parked for too long, as Kubernetes has it.
_SAFETY = 30.0
# How often all slots are given to others before room is kept for who does not fit.
_ROUNDS = 2
# How many others go first where slots have no bound, and machines only run out of the rest.
_MANY = 64.0


def scheduler(
    machines: Sequence[RunMachine], *, order: str = CRITICAL_PATH, delays: Delays = _DELAYS
) -> SessionScheduler:
    """Return a scheduler for *machines*, whose names differ; *order* is one of `ORDERS`."""
    slots = [one.slots for one in machines if one.slots is not None]
    session = Session(
        [host(machine, place) for place, machine in enumerate(machines)],
        tiers(order),
        habits=Habits(delays=delays),
        patience=_ROUNDS * sum(slots) or _MANY,
    )
    return SessionScheduler(session)


def tiers(order: str) -> tuple[tuple[Policy, ...], ...]:
    """Return the policies of a run: whose turn it is, then which of its stages comes first, then on which machine."""
    return (_FAIR, _ORDER_POLICIES[order], (fit, pack))


class SessionScheduler:
    """A scheduler that keeps one session for the whole run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # The gangs of ready tasks, by pipeline and demand.
        self._gangs: dict[tuple[str, Demand], Gang] = {}
        self._queued_tasks: dict[TaskId, QueuedTask] = {}
        self._asked: dict[Demand, Amounts] = {}
        self._last_safety = 0.0

    def add(self, task: Task, now: float) -> None:
        """Take a task that may start."""
        key = (task.id.pipeline, task.demand)
        line = self._gangs.get(key)
        if line is None:
            line = self._gangs[key] = self._gang(task)
            self._session.entering.append(line)
        self._join(line, task, now)
        if line.is_admitted:
            self._session.now = now
            self._session.offer(line)

    def retry(self, task: Task, failures: int, now: float) -> None:
        """Take a task again, which is not in flight any more; it waits out the backoff of so many failures first."""
        alone = self._gang(task)
        alone.is_admitted = True
        queued_task = self._join(alone, task, now)
        queue = self._session.light if queued_task.is_light else self._session.queues[alone.job_queue.name]
        self._session.now = now
        self._session.add_failed(alone, queue, failures)

    def cycle(self, now: float) -> Cycle:
        """Look at the queue once; what is placed is in flight until it is released."""
        session = self._session
        session.now = now
        self._flush(now)
        for act in _ACTIONS:
            act(session)
        started, session.started = session.started, []
        return Cycle(
            placed=tuple(
                Placement(queued_task.task, queued_task.host) for queued_task in started if queued_task.task is not None
            ),
            refused=tuple(self._refusals()),
        )

    def release(self, task: TaskId, now: float) -> None:
        """Give back what a task in flight has taken, and wake those that wait for just that."""
        queued_task = self._queued_tasks.pop(task)
        session = self._session
        session.now = now
        session.places.give(queued_task, session.places.hosts[queued_task.host])
        unseat(queued_task, is_promise=False)
        self._leave(queued_task)
        session.wake(Freed((queued_task.host,), queued_task.locks))

    def drop(self, task: TaskId) -> None:
        """Forget a task that is queued."""
        queued_task = self._queued_tasks.pop(task)
        session, line = self._session, queued_task.gang
        kept = session.unpledge(line)
        self._leave(queued_task)
        queue = session.light if queued_task.is_light else session.queues[line.job_queue.name]
        if line in queue:
            if line.first(light=queued_task.is_light) is None:
                queue.delete(line)
            elif kept.hosts:
                queue.activate(line)
            else:
                queue.update(line, session.now)
        session.wake(kept)

    def next_time(self) -> float | None:
        """Return when a task in backoff may start again at the earliest, None where time alone changes nothing."""
        times = (queue.next_time() for queue in self._session.waiting_queues())
        return min((time for time in times if time is not None), default=None)

    def _gang(self, task: Task) -> Gang:
        """Return a new gang for *task* and those that ask for the same, in the lane of its pipeline."""
        name, job_queues = task.id.pipeline, self._session.job_queues
        if name not in job_queues:
            self._session.open_job_queue(JobQueue(name=name, order=len(job_queues)))
        return Gang(name=task.id.stage, job_queue=job_queues[name], is_alike=True)

    def _join(self, line: Gang, task: Task, now: float) -> QueuedTask:
        demand = task.demand
        asked = self._asked.get(demand)
        if asked is None:
            asked = self._asked[demand] = asks(demand)
        queued_task = QueuedTask(
            name=task.id.stage,
            gang=line,
            asks=asked,
            labels=demand.labels,
            locks=tuple(dict.fromkeys(demand.locks)),
            remaining=task.remaining,
            order=task.order,
            is_light=not demand.slots,
            since=now,
            task=task,
        )
        line.size += 1
        line.untold.append(queued_task)
        put_to(line.job_queue.asked, queued_task.asks)
        self._session.ask_anew(line.job_queue)
        self._session.changed[line] = None
        self._session.wait(queued_task)
        self._queued_tasks[task.id] = queued_task
        return queued_task

    def _leave(self, queued_task: QueuedTask) -> None:
        queued_task.standing = Standing.GONE
        queued_task.gang.size -= 1
        take_from(queued_task.gang.job_queue.asked, queued_task.asks)
        self._session.ask_anew(queued_task.gang.job_queue)

    def _flush(self, now: float) -> None:
        is_safety = now - self._last_safety >= _SAFETY
        if is_safety:
            self._last_safety = now
        self._session.flush(is_safety=is_safety)

    def _refusals(self) -> Iterator[Refusal]:
        """Yield who waits for what, as far as that was not told yet."""
        changed, self._session.changed = self._session.changed, {}
        for line in changed:
            untold, line.untold = line.untold, []
            cause = self._cause(line)
            first = line.first() or line.first(light=True)
            if first is not None and line.told not in (None, cause) and first not in untold:
                untold.append(first)
            line.told = cause
            for queued_task in untold:
                if queued_task.standing in (Standing.WAITING, Standing.PROMISED) and queued_task.task is not None:
                    yield Refusal(queued_task.task, *cause)

    def _cause(self, line: Gang) -> tuple[Cause, str]:
        """Return what the members of *line* wait for; a slot, where nobody has looked at them."""
        for queue in (self._session.queues[line.job_queue.name], self._session.light):
            if line in queue:
                part = queue.entry(line).part
                if part is QueueState.BACKOFF:
                    return (Cause.BACKOFF, "")
                if part is QueueState.PARKED:
                    return line.cause
        return (Cause.SLOT, "")
