"""Whether somebody has room on a machine, and what it is that is lacking."""

from __future__ import annotations

from pipegen.run.amounts import CPU, MEMORY, fits
from pipegen.run.events import Cause
from pipegen.run.hosts import Host
from pipegen.run.lanes import Member
from pipegen.run.places import Places
from pipegen.run.votes import Ballot

# What is named as lacking where several things are, the last.
_CAUSES = {MEMORY: Cause.MEMORY, CPU: Cause.CPU}


def is_room(member: Member, host: Host, *, in_future: bool = False) -> bool:
    """Return whether *host* has what *member* asks for: now, or once all that runs there has ended."""
    return fits(member.asks, host.future_room if in_future else host.room)


def is_kept(member: Member, host: Host) -> bool:
    """Return whether *host*, which keeps room for *member*, has it by now."""
    return member.host == host.name and fits(member.asks, host.idle)


def why(member: Member, places: Places, ballot: Ballot) -> tuple[Cause, str]:
    """Return what *member*, for whom no place was found, waits for, and its name where it has one.

    A label, where a machine without it has room. Else what the machines that will do lack: slots, if all lack them.
    """
    lock = places.held(member.locks)
    if lock:
        return (Cause.LOCK, lock)
    able = [host for host in places.hosts.values() if ballot.is_placeable(member, host)]
    others = (host for host in places.hosts.values() if host not in able)
    if member.labels and (not able or any(is_room(member, host) for host in others)):
        return (Cause.LABEL, _rarest(member.labels, places))
    lacks = [_lacking(member, host) for host in able]
    return (next((cause for cause in lacks if cause is not Cause.SLOT), Cause.SLOT), "")


def _lacking(member: Member, host: Host) -> Cause:
    lacking = [name for name, asked in member.asks.items() if asked > host.room.get(name, 0)]
    if set(lacking) <= _CAUSES.keys() and lacking:
        return _CAUSES[lacking[-1]]
    return Cause.SLOT


def _rarest(labels: tuple[str, ...], places: Places) -> str:
    """Return the label that the fewest machines have."""
    return min(labels, key=lambda label: sum(label in host.labels for host in places.hosts.values()))
