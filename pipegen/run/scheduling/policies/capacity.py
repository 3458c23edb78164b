"""Job queues have explicit shares, in a tree: limits of a job queue hold for all below it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from pipegen.run.scheduling.amounts import SLOTS, Amounts, share, subtract
from pipegen.run.scheduling.job_queues import Gang, JobQueue, Key, QueuedTask, lineage
from pipegen.run.scheduling.policies.guarantees import Guarantees
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


def capacity(session: Session) -> Votes:
    """Return votes for the job queue with the smallest part of its deserved share, and against exceeding limits."""
    tree = _Tree(session)
    return Votes(
        job_queue_key=tree.rank,
        victim_queue_key=_common_levels,
        may_take=tree.may_take,
        leaves_guarantees=Guarantees(session, tree.limit).are_left,
        may_enter=tree.may_enter,
        is_preemptive=tree.is_preemptive,
        reclaimable=tree.reclaimable,
    )


class _Tree:
    """The job queues of *session* as a tree; those with others below them have no gangs.

    Limits and deserved shares change only when machines are added or removed.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._totals: Amounts = {}
        self._limits: dict[tuple[JobQueue, str], float] = {}
        self._shares: dict[JobQueue, Amounts] = {}

    def rank(self, job_queue: JobQueue) -> Key:
        """Return the rank of *job_queue*: those above it are compared first, from the top of the tree."""
        above = [self._share(ancestor) for ancestor in reversed([*lineage(job_queue)])]
        return (-job_queue.priority, *above)

    def may_take(self, job_queue: JobQueue, queued_task: QueuedTask) -> bool:
        """Return whether *job_queue* and all above it stay within their limits with *queued_task*.

        The machines themselves are no limit: promised room counts as taken while another task still has it.
        """
        self._update()
        return all(
            above.taken.get(name, 0) + amount <= limit
            for above in lineage(job_queue)
            for name, amount in queued_task.requests.items()
            if amount and (limit := self.limit(above, name)) < self._totals.get(name, inf)
        )

    def may_enter(self, gang: Gang) -> Vote:
        """Reject *gang* if its minimum, and those admitted before it, exceed a limit."""
        minimum = gang.minimum or {}
        is_permitted = all(self._is_within(above, above.admitted, minimum) for above in lineage(gang.job_queue))
        return Vote.PERMIT if is_permitted else Vote.REJECT

    def is_preemptive(self, job_queue: JobQueue, queued_task: QueuedTask) -> bool:
        """Return whether *job_queue* may have the requests of *queued_task*, and deserves them in some resource."""
        deserved = self._deserved(job_queue)
        return self._is_within(job_queue, job_queue.taken, queued_task.requests) and any(
            job_queue.taken.get(name, 0) + amount <= deserved.get(name, 0)
            for name, amount in queued_task.requests.items()
            if amount and _is_shared(deserved, name)
        )

    def reclaimable(self, queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
        """Return the candidates of job queues that have more than they deserve of what the candidates take.

        A candidate takes nothing that its job queue deserves, or something of which its job queue has too much. It
        takes some of the resources of *queued_task*, and leaves its job queue what is guaranteed to that.
        """
        amounts_left: dict[JobQueue, dict[str, float]] = {}
        victims = []
        for candidate in candidates:
            job_queue = candidate.gang.job_queue
            deserved, taken = self._deserved(job_queue), amounts_left.setdefault(job_queue, dict(job_queue.taken))
            relevant = _relevant(candidate, deserved)
            is_guaranteed = any(
                taken.get(name, 0) - candidate.requests.get(name, 0) < amount
                for name, amount in job_queue.guarantee.items()
            )
            is_excess = not relevant or any(taken[name] > deserved[name] for name in relevant)
            if _is_useful(candidate, queued_task, deserved) and is_excess and not is_guaranteed:
                subtract(taken, candidate.requests)
                victims.append(candidate)
        return victims

    def _share(self, job_queue: JobQueue) -> Key:
        """Return the part of its deserved share that *job_queue* has, and whether it deserves nothing.

        Such a job queue comes after those that have less than they deserve.
        """
        deserved = {name: amount for name, amount in self._deserved(job_queue).items() if amount}
        part = {name: job_queue.taken.get(name, 0) for name in deserved}
        return (round(share(part, deserved), 9), False) if deserved else (1.0, True)

    def _deserved(self, job_queue: JobQueue) -> Amounts:
        """Return the deserved share of *job_queue*: within its limits, and at least its guarantee."""
        self._update()
        if job_queue not in self._shares:
            names = dict.fromkeys((*job_queue.deserved, *job_queue.guarantee))
            within = {name: min(job_queue.deserved.get(name, 0), self.limit(job_queue, name)) for name in names}
            self._shares[job_queue] = {name: max(within[name], job_queue.guarantee.get(name, 0)) for name in names}
        return self._shares[job_queue]

    def limit(self, job_queue: JobQueue, name: str) -> float:
        """Return how much of a resource *job_queue* may take."""
        self._update()
        if (job_queue, name) not in self._limits:
            self._limits[job_queue, name] = self._new_limit(job_queue, name)
        return self._limits[job_queue, name]

    def _update(self) -> None:
        """Forget what was computed for other machines."""
        if self._totals is not self._session.possible:
            self._totals = self._session.possible
            self._limits.clear()
            self._shares.clear()

    def _new_limit(self, job_queue: JobQueue, name: str) -> float:
        """Return how much of a resource *job_queue* may take: its capability, without the guarantees of others."""
        siblings = (sibling for sibling in self._session.job_queues.values() if sibling.parent is job_queue.parent)
        reserved = sum(sibling.guarantee.get(name, 0) for sibling in siblings if sibling is not job_queue)
        parent = job_queue.parent
        above = self._totals.get(name, inf) if parent is None else self.limit(parent, name)
        return min((job_queue.capability or {}).get(name, inf), above - reserved)

    def _is_within(self, job_queue: JobQueue, taken: Amounts, requests: Amounts) -> bool:
        return all(
            taken.get(name, 0) + amount <= self.limit(job_queue, name) for name, amount in requests.items() if amount
        )


def _common_levels(first: JobQueue, second: JobQueue) -> int:
    """Return how many job queues are above both."""
    return len({*lineage(first)} & {*lineage(second)} - {first, second})


def _is_useful(candidate: QueuedTask, queued_task: QueuedTask, deserved: Amounts) -> bool:
    """Return whether *candidate* has a resource that *queued_task* needs."""
    return any(
        amount and queued_task.requests.get(name) and _is_shared(deserved, name)
        for name, amount in candidate.requests.items()
    )


def _relevant(candidate: QueuedTask, deserved: Amounts) -> list[str]:
    """Return the resources of *candidate* that its job queue deserves."""
    return [name for name, amount in candidate.requests.items() if amount and deserved.get(name)]


def _is_shared(deserved: Amounts, name: str) -> bool:
    """Return whether a job queue deserves a part of a resource: of slots only if it says how many."""
    return name != SLOTS or SLOTS in deserved
