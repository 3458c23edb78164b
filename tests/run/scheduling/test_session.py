"""Votes of plugins; gangs, shares and statements in a session with several tasks in a gang."""

from __future__ import annotations

import pytest
from run.scheduling_state import deserved, first_node, first_queue, first_task

from pipegen.run.scheduling.actions.allocate import allocate
from pipegen.run.scheduling.actions.backfill import backfill
from pipegen.run.scheduling.actions.enqueue import enqueue
from pipegen.run.scheduling.amounts import add_to, share
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask, TaskState
from pipegen.run.scheduling.machine_state import MachineState
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.policies.drf import drf
from pipegen.run.scheduling.policies.gang import gang
from pipegen.run.scheduling.policies.machines import fit
from pipegen.run.scheduling.policies.orders import priority
from pipegen.run.scheduling.policies.proportion import proportion
from pipegen.run.scheduling.queue.queue import QueueSettings
from pipegen.run.scheduling.scheduler import Policy
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement
from pipegen.run.scheduling.votes import Ballot, Vote, Votes, only

JOB_QUEUE = first_queue("l")
GANG = Gang(name="g", job_queue=JOB_QUEUE)


def new_session(*policies: Policy, slots: tuple[int, ...] = (2,)) -> Session:
    """Return a session with one tier, on machines with this number of slots."""
    nodes = [SchedulerNode(f"m{index}", {"slots": count}, (), index) for index, count in enumerate(slots)]
    return Session(nodes, [policies], settings=QueueSettings(), patience=100)


def gang_of(session: Session, name: str, *requested: int, least: int = 1, job_queue: str = "l", rank: int = 0) -> Gang:
    """Return a gang in *where*, admitted, whose tasks request these numbers of slots; 0 is a task for backfill."""
    if job_queue not in session.job_queues:
        session.open_job_queue(JobQueue(name=job_queue, order=len(session.job_queues), priority=0))
    result = Gang(name=name, job_queue=session.job_queues[job_queue], least=least, priority=rank, size=len(requested))
    for number, slots in enumerate(requested):
        order = 100 * sum(len(list(queue)) for queue in session.queues.values()) + number
        requests = {"slots": float(slots)} if slots else {}
        queued_task = QueuedTask(
            name=f"{name}{number}",
            gang=result,
            requests=requests,
            order=order,
            is_light=not slots,
            priority=number * rank,
        )
        add_to(result.job_queue.requested, queued_task.requests)
        session.wait(queued_task)
    session.admit(result)
    return result


def saying(vote: Vote) -> Votes:
    """Return the votes of a plugin with *vote* on the admission of each gang."""
    return Votes(may_enter=lambda _: vote)


def started(session: Session) -> list[str]:
    """Return the started tasks, in order."""
    return [queued_task.name for queued_task in session.started]


def test_keys_are_counted_tier_by_tier() -> None:
    """The first key that differs decides, then the original order."""
    first, second = (QueuedTask(name=name, gang=GANG, requests={}, order=order) for order, name in enumerate("ab"))
    gang, other_gang = (Gang(name=queued_task.name, job_queue=JOB_QUEUE) for queued_task in (first, second))
    gang.push(first, ())
    other_gang.push(second, ())
    equal = Votes(gang_key=lambda _: 0)
    for_two = Votes(gang_key=lambda candidate: candidate is not other_gang)
    for_one = Votes(gang_key=lambda candidate: candidate is not gang)

    assert min((gang, other_gang), key=Ballot([[equal, for_two], [for_one]]).gang_key) is other_gang
    assert min((gang, other_gang), key=Ballot([[equal], [for_one, for_two]]).gang_key) is gang
    assert min((other_gang, gang), key=Ballot([[equal]]).gang_key) is gang


@pytest.mark.parametrize(
    ("tiers", "is_admitted"),
    [
        ([], True),
        ([[Vote.ABSTAIN], [Vote.ABSTAIN]], True),
        ([[Vote.PERMIT], [Vote.REJECT]], True),
        ([[Vote.PERMIT, Vote.REJECT]], False),
        ([[Vote.ABSTAIN], [Vote.REJECT]], False),
        ([[Vote.ABSTAIN, Vote.PERMIT], [Vote.REJECT]], True),
    ],
)
def test_a_permit_ends_the_vote_at_its_tier(tiers: list[list[Vote]], *, is_admitted: bool) -> None:
    """Up to that tier, any rejection decides."""
    ballot = Ballot([[saying(vote) for vote in tier] for tier in tiers])

    assert ballot.may_enter(GANG) is is_admitted


