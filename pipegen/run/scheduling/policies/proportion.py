"""Lanes share the machines by weight; what one does not ask for, the others get."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from pipegen.run.scheduling.amounts import Amounts, is_bounded, put_to, share, take_from
from pipegen.run.scheduling.lanes import Gang, Lane, Member
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


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


@dataclass(slots=True)
class _Shares:
    """What each lane deserves, worked out anew when anybody asks for more or less."""

    session: Session
    _version: int = -1
    _deserved: Mapping[str, Amounts] = field(default_factory=dict)

    def deserved(self, lane: Lane) -> Amounts:
        """Return what *lane* deserves."""
        if self._version != self.session.version:
            self._version = self.session.version
            self._deserved = deserved(self.session.lanes.values(), self.session.places.totals)
        return self._deserved.get(lane.name, {})

    def capability(self, lane: Lane) -> Amounts:
        """Return the most that *lane* may have: what is guaranteed to others, it may not."""
        return _most(lane, _guaranteed((one, 1) for one in self.session.lanes.values()), self.session.places.totals)


def deserved(lanes: Iterable[Lane], totals: Amounts) -> Mapping[str, Amounts]:
    """Return what each lane deserves of *totals*: water is poured by weight until all is given or all have enough.

    Lanes that ask for nothing, and are guaranteed nothing, are left out. Those that are alike deserve the same: of many
    pipelines, most are.
    """
    alike: dict[object, list[Lane]] = {}
    for lane in lanes:
        if lane.guarantee or any(lane.asked.values()):
            alike.setdefault(_kind(lane), []).append(lane)
    bounded = {name: amount for name, amount in totals.items() if is_bounded(amount)}
    found = _poured([(group[0], len(group)) for group in alike.values()], bounded)
    return {lane.name: found[group[0].name] for group in alike.values() for lane in group}


def _kind(lane: Lane) -> object:
    """Return all that decides what *lane* deserves."""
    if lane.guarantee or lane.capability:
        limits = (tuple(lane.guarantee.items()), tuple((lane.capability or {}).items()))
        return (lane.weight, tuple(lane.asked.items()), limits)
    return (lane.weight, tuple(lane.asked.items()))


def _poured(lanes: Sequence[tuple[Lane, int]], totals: Amounts) -> Mapping[str, Amounts]:
    """Return what each of *lanes* deserves of *totals*, of each of which there are so many."""
    guaranteed = _guaranteed(lanes)
    most = {lane.name: _most(lane, guaranteed, totals) for lane, _ in lanes}
    found: dict[str, dict[str, float]] = {lane.name: {} for lane, _ in lanes}
    thirsty, left = list(lanes), dict(totals)
    while thirsty and any(left.values()):
        weight = sum(lane.weight * count for lane, count in thirsty)
        poured = {
            lane.name: _filled(found[lane.name], left, lane.weight / weight, most[lane.name], lane)
            for lane, _ in thirsty
        }
        given: dict[str, float] = {}
        for lane, count in tuple(thirsty):
            more = _difference(poured[lane.name], found[lane.name])
            put_to(given, {name: amount * count for name, amount in more.items()})
            if not any(more.values()) or _is_all_taken(poured[lane.name], lane.asked):
                thirsty.remove((lane, count))
        found.update(poured)
        if not any(given.values()):
            break
        take_from(left, given)
    return found


def _guaranteed(lanes: Iterable[tuple[Lane, int]]) -> Amounts:
    """Return what is guaranteed to all lanes together, of each of which there are so many."""
    found: dict[str, float] = {}
    for lane, count in lanes:
        put_to(found, {name: amount * count for name, amount in lane.guarantee.items()})
    return found


def _most(lane: Lane, guaranteed: Amounts, totals: Amounts) -> Amounts:
    """Return the most that *lane* may have of *totals*: no more than its capability, nor what is kept for others."""
    kept = {name: amount - lane.guarantee.get(name, 0) for name, amount in guaranteed.items()}
    limits = lane.capability or {}
    return {name: min(amount - kept.get(name, 0), limits.get(name, inf)) for name, amount in totals.items()}


def _share(lane: Lane, whole: Amounts) -> float:
    """Return how much *lane* has of *whole*; what has no bound is shared with nobody."""
    return share({name: lane.taken.get(name, 0) for name in whole}, whole)


def _filled(have: Amounts, left: Amounts, part: float, most: Amounts, lane: Lane) -> dict[str, float]:
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


def _may_take(lane: Lane, member: Member, whole: Amounts) -> bool:
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
