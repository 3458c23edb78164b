"""The votes of policies, counted tier by tier as in Volcano."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum
from typing import TypeVar

from pipegen.run.scheduling.job_queues import Gang, JobQueue, Key, QueuedTask, TaskState
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.structs import Struct

V = TypeVar("V")
S = TypeVar("S")

Sort = float | Key


class Vote(Enum):
    """The answer of a policy to a question."""

    PERMIT = "permit"
    ABSTAIN = "abstain"
    REJECT = "reject"


# Returns which of the tasks may be stopped for the first one; None is no opinion.
Victims = Callable[[QueuedTask, Sequence[QueuedTask]], Sequence[QueuedTask] | None]


class Votes(Struct, kw_only=True):
    """The votes of a policy; None is no vote.

    Attributes:
        job_queue_key: the rank of a job queue, lowest first; so are those of gangs, tasks and machines.
        victim_queue_key: the rank of a job queue whose tasks stop for a task of another job queue, lowest last.
        is_placeable: whether a machine suits a task, apart from its room.
        may_take: whether a job queue may take the resources of a task.
        leaves_guarantees: whether enough stays free for the guarantees of other job queues when a task starts.
        is_overused: whether a job queue has its share.
        may_enter: whether a gang is admitted.
        is_ready: whether enough tasks of a gang are placed.
        is_promised: whether enough tasks of a gang are placed or promised.
        is_valid: whether a gang can ever be placed.
        is_starving: whether tasks may be stopped for a gang.
        is_preemptive: whether tasks of other job queues may be stopped for a task of a job queue.
        preemptable: the tasks of the same job queue that may be stopped for a task.
        reclaimable: the tasks of other job queues that may be stopped for a task.
        changes_ranks: whether `gang_key` changes while a gang waits, as its other tasks start and end.
        backs_off: whether gangs that found no room come after others until their backoff ends.
    """

    job_queue_key: Callable[[JobQueue], Sort] | None = None
    gang_key: Callable[[Gang], Sort] | None = None
    queued_task_key: Callable[[QueuedTask], Sort] | None = None
    node_key: Callable[[QueuedTask, SchedulerNode], Sort] | None = None
    victim_queue_key: Callable[[JobQueue, JobQueue], Sort] | None = None
    is_placeable: Callable[[QueuedTask, SchedulerNode], bool] | None = None
    may_take: Callable[[JobQueue, QueuedTask], bool] | None = None
    leaves_guarantees: Callable[[QueuedTask], bool] | None = None
    is_overused: Callable[[JobQueue], bool] | None = None
    may_enter: Callable[[Gang], Vote] | None = None
    is_ready: Callable[[Gang], bool] | None = None
    is_promised: Callable[[Gang], Vote] | None = None
    is_valid: Callable[[Gang], bool] | None = None
    is_starving: Callable[[Gang], bool] | None = None
    is_preemptive: Callable[[JobQueue, QueuedTask], bool] | None = None
    preemptable: Victims | None = None
    reclaimable: Victims | None = None
    changes_ranks: bool = False
    backs_off: bool = False


def only(policy: Callable[[S], Votes], points: Collection[str], session: S) -> Votes:
    """Return only those votes of *policy* whose names are in *points*."""
    votes = policy(session)
    chosen = {name: getattr(votes, name) for name in Votes.__struct_fields__ if name in points}
    return Votes(**{**chosen, "changes_ranks": votes.changes_ranks and "gang_key" in points})


class Ballot:
    """The votes of all policies.

    A key is a tuple of the keys of all policies, tier by tier: the first difference decides.
    """

    def __init__(self, tiers: Sequence[Sequence[Votes]]) -> None:
        votes = [vote for tier in tiers for vote in tier]
        self.changes_ranks = any(vote.changes_ranks for vote in votes)
        self.backs_off = any(vote.backs_off for vote in votes)
        self._job_queue_keys = _defined(vote.job_queue_key for vote in votes)
        self._gang_keys = _defined(vote.gang_key for vote in votes)
        self._queued_task_keys = _defined(vote.queued_task_key for vote in votes)
        self._node_keys = _defined(vote.node_key for vote in votes)
        self._victim_queue_keys = _defined(vote.victim_queue_key for vote in votes)
        self._placeable = _defined(vote.is_placeable for vote in votes)
        self._may_take = _defined(vote.may_take for vote in votes)
        self._leave_guarantees = _defined(vote.leaves_guarantees for vote in votes)
        self._overused = _defined(vote.is_overused for vote in votes)
        self._ready = _defined(vote.is_ready for vote in votes)
        self._valid = _defined(vote.is_valid for vote in votes)
        self._preemptive = _defined(vote.is_preemptive for vote in votes)
        self._starving = [_defined(vote.is_starving for vote in tier) for tier in tiers]
        self._preemptable = [_defined(vote.preemptable for vote in tier) for tier in tiers]
        self._reclaimable = [_defined(vote.reclaimable for vote in tier) for tier in tiers]
        self._may_enter = [_defined(vote.may_enter for vote in tier) for tier in tiers]
        self._promised = [_defined(vote.is_promised for vote in tier) for tier in tiers]

    def job_queue_key(self, job_queue: JobQueue) -> Key:
        """Return the rank of *job_queue*; of equal ones, the one served longest ago comes first."""
        return (*[key(job_queue) for key in self._job_queue_keys], job_queue.served, job_queue.order)

    def gang_key(self, gang: Gang) -> Key:
        """Return the rank of *gang*; of equal ones, the index of the first task decides."""
        first = gang.first() or gang.first(light=True)
        return (*[key(gang) for key in self._gang_keys], first.order if first else 0)

    def queued_task_key(self, queued_task: QueuedTask) -> Key:
        """Return the rank of *queued_task* in its gang."""
        return tuple([key(queued_task) for key in self._queued_task_keys])

    def node_key(self, queued_task: QueuedTask, node: SchedulerNode) -> Key:
        """Return the rank of *node* for *queued_task*, lowest first."""
        return (*[key(queued_task, node) for key in self._node_keys], node.order)

    def victim_queue_key(self, job_queue: JobQueue, reclaimer: JobQueue) -> Key:
        """Return the rank of *job_queue*, whose tasks stop for a task of *reclaimer*, lowest last."""
        return (*[key(job_queue, reclaimer) for key in self._victim_queue_keys], *self.job_queue_key(job_queue))

    def is_placeable(self, queued_task: QueuedTask, node: SchedulerNode) -> bool:
        """Return whether all policies agree that *node* is suitable."""
        for agrees in self._placeable:  # noqa: SIM110 # called for each task and machine: twice as fast as all()
            if not agrees(queued_task, node):
                return False
        return True

    def may_take(self, job_queue: JobQueue, queued_task: QueuedTask) -> bool:
        """Return whether all policies agree that *job_queue* may take the resources of *queued_task*."""
        for agrees in self._may_take:  # noqa: SIM110 # called for each start: faster than all()
            if not agrees(job_queue, queued_task):
                return False
        return True

    def leaves_guarantees(self, queued_task: QueuedTask) -> bool:
        """Return whether all policies agree that *queued_task* leaves what is guaranteed to other job queues."""
        for agrees in self._leave_guarantees:  # noqa: SIM110 # called for each start: faster than all()
            if not agrees(queued_task):
                return False
        return True

    def may_start(self, queued_task: QueuedTask) -> bool:
        """Return whether *queued_task* may start where there is room; promised room already counts as taken."""
        is_counted = queued_task.state is TaskState.PROMISED
        return (is_counted or self.may_take(queued_task.gang.job_queue, queued_task)) and self.leaves_guarantees(
            queued_task
        )

    def is_overused(self, job_queue: JobQueue) -> bool:
        """Return whether any policy votes that *job_queue* has its share."""
        return any(says(job_queue) for says in self._overused)

    def may_enter(self, gang: Gang) -> bool:
        """Return whether *gang* is admitted: no policy rejects it up to the first tier with a permission."""
        return _is_permitted(self._may_enter, gang)

    def is_ready(self, gang: Gang) -> bool:
        """Return whether all policies agree that enough of *gang* is placed."""
        return all(agrees(gang) for agrees in self._ready)

    def is_promised(self, gang: Gang) -> bool:
        """Return whether enough of *gang* is placed or promised, counted as for admission."""
        return _is_permitted(self._promised, gang)

    def is_valid(self, gang: Gang) -> bool:
        """Return whether all policies agree that *gang* can be placed at all."""
        return all(agrees(gang) for agrees in self._valid)

    def is_starving(self, gang: Gang) -> bool:
        """Return whether all policies of the first tier that votes agree that tasks may be stopped for *gang*."""
        tier = next((tier for tier in self._starving if tier), ())
        return bool(tier) and all(says(gang) for says in tier)

    def is_preemptive(self, job_queue: JobQueue, queued_task: QueuedTask) -> bool:
        """Return whether all policies agree that other job queues may lose tasks for *queued_task*."""
        return all(agrees(job_queue, queued_task) for agrees in self._preemptive)

    def preemptable(self, queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
        """Return those of *candidates*, in the same job queue, that may be stopped for *queued_task*."""
        return victims(self._preemptable, queued_task, candidates) or ()

    def reclaimable(self, queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
        """Return those of *candidates*, in other job queues, that may be stopped for *queued_task*."""
        return victims(self._reclaimable, queued_task, candidates) or ()


def victims(
    tiers: Sequence[Sequence[Victims]], queued_task: QueuedTask, candidates: Sequence[QueuedTask]
) -> Sequence[QueuedTask] | None:
    """Return the candidates on which all policies of the first tier that names any agree; None if none votes."""
    answers: Sequence[QueuedTask] | None = None
    for tier in tiers:
        answers = None
        for vote in tier:
            named = vote(queued_task, candidates)
            if named is not None:
                answers = named if answers is None else [candidate for candidate in answers if candidate in named]
        if answers:
            return answers
    return answers


def _is_permitted(tiers: Sequence[Sequence[Callable[[Gang], Vote]]], gang: Gang) -> bool:
    for tier in tiers:
        votes = [vote(gang) for vote in tier]
        if Vote.REJECT in votes:
            return False
        if Vote.PERMIT in votes:
            return True
    return True


def _defined(votes: Iterable[V | None]) -> tuple[V, ...]:
    return tuple(vote for vote in votes if vote is not None)