def test_one_says_no_or_all_say_yes() -> None:
    """A machine must suit all plugins, and a gang be ready for all; one plugin is enough to call a queue overused."""
    yes = Votes(is_placeable=lambda *_: True, is_ready=lambda _: True, is_overused=lambda _: True)
    no = Votes(is_placeable=lambda *_: False, is_ready=lambda _: False, is_overused=lambda _: False)
    both, none = Ballot([[yes], [no]]), Ballot([])
    queued_task = first_task("a", GANG, {})

    assert (
        both.is_placeable(queued_task, first_node("m", {})),
        both.is_ready(GANG),
        both.is_overused(JOB_QUEUE),
    ) == (
        False,
        False,
        True,
    )
    assert (
        none.is_placeable(queued_task, first_node("m", {})),
        none.is_ready(GANG),
        none.is_overused(JOB_QUEUE),
    ) == (
        True,
        True,
        False,
    )


def test_a_gang_starts_together_or_not_at_all() -> None:
    """If not all of its tasks fit, it takes no resources, and others can use them."""
    session = new_session(gang, slots=(3,))
    large = gang_of(session, "a", 2, 2, least=2)
    gang_of(session, "b", 1)
    allocate(session)

    assert started(session) == ["b0"]
    assert (large.taken, JOB_QUEUE.taken) == ({"slots": 0}, {})
    assert all(queued_task.state is TaskState.WAITING for queued_task in large.waiting_tasks())
    assert session.machines.nodes["m0"].room == {"slots": 2}


def test_once_a_gang_is_ready_the_others_follow_one_by_one() -> None:
    """Tasks of other gangs may be placed in between."""
    session = new_session(gang, drf, slots=(4,))
    gang_of(session, "a", 1, 1, 1, least=2)
    gang_of(session, "b", 1)
    allocate(session)

    assert started(session) == ["a0", "a1", "b0", "a2"]


@pytest.mark.parametrize(
    ("least", "placed"), [(2, ["a0", "b0", "b1"]), (4, []), (5, [])], ids=["enough", "too-few", "all-or-none"]
)
def test_queued_tasks_that_have_no_place_do_not_stop_others(least: int, placed: list[str]) -> None:
    """A gang continues while its tasks may start in parts."""
    session = new_session(gang, fit, slots=(1, 2))
    session.machines.nodes["m0"].labels = frozenset(["a"])
    session.machines.nodes["m1"].labels = frozenset(["b"])
    session.open_job_queue(first_queue("l"))
    group = Gang(name="g", job_queue=session.job_queues["l"], least=least, size=5)
    for order, name in enumerate(("a0", "a1", "a2", "b0", "b1")):
        session.wait(QueuedTask(name=name, gang=group, requests={"slots": 1}, labels=(name[0],), order=order))
    session.admit(group)
    allocate(session)

    assert started(session) == placed


def test_a_gang_with_too_few_queued_tasks_waits() -> None:
    """The scheduler does not try to place it."""
    session = new_session(gang)
    gang_of(session, "a", 1, least=2)
    allocate(session)

    assert started(session) == []


def test_queued_tasks_that_take_nothing_fill_in() -> None:
    """They count as placed tasks of their gang, and start without a free slot."""
    session = new_session(gang, slots=(1,))
    gang_of(session, "a", 1, 0, least=2)
    gang_of(session, "b", 1)
    allocate(session)
    backfill(session)

    assert started(session) == ["a0", "a1"]


def test_the_highest_priority_comes_first() -> None:
    """This holds for gangs, and for the tasks of one gang."""
    session = new_session(priority, slots=(3,))
    gang_of(session, "a", 1)
    gang_of(session, "b", 1, 1, rank=5)
    allocate(session)

    assert started(session) == ["b1", "b0", "a0"]


@pytest.mark.parametrize(("point", "is_changing"), [("gang_key", True), ("preemptable", False)])
def test_chosen_votes_keep_what_is_known_about_them(point: str, is_changing: bool) -> None:  # noqa: FBT001 - a parameter
    """Ranks change only if the vote that gives them counts."""
    votes = only(drf, (point,), new_session(drf))

    assert getattr(votes, point) is not None
    assert votes.changes_ranks is is_changing


def test_the_least_dominant_share_comes_first() -> None:
    """Gangs take turns by the resources that they have."""
    session = new_session(drf, slots=(4,))
    gang_of(session, "a", 2, 1)
    gang_of(session, "b", 1, 1)
    allocate(session)

    assert started(session) == ["a0", "b0", "b1"]
    assert share({"cpu": 1, "memory": 3}, {"cpu": 4, "memory": 4}) == 0.75
    assert share({"gpu": 1}, {}) == 1.0


