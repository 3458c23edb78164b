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
        lane_key=lambda lane: (-lane.priority, _share(lane, shares.deserved(lane))),
        is_overused=lambda lane: _is_all_taken(lane.taken, shares.deserved(lane)),
        may_take=lambda lane, member: lane.is_open and _may_take(lane, member, shares.deserved(lane)),
        may_enter=lambda gang: _may_enter(gang, shares.capability(gang.lane)),
        entered=_entered,
    )


class _Shares(MutableStruct):
    """What each lane deserves, worked out anew when anybody asks for more or less."""

    session: Session
    _version: int = -1
    _kinds: dict[JobQueue, object] = field(default_factory=dict)
    _alike: dict[object, dict[JobQueue, None]] = field(default_factory=dict)
    _deserved: Mapping[object, Amounts] = field(default_factory=dict)

    def deserved(self, lane: JobQueue) -> Amounts:
        """Return what *lane* deserves."""
        if self._version != self.session.version:
            self._version = self.session.version
            for one in self.session.asking if self._kinds else self.session.lanes.values():
                self._sort(one)
            self.session.asking.clear()
            self._deserved = _poured(self._alike, self.session.places.totals)
        return self._deserved.get(self._kinds.get(lane), {})

    def _sort(self, lane: JobQueue) -> None:
        """Put *lane* to those that deserve the same."""
        before = self._kinds.get(lane)
        if before in self._alike:
            self._alike[before].pop(lane, None)
            if not self._alike[before]:
                del self._alike[before]
        kind = self._kinds[lane] = asked_kind(lane)
        self._alike.setdefault(kind, {})[lane] = None

    def capability(self, lane: JobQueue) -> Amounts:
        """Return the most that *lane* may have: what is guaranteed to others, it may not."""
        return _most(lane, _guaranteed((one, 1) for one in self.session.lanes.values()), self.session.places.totals)


def deserved(lanes: Iterable[JobQueue], totals: Amounts) -> Mapping[str, Amounts]:
    """Return what each lane deserves of *totals*: water is poured by weight until all is given or all have enough.

    Lanes that ask for nothing, and are guaranteed nothing, are left out.
    """
    alike: dict[object, dict[JobQueue, None]] = {}
    for lane in lanes:
        alike.setdefault(asked_kind(lane), {})[lane] = None
    found = _poured(alike, totals)
    return {lane.name: found[kind] for kind, group in alike.items() for lane in group if kind in found}


def _poured(alike: Mapping[object, Mapping[JobQueue, None]], totals: Amounts) -> Mapping[object, Amounts]:
    """Return what each lane of each kind deserves of *totals*: those that are *alike* deserve the same."""
    groups = {kind: (next(iter(group)), len(group)) for kind, group in alike.items()}
    groups = {kind: (one, count) for kind, (one, count) in groups.items() if one.guarantee or any(one.asked.values())}
    bounded = {name: amount for name, amount in totals.items() if is_bounded(amount)}
    guaranteed = _guaranteed(groups.values())
    most = {kind: _most(lane, guaranteed, bounded) for kind, (lane, _) in groups.items()}
    found: dict[object, dict[str, float]] = {kind: {} for kind in groups}
    thirsty, left = dict(groups), dict(bounded)
    while thirsty and any(left.values()):
        weight = sum(lane.weight * count for lane, count in thirsty.values())
        poured = {
            kind: _filled(found[kind], left, lane.weight / weight, most[kind], lane)
            for kind, (lane, _) in thirsty.items()
        }
        given: dict[str, float] = {}
        for kind, (lane, count) in tuple(thirsty.items()):
            more = _difference(poured[kind], found[kind])
            put_to(given, {name: amount * count for name, amount in more.items()})
            if not any(more.values()) or _is_all_taken(poured[kind], lane.asked):
                del thirsty[kind]
        found.update(poured)
        if not any(given.values()):
            break
        take_from(left, given)
    return found


def _guaranteed(lanes: Iterable[tuple[JobQueue, int]]) -> Amounts:
    """Return what is guaranteed to all lanes together, of each of which there are so many."""
    found: dict[str, float] = {}
    for lane, count in lanes:
        put_to(found, {name: amount * count for name, amount in lane.guarantee.items()})
    return found


def _most(lane: JobQueue, guaranteed: Amounts, totals: Amounts) -> Amounts:
    """Return the most that *lane* may have of *totals*: no more than its capability, nor what is kept for others."""
    kept = {name: amount - lane.guarantee.get(name, 0) for name, amount in guaranteed.items()}
    limits = lane.capability or {}
    return {name: min(amount - kept.get(name, 0), limits.get(name, inf)) for name, amount in totals.items()}


def _share(lane: JobQueue, whole: Amounts) -> float:
    """Return how much *lane* has of *whole*; what has no bound is shared with nobody.

    It is rounded, so that who has as much as others is not put behind them by the last digit of a sum.
    """
    return round(share({name: lane.taken.get(name, 0) for name in whole}, whole), 9)


def _filled(have: Amounts, left: Amounts, part: float, most: Amounts, lane: JobQueue) -> dict[str, float]:
    """Return what *lane* has after its part of what is left: no more than it may have, asks for or is guaranteed."""
    return {
        name: max(
            min(have.get(name, 0) + amount * part, most[name], lane.asked.get(name, 0)), lane.guarantee.get(name, 0)
        )
        for name, amount in left.items()
    }


def _difference(now: Amounts, before: Amounts) -> dict[str, float]:
    return {name: amount - before.get(name, 0) for name, amount in now.items()}


def _is_all_taken(taken: Amounts, whole: Amounts) -> bool:
    """Return whether *taken* is no less than *whole* in anything."""
    return all(taken.get(name, 0) >= amount for name, amount in whole.items())


def _may_take(lane: JobQueue, member: QueuedTask, whole: Amounts) -> bool:
    """Return whether *lane* stays within *whole* in what *member* asks for."""
    return all(lane.taken.get(name, 0) + asked <= whole.get(name, inf) for name, asked in member.asks.items() if asked)


def _may_enter(gang: Gang, most: Amounts) -> Vote:
    """Reject *gang* where its lane, with all that is admitted there, would have too much of what it asks for."""
    lane, minimum = gang.lane, gang.minimum or {}
    if not lane.is_open:
        return Vote.REJECT
    is_much = any(asked + lane.admitted.get(name, 0) > most.get(name, inf) for name, asked in minimum.items() if asked)
    return Vote.REJECT if is_much else Vote.PERMIT


def _entered(gang: Gang) -> None:
    put_to(gang.lane.admitted, gang.minimum or {})
