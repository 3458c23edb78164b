"""Job queues share the machines by weight; the others get the share that one does not request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf

from pipegen.run.scheduling.amounts import Amounts, add_to, is_bounded, share, subtract
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.policies.guarantees import Guarantees
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.turns import request_kind
from pipegen.run.scheduling.votes import Vote, Votes
from pipegen.structs import MutableStruct, Struct, field, replace


def proportion(session: Session) -> Votes:
    """Return votes for the job queue with the smallest fraction of its deserved share, and against exceeding it."""
    shares = _Shares(session)

    def may_take(job_queue: JobQueue, queued_task: QueuedTask) -> bool:
        # Machines without a limit of a resource have no share of it, but its capability is a limit all the same.
        limits, deserved = shares.limits(job_queue), shares.deserved(job_queue)
        return _may_take(job_queue, queued_task, deserved) and _may_take(job_queue, queued_task, limits)

    return replace(
        _fair_share(shares),
        is_overused=lambda job_queue: _is_all_taken(job_queue.taken, shares.deserved(job_queue)),
        may_take=may_take,
    )


def fair_share(session: Session) -> Votes:
    """Return votes for the job queue with the smallest fraction of its deserved share.

    A job queue may exceed its deserved share, but not its capability, nor take the guaranteed share of others.
    """
    return _fair_share(_Shares(session))


def _fair_share(shares: _Shares) -> Votes:
    return Votes(
        job_queue_key=lambda job_queue: (-job_queue.priority, _share(job_queue, shares.deserved(job_queue))),
        may_take=lambda job_queue, queued_task: _may_take(job_queue, queued_task, shares.limits(job_queue)),
        leaves_guarantees=Guarantees(shares.session).are_left,
        may_enter=lambda gang: _may_enter(gang, shares.capability(gang.job_queue)),
        is_preemptive=lambda job_queue, queued_task: _may_take(job_queue, queued_task, shares.deserved(job_queue)),
        reclaimable=lambda _, candidates: _above(candidates, shares.deserved),
    )


class _Shares(MutableStruct):
    """The deserved share of each job queue, recomputed when requests change so that it can differ."""

    session: Session
    _version: int = -1
    _totals: Mapping[str, float] = field(default_factory=dict)
    _kinds: dict[JobQueue, object] = field(default_factory=dict)
    _alike: dict[object, dict[JobQueue, None]] = field(default_factory=dict)
    _deserved: Mapping[object, Amounts] = field(default_factory=dict)
    # The requests of each job queue when the shares were computed.
    _requested: dict[JobQueue, Amounts] = field(default_factory=dict)
    # The maximum of each job queue, and the parts of it that are below these resources of the machines.
    _maxima: dict[JobQueue, Amounts] = field(default_factory=dict)
    _limits: dict[JobQueue, Amounts] = field(default_factory=dict)
    _limited: Amounts = field(default_factory=dict)

    def deserved(self, job_queue: JobQueue) -> Amounts:
        """Return the deserved share of *job_queue*."""
        if self._version != self.session.version:
            self._version = self.session.version
            self._update()
        return self._deserved.get(self._kinds.get(job_queue), {})

    def _update(self) -> None:
        session = self.session
        is_new = self._totals is not session.possible or len(self._kinds) < len(session.job_queues)
        changed = session.job_queues.values() if is_new else session.asking
        if is_new or not all(self._is_unsatisfied(job_queue) for job_queue in changed):
            self._totals = session.possible
            for job_queue in (
                *changed,
                *[other for other in self._requested if self._requested[other] != other.requested],
            ):
                self._sort(job_queue)
            self._deserved = distribute(self._alike, self._totals)
        session.asking.clear()

    def _is_unsatisfied(self, job_queue: JobQueue) -> bool:
        """Return whether *job_queue* requests more than its share of each resource, as before: the share is the same.

        Without this, half of the time of a busy simulated fleet goes into equal shares.
        """
        before, now = self._requested.get(job_queue, {}), job_queue.requested
        share = self._deserved.get(self._kinds.get(job_queue), {})
        return bool(share) and all(
            before.get(name, 0) == now.get(name, 0) or min(before.get(name, 0), now.get(name, 0)) > amount
            for name, amount in share.items()
        )

    def _sort(self, job_queue: JobQueue) -> None:
        """File *job_queue* with those that have the same deserved share."""
        old_kind = self._kinds.get(job_queue)
        if old_kind in self._alike:
            self._alike[old_kind].pop(job_queue, None)
            if not self._alike[old_kind]:
                del self._alike[old_kind]
        kind = self._kinds[job_queue] = request_kind(job_queue)
        self._alike.setdefault(kind, {})[job_queue] = None
        self._requested[job_queue] = dict(job_queue.requested)

    def capability(self, job_queue: JobQueue) -> Amounts:
        """Return the maximum of *job_queue*, without the guarantees of others."""
        job_queues, totals = self.session.job_queues, self.session.possible
        if self._limited is not totals:
            self._maxima.clear()
            self._limits.clear()
            self._limited = totals
        if job_queue not in self._maxima:
            guaranteed = _guaranteed((other, 1) for other in job_queues.values())
            maximum = self._maxima[job_queue] = _maximum(job_queue, guaranteed, totals)
            self._limits[job_queue] = {name: amount for name, amount in maximum.items() if amount < totals[name]}
        return self._maxima[job_queue]

    def limits(self, job_queue: JobQueue) -> Amounts:
        """Return the resources of which *job_queue* may not take all.

        The machines themselves are no limit: promised room counts as taken while another task still has it.
        """
        self.capability(job_queue)
        return self._limits[job_queue]


def distribute(alike: Mapping[object, Mapping[JobQueue, None]], totals: Amounts) -> Mapping[object, Amounts]:
    """Return the deserved share of *totals* by kind: job queues that are *alike* deserve the same.

    Shares of a resource are in the proportion of the weights, but each is at most what the job queue requests and may
    have, and at least its guarantee.
    """
    groups = {kind: (next(iter(group)), len(group)) for kind, group in alike.items()}
    groups = {
        kind: (job_queue, count)
        for kind, (job_queue, count) in groups.items()
        if job_queue.guarantee or any(job_queue.requested.values())
    }
    bounded = {name: amount for name, amount in totals.items() if is_bounded(amount)}
    guaranteed = _guaranteed(groups.values())
    maxima = {kind: _maximum(job_queue, guaranteed, bounded) for kind, (job_queue, _) in groups.items()}
    deserved_by_kind: dict[object, dict[str, float]] = {kind: {} for kind in groups}
    for name, total in bounded.items():
        parts = {
            kind: _Part(
                weight=job_queue.weight,
                count=count,
                least=(least := job_queue.guarantee.get(name, 0)),
                most=max(least, min(maxima[kind][name], job_queue.requested.get(name, 0))),
            )
            for kind, (job_queue, count) in groups.items()
        }
        level = _level(parts.values(), total)
        for kind, part in parts.items():
            # Without rounding errors, which would leave the last slot of a share idle.
            deserved_by_kind[kind][name] = round(min(max(part.least, level * part.weight), part.most), 2)
    return deserved_by_kind


class _Part(Struct):
    """The part of a resource for each of *count* alike job queues, by their *weight* between *least* and *most*."""

    weight: int
    count: int
    least: float
    most: float


def _level(parts: Collection[_Part], total: float) -> float:
    """Return the amount for each unit of weight with which *parts* have *total* together."""
    level, growth, used = 0.0, 0.0, sum(part.least * part.count for part in parts)
    # Each part grows with its weight from one level to another one.
    changes = [
        (amount / part.weight, sign * part.weight * part.count)
        for part in parts
        for amount, sign in ((part.least, 1), (part.most, -1))
        if part.most > part.least
    ]
    for at, change in sorted(changes):
        if used + growth * (at - level) >= total:
            break
        level, growth, used = at, growth + change, used + growth * (at - level)
    return level + max(0.0, total - used) / growth if growth > 0 else level


def _guaranteed(job_queues: Iterable[tuple[JobQueue, int]]) -> Amounts:
    """Return the sum of the guarantees of *job_queues*, each multiplied by its count."""
    total: dict[str, float] = {}
    for job_queue, count in job_queues:
        add_to(total, {name: amount * count for name, amount in job_queue.guarantee.items()})
    return total


def _maximum(job_queue: JobQueue, guaranteed: Amounts, totals: Amounts) -> Amounts:
    """Return the maximum of *job_queue* in *totals*: its capability, without the guarantees of others."""
    reserved = {name: amount - job_queue.guarantee.get(name, 0) for name, amount in guaranteed.items()}
    limits = job_queue.capability or {}
    return {name: min(amount - reserved.get(name, 0), limits.get(name, inf)) for name, amount in totals.items()}


def _share(job_queue: JobQueue, whole: Amounts) -> float:
    """Return the dominant share of *job_queue* in *whole*, without unlimited resources.

    It is rounded, so that rounding errors do not decide between equal job queues.
    """
    return round(share({name: job_queue.taken.get(name, 0) for name in whole}, whole), 9)


def _is_all_taken(taken: Amounts, whole: Amounts) -> bool:
    """Return whether *taken* is at least *whole* for each resource."""
    return all(taken.get(name, 0) >= amount for name, amount in whole.items())


def _may_take(job_queue: JobQueue, queued_task: QueuedTask, whole: Amounts) -> bool:
    """Return whether *job_queue* stays within *whole* with the requests of *queued_task*."""
    taken = job_queue.taken
    for name, requested in queued_task.requests.items():  # called for each start: faster than all()
        if requested and taken.get(name, 0) + requested > whole.get(name, inf):
            return False
    return True


def _above(candidates: Sequence[QueuedTask], deserved: Callable[[JobQueue], Amounts]) -> Sequence[QueuedTask]:
    """Return the candidates without which their job queues still have their deserved shares."""
    amounts_left: dict[JobQueue, dict[str, float]] = {}
    victims = []
    for candidate in candidates:
        job_queue = candidate.gang.job_queue
        taken = amounts_left.setdefault(job_queue, dict(job_queue.taken))
        if any(taken.get(name, 0) > amount for name, amount in deserved(job_queue).items()):
            subtract(taken, candidate.requests)
            victims.append(candidate)
    return victims


def _may_enter(gang: Gang, maximum: Amounts) -> Vote:
    """Reject *gang* if its minimum plus the admitted minimums of its job queue exceeds *maximum*."""
    job_queue, minimum = gang.job_queue, gang.minimum or {}
    is_exceeded = any(
        requested + job_queue.admitted.get(name, 0) > maximum.get(name, 0)
        for name, requested in minimum.items()
        if requested
    )
    return Vote.REJECT if is_exceeded else Vote.PERMIT