@pytest.mark.parametrize(
    ("job_queues", "expected"),
    [
        ([(1, 10), (1, 10)], [4, 4]),
        ([(1, 2), (1, 10)], [2, 6]),
        ([(3, 10), (1, 10)], [6, 2]),
        ([(1, 1), (1, 2), (2, 10)], [1, 2, 5]),
        ([(1, 1), (1, 1)], [1, 1]),
        ([(1, 0), (1, 9)], [0, 8]),
    ],
)
def test_what_job_queues_deserve(job_queues: list[tuple[int, int]], expected: list[float]) -> None:
    """Shares follow the weights, up to the requests; queues with further requests share the rest."""
    times = deserved(
        [
            first_queue(str(index), weight=weight, requested={"slots": slots})
            for index, (weight, slots) in enumerate(job_queues)
        ],
        {"slots": 8},
    )

    assert [times.get(str(index), {}).get("slots", 0) for index in range(len(job_queues))] == pytest.approx(expected)


def test_a_guarantee_is_kept_and_a_capability_not_passed() -> None:
    """This holds for any requests of other queues."""
    job_queues = [
        first_queue("kept", requested={"slots": 0}, guarantee={"slots": 3}),
        first_queue("capped", requested={"slots": 9}, capability={"slots": 2}),
        first_queue("open", requested={"slots": 9}),
    ]

    times = deserved(job_queues, {"slots": 8})
    assert {name: amounts["slots"] for name, amounts in times.items()} == pytest.approx(
        {"kept": 3, "capped": 2, "open": 3}
    )


@pytest.mark.parametrize("requested", [1, 5])
def test_a_guarantee_leaves_the_rest_to_the_others_by_weight(requested: int) -> None:
    """The shares are not more than all, and the same for all requests that are larger."""
    job_queues = [
        first_queue("large", weight=2, requested={"slots": requested}),
        first_queue("small", requested={"slots": 3}),
        first_queue("kept", requested={"slots": 0}, guarantee={"slots": 1}),
    ]

    times = deserved(job_queues, {"slots": 2})
    assert {name: amounts["slots"] for name, amounts in times.items()} == {"large": 0.67, "small": 0.33, "kept": 1}


def test_a_job_queue_with_its_part_is_passed_over() -> None:
    """Plugins vote for this; the resources stay idle then."""
    session = new_session(proportion, slots=(4,))
    gang_of(session, "a", 1, 1, 1, 1, job_queue="one")
    gang_of(session, "b", 1, 1, job_queue="two")
    allocate(session)

    assert sorted(started(session)) == ["a0", "a1", "b0", "b1"]
    assert started(session)[:2] == ["a0", "b0"]


def test_gangs_are_admitted_in_turn_while_their_job_queue_has_prospects() -> None:
    """A gang that does not fit beside the admitted ones is tried again later."""
    session = new_session(proportion, slots=(4,))
    session.open_job_queue(first_queue("l", capability={"slots": 3}))
    gangs = [Gang(name=name, job_queue=session.job_queues["l"], minimum={"slots": 2}) for name in "ab"]
    session.entering += gangs
    enqueue(session)

    assert [queued_gang.is_admitted for queued_gang in gangs] == [True, False]
    assert session.entering == gangs[1:]


def test_a_statement_takes_all_or_nothing() -> None:
    """Slots, memory and locks: an action that does not fit is not recorded, and undoing restores everything."""
    machines = MachineState([first_node("m", {"slots": 2, "memory": 4})])
    statement = Statement(machines)
    first, second, third = (
        first_task(name, Gang(name=name, job_queue=JOB_QUEUE), {"slots": 1, "memory": memory}, locks=locks)
        for name, memory, locks in (("a", 1, ("db",)), ("b", 4, ()), ("c", 1, ("db", "x")))
    )

    assert statement.place(first, "m")
    assert not statement.place(second, "m")
    assert not statement.place(third, "m")
    assert (list(machines.locks), machines.nodes["m"].room) == (["db"], {"slots": 1, "memory": 3})
    assert (second.state, third.state, len(statement.operations)) == (TaskState.WAITING, TaskState.WAITING, 1)
    assert statement.discard() == [first]
    assert (machines.locks, machines.nodes["m"].room, JOB_QUEUE.taken) == (
        {},
        {"slots": 2, "memory": 4},
        {"slots": 0, "memory": 0},
    )


def test_labels_are_looked_at_where_that_is_voted_for() -> None:
    """The machine must have all of them."""
    nodes = [first_node("plain", {"slots": 1}), SchedulerNode("arm", {"slots": 1}, ("arm", "linux"), 1)]
    queued_task = first_task("a", GANG, {"slots": 1}, labels=("linux", "arm"))

    scheduler_nodes = [
        Session(nodes, [policies], settings=QueueSettings(), patience=1).find(queued_task) for policies in ((fit,), ())
    ]
    assert scheduler_nodes == nodes[::-1]
