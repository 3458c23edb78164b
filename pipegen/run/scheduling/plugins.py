"""The plugins and actions of a scheduler that users name in the file of a fleet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TypeAlias

from pipegen.run.scheduling.actions.allocate import allocate
from pipegen.run.scheduling.actions.backfill import backfill
from pipegen.run.scheduling.actions.enqueue import enqueue
from pipegen.run.scheduling.actions.evicting import preempt, reclaim
from pipegen.run.scheduling.amounts import Amounts
from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.policies.capacity import capacity
from pipegen.run.scheduling.policies.drf import drf
from pipegen.run.scheduling.policies.gang import gang
from pipegen.run.scheduling.policies.machines import fit, pack
from pipegen.run.scheduling.policies.orders import backoff, critical_path, first_ready, priority, sla
from pipegen.run.scheduling.policies.proportion import fair_share, proportion
from pipegen.run.scheduling.queue.queue import Gate, QueueSettings
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes
from pipegen.structs import Struct

Policy: TypeAlias = Callable[[Session], Votes]
Action: TypeAlias = Callable[[Session], None]

ACTIONS: Mapping[str, Action] = {
    "enqueue": enqueue,
    "allocate": allocate,
    "preempt": preempt,
    "reclaim": reclaim,
    "backfill": backfill,
}
# The actions that stop tasks for others.
EVICTING = frozenset({preempt, reclaim})
PLUGINS: Mapping[str, Policy] = {
    "priority": priority,
    "gang": gang,
    "sla": sla,
    "drf": drf,
    "fair-share": fair_share,
    "proportion": proportion,
    "capacity": capacity,
    "first-ready": first_ready,
    "critical-path": critical_path,
    "binpack": pack,
    "backoff": backoff,
}


class Scheduling(Struct):
    """The names of the actions of a cycle, in order, and of the plugins by tier."""

    actions: tuple[str, ...]
    tiers: tuple[tuple[str, ...], ...]


def open_session(
    nodes: Sequence[SchedulerNode],
    scheduling: Scheduling,
    *,
    patience: float,
    gates: Mapping[str, Gate[Gang]],
    possible: Amounts | None,
) -> tuple[Session, tuple[Action, ...]]:
    """Return a session over *nodes* with the plugins of *scheduling*, and its actions.

    Labels are always respected. *possible* are the resources of all machines if further ones may be added.
    """
    tiers = [[PLUGINS[name] for name in tier] for tier in scheduling.tiers]
    settings = QueueSettings()
    session = Session(nodes, [*tiers, [fit]], settings=settings, patience=patience, gates=gates, possible=possible)
    return session, tuple(ACTIONS[name] for name in scheduling.actions)


def voters(vote: str) -> tuple[str, ...]:
    """Return the names of the plugins that have a *vote*, by the name of its field in `Votes`."""
    session, _ = open_session((), Scheduling((), ()), patience=inf, gates={}, possible={})
    return tuple(name for name, policy in PLUGINS.items() if getattr(policy(session), vote) is not None)
