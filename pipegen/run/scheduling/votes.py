"""How plugins have a say: by votes, counted tier by tier as Volcano counts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum
from typing import TypeVar

from pipegen.run.scheduling.hosts import SchedulerNode
from pipegen.run.scheduling.job_queues import Gang, JobQueue, Key, QueuedTask
from pipegen.structs import Struct, replace

V = TypeVar("V")
S = TypeVar("S")

Sort = float | Key


class Vote(Enum):
    """What a plugin says to a question that others may answer too."""

    PERMIT = "permit"
    ABSTAIN = "abstain"
    REJECT = "reject"


class Votes(Struct, kw_only=True):
    """What one plugin says; None where it has no say.

    Attributes:
        lane_key: the least key is served first, and so for gangs, members, and machines.
        is_placeable: whether a machine will do for a member, its room aside.
        may_take: whether a lane may take what a member asks for.
        is_overused: whether a lane has had enough.
        may_enter: whether a gang is admitted.
        entered: hears of each gang that is.
        is_ready: whether enough of a gang is placed.
        is_promised: whether enough of a gang is placed or promised a place.
        is_valid: whether a gang can ever be placed.
    """

    job_queue_key: Callable[[JobQueue], Sort] | None = None
    gang_key: Callable[[Gang], Sort] | None = None
    queued_task_key: Callable[[QueuedTask], Sort] | None = None
    host_key: Callable[[QueuedTask, SchedulerNode], Sort] | None = None
    is_placeable: Callable[[QueuedTask, SchedulerNode], bool] | None = None
    may_take: Callable[[JobQueue, QueuedTask], bool] | None = None
    is_overused: Callable[[JobQueue], bool] | None = None
    may_enter: Callable[[Gang], Vote] | None = None
    entered: Callable[[Gang], None] | None = None
    is_ready: Callable[[Gang], bool] | None = None
    is_promised: Callable[[Gang], Vote] | None = None
    is_valid: Callable[[Gang], bool] | None = None


def only(policy: Callable[[S], Votes], points: Collection[str], session: S) -> Votes:
    """Return the votes of *policy* at some *points*, by the names that `Votes` gives them; it has no say elsewhere."""
    votes = policy(session)
    return replace(votes, **{name: None for name in Votes.__struct_fields__ if name not in points})


class Ballot:
    """The votes of all plugins.

    A key is made of the keys of all plugins, tier by tier: the first that differs decides.
    """

    def __init__(self, tiers: Sequence[Sequence[Votes]]) -> None:
        votes = [one for tier in tiers for one in tier]
        self._job_queue_keys = _given(one.job_queue_key for one in votes)
        self._gang_keys = _given(one.gang_key for one in votes)
        self._queued_task_keys = _given(one.queued_task_key for one in votes)
        self._host_keys = _given(one.host_key for one in votes)
        self._placeable = _given(one.is_placeable for one in votes)
        self._may_take = _given(one.may_take for one in votes)
        self._overused = _given(one.is_overused for one in votes)
        self._entered = _given(one.entered for one in votes)
        self._ready = _given(one.is_ready for one in votes)
        self._valid = _given(one.is_valid for one in votes)
        self._may_enter = [_given(one.may_enter for one in tier) for tier in tiers]
        self._promised = [_given(one.is_promised for one in tier) for tier in tiers]

    def job_queue_key(self, job_queue: JobQueue) -> Key:
        """Return where *job_queue* stands; of those that stand alike, the one served longest ago comes first."""
        return (*[key(job_queue) for key in self._job_queue_keys], job_queue.served, job_queue.order)

    def gang_key(self, gang: Gang) -> Key:
        """Return where *gang* stands; of those that stand alike, its first member's place decides."""
        first = gang.first() or gang.first(light=True)
        return (*[key(gang) for key in self._gang_keys], first.order if first else 0)

    def queued_task_key(self, queued_task: QueuedTask) -> Key:
        """Return where *queued_task* stands in its gang."""
        return tuple([key(queued_task) for key in self._queued_task_keys])

    def host_key(self, queued_task: QueuedTask, host: SchedulerNode) -> Key:
        """Return how well *host* does for *queued_task*, the least the best."""
        return (*[key(queued_task, host) for key in self._host_keys], host.order)

    def is_placeable(self, queued_task: QueuedTask, host: SchedulerNode) -> bool:
        """Return whether all agree that *host* will do."""
        for agrees in self._placeable:  # noqa: SIM110 # asked for each task and machine: twice as fast as all()
            if not agrees(queued_task, host):
                return False
        return True

    def may_take(self, job_queue: JobQueue, queued_task: QueuedTask) -> bool:
        """Return whether all agree that *job_queue* may take what *queued_task* asks for."""
        return all(agrees(job_queue, queued_task) for agrees in self._may_take)

    def is_overused(self, job_queue: JobQueue) -> bool:
        """Return whether anybody says that *job_queue* has had enough."""
        return any(says(job_queue) for says in self._overused)

    def may_enter(self, gang: Gang) -> bool:
        """Return whether *gang* is admitted: nobody rejects it up to the first tier where somebody permits it."""
        return _is_permitted(self._may_enter, gang)

    def entered(self, gang: Gang) -> None:
        """Tell all that *gang* was admitted."""
        for hear in self._entered:
            hear(gang)

    def is_ready(self, gang: Gang) -> bool:
        """Return whether all agree that enough of *gang* is placed."""
        return all(agrees(gang) for agrees in self._ready)

    def is_promised(self, gang: Gang) -> bool:
        """Return whether enough of *gang* is placed or promised, counted as for admission."""
        return _is_permitted(self._promised, gang)

    def is_valid(self, gang: Gang) -> bool:
        """Return whether all agree that *gang* can be placed at all."""
        return all(agrees(gang) for agrees in self._valid)


def _is_permitted(tiers: Sequence[Sequence[Callable[[Gang], Vote]]], gang: Gang) -> bool:
    for tier in tiers:
        votes = [vote(gang) for vote in tier]
        if Vote.REJECT in votes:
            return False
        if Vote.PERMIT in votes:
            return True
    return True


def _given(votes: Iterable[V | None]) -> tuple[V, ...]:
    return tuple(one for one in votes if one is not None)
