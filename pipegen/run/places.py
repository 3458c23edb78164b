"""The machines and the locks: what there is to take."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from pipegen.run.amounts import SLOTS, put_to
from pipegen.run.hosts import Host
from pipegen.run.lanes import Member


class Places:
    """All machines with what they have left, and who holds which lock.

    Attributes:
        hosts: the machines by name.
        free: those that have a slot to give, by name.
        totals: what all machines have together.
        locks: who holds each lock that is held.
    """

    __slots__ = ("free", "hosts", "locks", "totals")

    def __init__(self, hosts: Iterable[Host]) -> None:
        self.hosts = {host.name: host for host in hosts}
        self.free: dict[str, Host] = {}
        self.totals: dict[str, float] = {}
        self.locks: dict[str, Member] = {}
        for host in self.hosts.values():
            put_to(self.totals, host.limits)
            self._sort(host)

    def held(self, locks: tuple[str, ...]) -> str:
        """Return the first of *locks* that somebody holds, "" if all are to be had."""
        for lock in locks:
            if lock in self.locks:
                return lock
        return ""

    def take(self, member: Member, host: Host) -> None:
        """Take what *member* asks for, its locks too."""
        host.take(member.asks)
        for lock in member.locks:
            self.locks[lock] = member
        self._sort(host)

    def give(self, member: Member, host: Host) -> None:
        """Give back what *member* had taken."""
        host.give(member.asks)
        for lock in member.locks:
            del self.locks[lock]
        self._sort(host)

    def promise(self, member: Member, host: Host) -> None:
        """Keep room for *member*."""
        host.promise(member.asks)
        self._sort(host)

    def unpromise(self, member: Member, host: Host) -> None:
        """Keep no room for *member* any more."""
        host.unpromise(member.asks)
        self._sort(host)

    def _sort(self, host: Host) -> None:
        """Note whether *host* has a slot to give; what counts no slots always has."""
        if host.idle.get(SLOTS, inf) - host.promised.get(SLOTS, 0) > 0:
            self.free[host.name] = host
        else:
            self.free.pop(host.name, None)
