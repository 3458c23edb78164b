"""Lanes share the machines by weight; what one does not ask for, the others get."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from pipegen.run.scheduling.amounts import Amounts, is_bounded, put_to, share, take_from
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.turns import asked_kind
from pipegen.run.scheduling.votes import Vote, Votes
from pipegen.structs import MutableStruct, field


def proportion(session: Session) -> Votes:
    """Return votes for the lane that has the least of what it deserves, and against more than that."""
    shares = _Shares(session)
    return Votes(
        job_queue_key=lambda job_queue: (-job_queue.priority, _share(job_queue, shares.deserved(job_queue))),
        is_overused=lambda job_queue: _is_all_taken(job_queue.taken, shares.deserved(job_queue)),
        may_take=lambda job_queue, queued_task: (
            job_queue.is_open and _may_take(job_queue, queued_task, shares.deserved(job_queue))
        ),
        may_enter=lambda gang: _may_enter(gang, shares.capability(gang.job_queue)),
        entered=_entered,
    )


class _Shares(MutableStruct):
    """What each lane deserves, worked out anew when anybody asks for more or less."""

    session: Session
    _version: int = -1
    _kinds: dict[JobQueue, object] = field(default_factory=dict)
    _alike: dict[object, dict[JobQueue, None]] = field(default_factory=dict)
    _deserved: Mapping[object, Amounts] = field(default_factory=dict)

    def deserved(self, job_queue: JobQueue) -> Amounts:
        """Return what *job_queue* deserves."""
        if self._version != self.session.version:
            self._version = self.session.version
            for one in self.session.asking if self._kinds else self.session.job_queues.values():
                self._sort(one)
            self.session.asking.clear()
            self._deserved = _poured(self._alike, self.session.places.totals)
        return self._deserved.get(self._kinds.get(job_queue), {})

    def _sort(self, job_queue: JobQueue) -> None:
        """Put *job_queue* to those that deserve the same."""
        before = self._kinds.get(job_queue)
        if before in self._alike:
            self._alike[before].pop(job_queue, None)
            if not self._alike[before]:
                del self._alike[before]
        kind = self._kinds[job_queue] = asked_kind(job_queue)
        self._alike.setdefault(kind, {})[job_queue] = None

    def capability(self, job_queue: JobQueue) -> Amounts:
        """Return the most that *job_queue* may have: what is guaranteed to others, it may not."""
        return _most(
            job_queue, _guaranteed((one, 1) for one in self.session.job_queues.values()), self.session.places.totals
        )


def deserved(job_queues: Iterable[JobQueue], totals: Amounts) -> Mapping[str, Amounts]:
    """Return what each lane deserves of *totals*: water is poured by weight until all is given or all have enough.

    Lanes that ask for nothing, and are guaranteed nothing, are left out.
    """
    alike: dict[object, dict[JobQueue, None]] = {}
    for job_queue in job_queues:
        alike.setdefault(asked_kind(job_queue), {})[job_queue] = None
    found = _poured(alike, totals)
    return {job_queue.name: found[kind] for kind, group in alike.items() for job_queue in group if kind in found}


def _poured(alike: Mapping[object, Mapping[JobQueue, None]], totals: Amounts) -> Mapping[object, Amounts]:
    """Return what each lane of each kind deserves of *totals*: those that are *alike* deserve the same."""
    groups = {kind: (next(iter(group)), len(group)) for kind, group in alike.items()}
    groups = {kind: (one, count) for kind, (one, count) in groups.items() if one.guarantee or any(one.asked.values())}
    bounded = {name: amount for name, amount in totals.items() if is_bounded(amount)}
    guaranteed = _guaranteed(groups.values())
    most = {kind: _most(job_queue, guaranteed, bounded) for kind, (job_queue, _) in groups.items()}
    found: dict[object, dict[str, float]] = {kind: {} for kind in groups}
    thirsty, left = dict(groups), dict(bounded)
    while thirsty and any(left.values()):
        weight = sum(job_queue.weight * count for job_queue, count in thirsty.values())
        poured = {
            kind: _filled(found[kind], left, job_queue.weight / weight, most[kind], job_queue)
            for kind, (job_queue, _) in thirsty.items()
        }
        given: dict[str, float] = {}
        for kind, (job_queue, count) in tuple(thirsty.items()):
            more = _difference(poured[kind], found[kind])
            put_to(given, {name: amount * count for name, amount in more.items()})
            if not any(more.values()) or _is_all_taken(poured[kind], job_queue.asked):
                del thirsty[kind]
        found.update(poured)
        if not any(given.values()):
            break
        take_from(left, given)
    return found


def _guaranteed(job_queues: Iterable[tuple[JobQueue, int]]) -> Amounts:
    """Return what is guaranteed to all lanes together, of each of which there are so many."""
    found: dict[str, float] = {}
    for job_queue, count in job_queues:
        put_to(found, {name: amount * count for name, amount in job_queue.guarantee.items()})
    return found


def _most(job_queue: JobQueue, guaranteed: Amounts, totals: Amounts) -> Amounts:
    """Return the most that *job_queue* may have of *totals*: within its capability, less what others are promised."""
    kept = {name: amount - job_queue.guarantee.get(name, 0) for name, amount in guaranteed.items()}
    limits = job_queue.capability or {}
    return {name: min(amount - kept.get(name, 0), limits.get(name, inf)) for name, amount in totals.items()}


def _share(job_queue: JobQueue, whole: Amounts) -> float:
    """Return how much *job_queue* has of *whole*; what has no bound is shared with nobody.

    It is rounded, so that who has as much as others is not put behind them by the last digit of a sum.
    """
    return round(share({name: job_queue.taken.get(name, 0) for name in whole}, whole), 9)


def _filled(have: Amounts, left: Amounts, part: float, most: Amounts, job_queue: JobQueue) -> dict[str, float]:
    """Return what *job_queue* has after its part of the rest: at most its limit, its request and its guarantee."""
    return {
        name: max(
            min(have.get(name, 0) + amount * part, most[name], job_queue.asked.get(name, 0)),
            job_queue.guarantee.get(name, 0),
        )
        for name, amount in left.items()
    }


def _difference(now: Amounts, before: Amounts) -> dict[str, float]:
    return {name: amount - before.get(name, 0) for name, amount in now.items()}


def _is_all_taken(taken: Amounts, whole: Amounts) -> bool:
    """Return whether *taken* is no less than *whole* in anything."""
    return all(taken.get(name, 0) >= amount for name, amount in whole.items())


def _may_take(job_queue: JobQueue, queued_task: QueuedTask, whole: Amounts) -> bool:
    """Return whether *job_queue* stays within *whole* in what *queued_task* asks for."""
    return all(
        job_queue.taken.get(name, 0) + asked <= whole.get(name, inf)
        for name, asked in queued_task.asks.items()
        if asked
    )


def _may_enter(gang: Gang, most: Amounts) -> Vote:
    """Reject *gang* where its lane, with all that is admitted there, would have too much of what it asks for."""
    job_queue, minimum = gang.job_queue, gang.minimum or {}
    if not job_queue.is_open:
        return Vote.REJECT
    is_much = any(
        asked + job_queue.admitted.get(name, 0) > most.get(name, inf) for name, asked in minimum.items() if asked
    )
    return Vote.REJECT if is_much else Vote.PERMIT


def _entered(gang: Gang) -> None:
    put_to(gang.job_queue.admitted, gang.minimum or {})
