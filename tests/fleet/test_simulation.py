"""Events, stages and machines of a simulated fleet."""

from __future__ import annotations

import pytest
from fleet.fleets import ACTIONS, chain, fleet, load, stage_times

from pipegen.fleet.answers.results import results
from pipegen.fleet.arrivals import HOUR, Starts
from pipegen.fleet.distributions import Exponential, FixedTime, LogNormal
from pipegen.fleet.measures import Measures
from pipegen.fleet.model import Fleet, FleetQueue, MachineGroup
from pipegen.fleet.simulation import FleetSimulation
from pipegen.fleet.workflow import FleetPipeline
from pipegen.run.model import RunMachine
from pipegen.structs import replace


def run(simulated: Fleet) -> Measures:
    """Return the measures of a simulation."""
    return FleetSimulation(simulated).run()


def changed(workflow: FleetPipeline, index: int, **fields: object) -> FleetPipeline:
    """Return *workflow* with the *fields* of a stage changed."""
    stages = [replace(stage, **fields) if stage.index == index else stage for stage in workflow.stages]
    return replace(workflow, stages=tuple(stages))


def test_a_chain_waits_for_one_machine() -> None:
    """Two pipelines of two stages share a slot, first come first served."""
    measures = run(fleet([load("a", Starts((0.0, 1.0)), FixedTime(10.0), FixedTime(5.0))], 1, 1)).loads["a"]

    assert list(measures.results) == [25.0, 29.0]
    assert list(measures.waits) == [0.0, 9.0, 10.0, 5.0]


def test_equal_seeds_give_equal_figures() -> None:
    """A repeated run is equal, and one with another seed is not; the load does not depend on the machines."""
    simulated = fleet([load("a", 20.0, Exponential(60.0), LogNormal(60.0, 180.0))], 2, 1)
    first, again, other = run(simulated), run(simulated), run(replace(simulated, seed=2))
    more = run(replace(simulated, groups=(MachineGroup(machine=RunMachine(name="m"), minimum=9, maximum=9),)))

    assert first.loads["a"].waits == again.loads["a"].waits
    assert first.loads["a"].waits != other.loads["a"].waits
    assert (more.starts, sum(more.loads["a"].waits)) == (first.starts, 0.0)


def test_a_failure_ends_a_pipeline_after_its_retries() -> None:
    """Each further attempt waits for its backoff; stages after the failed one do not run."""
    plain = load("a", Starts((0.0,)), FixedTime(10.0), FixedTime(5.0))
    failing = changed(plain.workflow, 0, times=stage_times(FixedTime(10.0), failure=1.0), retries=2)
    measures = run(fleet([replace(plain, workflow=failing)], 1, 1))

    assert measures.starts == 3
    # The backoffs of 1 and 2 seconds are waits of the next attempts.
    assert list(measures.loads["a"].waits) == [0.0, 1.0, 2.0]
    assert (list(measures.loads["a"].results), measures.loads["a"].failures) == ([33.0], 1)


def test_an_allowed_failure_does_not() -> None:
    """The next stage runs."""
    plain = load("a", Starts((0.0,)), FixedTime(10.0), FixedTime(5.0))
    failing = changed(plain.workflow, 0, times=stage_times(FixedTime(10.0), failure=1.0), may_fail=True)
    measures = run(fleet([replace(plain, workflow=failing)], 1, 1)).loads["a"]

    assert (list(measures.results), measures.failures) == ([15.0], 0)


def test_an_approval_is_a_gate() -> None:
    """The time until an approval is not waiting time, and other stages run in the meantime."""
    plain = load("a", Starts((0.0,)), FixedTime(10.0))
    times = stage_times(FixedTime(10.0), approval=100.0)
    with_approval = replace(plain, workflow=changed(plain.workflow, 0, times=times, needs_approval=True))
    measures = run(fleet([with_approval, load("b", Starts((1.0,)), FixedTime(150.0))], 1, 1))

    assert list(measures.loads["b"].results) == [150.0]
    assert (list(measures.loads["a"].results), list(measures.loads["a"].waits)) == ([161.0], [51.0])


def test_a_stage_and_its_services_start_together() -> None:
    """They need two slots at once, on any machines; another queue is served in between."""
    plain = load("a", Starts((0.0, 0.0)), FixedTime(10.0))
    gang = replace(plain, workflow=changed(plain.workflow, 0, services=({"slots": 1.0},)))
    loads = run(fleet([gang, load("b", Starts((0.0,)), FixedTime(4.0))], 2, 1)).loads

    assert list(loads["b"].results) == [14.0]
    assert list(loads["a"].results) == [10.0, 24.0]


@pytest.mark.parametrize("actions", [ACTIONS, ("allocate", "enqueue", "backfill")])
def test_equal_stages_with_services_start_at_the_same_time(actions: tuple[str, ...]) -> None:
    """There is room for all of them."""
    plain = load("a", Starts((0.0, 0.0, 0.0)), FixedTime(10.0))
    gang = replace(plain, workflow=changed(plain.workflow, 0, services=({"slots": 1.0},)))
    measures = run(fleet([gang], 6, 1, ("gang",), ("fair-share",), actions=actions)).loads["a"]

    assert list(measures.waits) == [0.0, 0.0, 0.0]


def test_a_service_without_resources_is_filled_in() -> None:
    """It takes no slot."""
    plain = load("a", Starts((0.0,)), FixedTime(10.0))
    light = replace(plain, workflow=changed(plain.workflow, 0, services=({},)))

    assert list(run(fleet([light], 1, 1)).loads["a"].results) == [10.0]


def test_finally_stages_come_last() -> None:
    """This holds after a failure, too."""
    workflow = replace(chain(FixedTime(10.0), FixedTime(5.0)), final=(1,), predecessors=(0, 0))
    workflow = replace(workflow, final_after_failure=workflow.final)
    workflow = changed(workflow, 0, successors=(), times=stage_times(FixedTime(10.0), failure=1.0))
    measures = run(fleet([replace(load("a", Starts((0.0,)), FixedTime(1.0)), workflow=workflow)], 1, 1)).loads["a"]

    assert (list(measures.results), measures.failures) == ([15.0], 1)


@pytest.mark.parametrize(("failure", "seconds"), [(1.0, 15.0), (0.0, 10.0)])
def test_finally_stages_after_a_failure_run_only_then(failure: float, seconds: float) -> None:
    """A run that succeeds ends without them."""
    workflow = replace(chain(FixedTime(10.0), FixedTime(5.0)), final_after_failure=(1,), predecessors=(0, 0))
    workflow = changed(workflow, 0, successors=(), times=stage_times(FixedTime(10.0), failure=failure))
    measures = run(fleet([replace(load("a", Starts((0.0,)), FixedTime(1.0)), workflow=workflow)], 1, 1)).loads["a"]

    assert list(measures.results) == [seconds]


def test_priorities() -> None:
    """Of the waiting stages of a queue, the one with the highest priority starts first."""
    loads = [
        load("low", Starts((0.0, 1.0)), FixedTime(10.0)),
        load("high", Starts((2.0,)), FixedTime(10.0), priority=1),
    ]
    measures = run(fleet(loads, 1, 1, queue="q")).loads

    assert (list(measures["high"].waits), list(measures["low"].waits)) == ([8.0], [0.0, 19.0])


def test_machines_follow_the_load() -> None:
    """They start when stages wait, which takes time, and stop when they are idle; all of this time costs."""
    simulated = fleet([load("a", Starts((0.0, 0.0, 7200.0)), FixedTime(600.0))], 1, 1)
    group = MachineGroup(machine=RunMachine(name="m"), minimum=0, maximum=5, start_up=60.0, idle=300.0, price=3.0)
    measured = run(replace(simulated, groups=(group,)))
    (machines,) = results(replace(simulated, groups=(group,)), measured).groups

    assert list(measured.loads["a"].waits) == [60.0, 60.0, 60.0]
    # Two machines run for 60 + 600 + 300 seconds, the third one until the end.
    assert round(machines.cost * HOUR / 3.0) == 2 * 960 + 660


def test_machines_without_idle_time() -> None:
    """A new machine runs the waiting stages before it can stop, and stops when no stage follows at once."""
    simulated = fleet([load("a", Starts((0.0, 0.0, 7200.0)), FixedTime(600.0), FixedTime(100.0))], 1, 1)
    for start_up in (0.0, 60.0):
        group = MachineGroup(machine=RunMachine(name="m"), minimum=0, maximum=2, start_up=start_up, price=3.0)
        measured = run(replace(simulated, groups=(group,)))
        (machines,) = results(replace(simulated, groups=(group,)), measured).groups

        assert list(measured.loads["a"].waits) == [start_up, start_up, 0.0, 0.0, start_up, 0.0]
        assert round(machines.cost * HOUR / 3.0) == 3 * (start_up + 700)


@pytest.mark.parametrize("needs_approval", [False, True])
@pytest.mark.parametrize(("requested", "machines"), [({}, 1), ({"slots": 1.0}, 2)])
def test_machines_for_services(*, needs_approval: bool, requested: dict[str, float], machines: int) -> None:
    """Each service that takes a slot starts a machine, also after the stage waited for its approval."""
    plain = load("a", Starts((0.0,)), FixedTime(60.0))
    workflow = changed(plain.workflow, 0, services=(requested,), needs_approval=needs_approval)
    group = MachineGroup(machine=RunMachine(name="m", slots=1), minimum=0, maximum=9, start_up=60.0, price=3600.0)
    simulated = replace(fleet([replace(plain, workflow=workflow)], 1, 1, ("gang",)), groups=(group,))
    measures = run(simulated)

    assert list(measures.loads["a"].waits) == [60.0]
    assert results(simulated, measures).groups[0].cost == machines * (60.0 + 60.0)


def test_machines_that_no_stage_can_use() -> None:
    """Without a time to start and to stop, they do not start repeatedly at the same time."""
    first = load("a", Starts((0.0,)), FixedTime(600.0))
    stage = replace(first.workflow.stages[0], services=({"slots": 1.0}, {"slots": 1.0}))
    gang = replace(first, workflow=replace(first.workflow, stages=(stage,)))
    simulated = fleet([gang, load("b", Starts((50.0,)), FixedTime(10.0))], 1, 1)
    group = MachineGroup(machine=RunMachine(name="m"), minimum=0, maximum=2)
    measured = run(replace(simulated, groups=(group,))).loads

    assert (measured["a"].unfinished, list(measured["b"].waits)) == (1, [0.0])


def test_a_gang_that_fits_on_no_machines_blocks_no_others() -> None:
    """No room is reserved for its last service on the machine that its stage takes."""
    plain = load("a", Starts((0.0,)), FixedTime(10.0), priority=1)
    gang = replace(plain, workflow=changed(plain.workflow, 0, services=({"slots": 1.0}, {"slots": 1.0})))
    others = load("b", Starts(tuple(float(number) for number in range(20))), FixedTime(10.0))
    measured = run(fleet([gang, others], 2, 1, ("priority", "gang"), queue="all")).loads

    assert (measured["a"].unfinished, measured["b"].unfinished) == (1, 0)


def test_a_stage_starts_machines_after_it_waited_alone() -> None:
    """An approved stage and its service enter the queue again, which is admitted without a further event."""
    plain = load("a", Starts((0.0,)), FixedTime(10.0))
    gang = replace(plain, workflow=changed(plain.workflow, 0, services=({"slots": 1.0},), needs_approval=True))
    group = MachineGroup(machine=RunMachine(name="m", slots=2), minimum=0, maximum=1)
    for actions in (ACTIONS, ("allocate", "enqueue", "backfill")):
        simulated = fleet([gang], 1, 1, ("gang",), ("fair-share",), actions=actions)
        measures = run(replace(simulated, groups=(group,))).loads["a"]

        assert (list(measures.results), measures.unfinished) == ([10.0], 0)


def test_no_room_is_kept_for_services_of_a_stage_that_has_ended() -> None:
    """Without the plugin `gang`, a stage may end before its services start."""
    plain = replace(load("a", Starts((30.0,)), FixedTime(60.0)), waiting_time=10.0)
    stage = replace(plain, workflow=changed(plain.workflow, 0, services=({"slots": 2.0}, {"slots": 2.0})))
    others = load("b", Starts((*(float(number) for number in range(11)), *[1000.0] * 6)), FixedTime(60.0))
    measured = run(fleet([stage, others], 3, 1, ("sla", "first-ready"), slots=2, queue="all")).loads

    assert list(measured["b"].waits)[-6:] == [0.0] * 6


def test_a_stage_starts_when_a_machine_for_its_service_is_free() -> None:
    """The machine for the stage itself is idle all the time, and the other one does not suit it."""
    plain = load("a", Starts((10.0,)), FixedTime(60.0))
    gang = replace(plain, workflow=changed(plain.workflow, 0, services=({"slots": 1.0},), labels=("arm",)))
    other = load("b", Starts((0.0,)), FixedTime(100.0))
    other = replace(other, workflow=changed(other.workflow, 0, labels=("x64",)))
    groups = tuple(
        MachineGroup(machine=RunMachine(name=name, slots=1, labels=(name,)), minimum=1, maximum=1)
        for name in ("arm", "x64")
    )
    measures = run(replace(fleet([gang, other], 1, 1, ("gang",)), groups=groups)).loads["a"]

    assert list(measures.waits) == [90.0]


def test_the_last_start_of_a_machine_may_be_enough() -> None:
    """Other machines that start and stop without a stage do not end the simulation while a stage runs."""
    plain = load("a", Starts(tuple(7.0 * number for number in range(30))), FixedTime(60.0))
    gang = replace(plain, workflow=changed(plain.workflow, 0, services=({"cpu": 1000.0},), labels=("arm",)))
    groups = (
        MachineGroup(machine=RunMachine(name="arm", slots=1, labels=("arm",)), minimum=0, maximum=1),
        MachineGroup(machine=RunMachine(name="other", slots=4, cpu=4000), minimum=0, maximum=4, start_up=60.0),
    )
    measures = run(replace(fleet([gang], 1, 1, ("gang",)), groups=groups)).loads["a"]

    assert measures.unfinished == 0


def test_attempts_start_when_their_own_backoff_ends() -> None:
    """This holds even if the backoff of another stage ends earlier, and nothing else happens then."""
    simulated = fleet([load("a", Starts((0.0, 0.5)), FixedTime(10.0))], 2, 1)
    (only,) = simulated.loads
    stage = replace(only.workflow.stages[0], retries=3)
    stage = replace(stage, times=replace(stage.times, failure=1.0))
    only = replace(only, workflow=replace(only.workflow, stages=(stage,)))
    measures = run(replace(simulated, loads=(only,))).loads["a"]

    # Four attempts, and backoffs of 1, 2 and 4 seconds.
    assert (list(measures.results), measures.unfinished) == ([47.0, 47.0], 0)


def test_use_and_shares_by_hour() -> None:
    """A stage that runs past the end of an hour counts in both; the share of a queue is that of all machines.

    The last hour ends with the simulation.
    """
    simulated = fleet([load("a", Starts((HOUR - 600,)), FixedTime(1200.0))], 2, 1)
    result = results(simulated, run(simulated))

    assert [round(used, 6) for used in result.groups[0].used_by_hour] == [0.083333, 0.5]
    assert [round(part, 6) for part in result.queues[0].shares] == [0.083333, 0.5]
    assert result.queues[0].share == pytest.approx(1200 / (2 * (HOUR + 600)))
    assert result.groups[0].machines_by_hour == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize(("seconds", "hours"), [(HOUR, 3), (60.0, 1), (HOUR / 2, 2), (1e-9, 1), (0.0, 1)])
def test_the_last_hour_ends_with_the_simulation(seconds: float, hours: int) -> None:
    """Three stages after each other on one machine use all of it, and no hour follows the end."""
    simulated = fleet([load("a", Starts((0.0,) * 3), FixedTime(seconds))], 1, 1)
    simulated = replace(simulated, groups=(replace(simulated.groups[0], price=2.0),))
    result = results(simulated, run(simulated))
    (group,), (queue,) = result.groups, result.queues

    assert [len(values) for values in (queue.shares, group.used_by_hour, result.waits_by_hour["a"])] == [hours] * 3
    assert (queue.share, group.used, group.machines) == pytest.approx((1.0,) * 3 if seconds else (0.0,) * 3)
    for values in (queue.shares, group.used_by_hour, group.machines_by_hour):
        assert values == pytest.approx([1.0 if seconds else 0.0] * hours)
    assert sum(group.cost_by_hour) == pytest.approx(group.cost) == pytest.approx(3 * seconds / HOUR * 2)


def test_a_stage_without_a_duration_at_the_end_of_an_hour_counts_in_it() -> None:
    """The simulation ends then, so that there is no further hour."""
    simulated = fleet([load("a", Starts((0.0,)), FixedTime(HOUR), FixedTime(0.0))], 1, 1)
    result = results(simulated, run(simulated))

    assert [waits.count for waits in result.waits_by_hour["a"]] == [2]


def test_preemption_stops_interruptible_stages() -> None:
    """The stage with the higher priority starts at once; the other one starts again, and its work is lost."""
    actions = ("enqueue", "allocate", "preempt", "backfill")
    loads = [
        load("low", Starts((0.0,)), FixedTime(100.0), interruptible=True),
        load("high", Starts((30.0,)), FixedTime(10.0), priority=1),
    ]
    measures = run(fleet(loads, 1, 1, queue="q", actions=actions)).loads

    assert list(measures["high"].waits) == [0.0]
    assert (list(measures["low"].results), measures["low"].preempted, measures["low"].lost) == ([140.0], 1, 30.0)


def test_the_waits_of_a_stage_that_was_stopped_are_added() -> None:
    """It waits at its start and after each of two preemptions, and has one time."""
    actions = ("enqueue", "allocate", "preempt", "backfill")
    loads = [
        load("low", Starts((5.0,)), FixedTime(100.0), interruptible=True),
        load("high", Starts((0.0, 30.0, 60.0)), FixedTime(10.0), priority=1),
    ]
    measures = run(fleet(loads, 1, 1, queue="q", actions=actions)).loads["low"]

    assert (list(measures.waits), measures.preempted) == ([5.0 + 10.0 + 10.0], 2)


def test_enqueue_after_allocate() -> None:
    """A stage that it admits starts at once, as there may be no further event."""
    only = load("a", Starts((0.0,)), FixedTime(10.0))
    measures = run(fleet([only], 1, 1, actions=("allocate", "enqueue", "backfill"))).loads["a"]

    assert (list(measures.waits), measures.unfinished) == ([0.0], 0)


def test_preemption_stops_nothing_for_a_stage_that_waits_for_a_lock() -> None:
    """Room for it would be empty until the lock is free, when the stage starts."""
    low = load("low", Starts((1.0, 2.0, 3.0)), FixedTime(30.0), interruptible=True)
    high = load("high", Starts((0.0, 10.0, 20.0)), FixedTime(100.0), priority=1)
    locked = replace(high.workflow.stages[0], locks=("database",))
    high = replace(high, workflow=replace(high.workflow, stages=(locked,)))
    actions = ("enqueue", "allocate", "preempt", "backfill")
    measures = run(fleet([low, high], 1, 1, slots=2, queue="q", actions=actions)).loads

    assert (list(measures["high"].waits), measures["high"].unfinished) == ([0.0, 90.0, 180.0], 0)
    assert (measures["low"].preempted, measures["low"].unfinished) == (0, 0)


def test_preemption_stops_no_other_stages() -> None:
    """This protects stages that are not interruptible, of equal priority, or of another queue."""
    actions = ("enqueue", "allocate", "preempt", "backfill")
    for is_interruptible, priority, queue in ((False, 1, "q"), (True, 0, "q"), (True, 1, "")):
        loads = [
            load("low", Starts((0.0,)), FixedTime(100.0), interruptible=is_interruptible),
            load("high", Starts((30.0,)), FixedTime(10.0), priority=priority),
        ]
        measures = run(fleet(loads, 1, 1, queue=queue, actions=actions)).loads

        assert (list(measures["high"].waits), measures["low"].preempted) == ([70.0], 0)


def test_stages_that_stop_each_other_end() -> None:
    """One stops the other by priority, the other by its smaller share: only after another event, not void ends."""
    actions = ("enqueue", "allocate", "preempt", "backfill")
    loads = [
        load("high", Starts((0.0, 1.0, 2.0)), FixedTime(100.0), interruptible=True, priority=1),
        load("low", Starts((0.5, 1.5)), FixedTime(70.0), interruptible=True),
    ]
    measures = run(fleet(loads, 1, 1, ("priority",), ("drf",), slots=2, queue="q", actions=actions)).loads

    assert [measures[name].unfinished for name in ("high", "low")] == [0, 0]
    assert (measures["high"].preempted, measures["low"].preempted) == (3, 2)


def test_stages_that_stop_each_other_end_on_machines_that_stop() -> None:
    """The idle time of a machine that is used again is no event: at its end, they would stop each other again."""
    actions = ("enqueue", "allocate", "preempt", "backfill")
    loads = [
        load("high", Starts((0.0, 1.0, 2.0)), FixedTime(100.0), interruptible=True, priority=1),
        load("low", Starts((0.5, 1.5)), FixedTime(70.0), interruptible=True),
    ]
    scaled = fleet(loads, 1, 1, ("priority",), ("drf",), queue="q", actions=actions)
    group = MachineGroup(machine=RunMachine(name="m"), minimum=0, maximum=2, idle=20.0)
    measures = run(replace(scaled, groups=(group,))).loads

    assert [measures[name].unfinished for name in ("high", "low")] == [0, 0]
    assert measures["low"].preempted < 10


def test_reclaim_takes_what_a_queue_has_too_much() -> None:
    """A queue whose stages came first has all machines; another one gets its half of them at once."""
    loads = [
        load("early", Starts((0.0,) * 4), FixedTime(100.0), interruptible=True),
        load("late", Starts((30.0,) * 4), FixedTime(10.0)),
    ]
    measures = run(fleet(loads, 4, 1, actions=("enqueue", "allocate", "reclaim", "backfill"))).loads

    assert sorted(measures["late"].waits) == [0.0, 0.0, 10.0, 10.0]
    assert (measures["early"].preempted, measures["early"].lost) == (2, 60.0)


def test_reclaim_makes_room_for_the_stage_that_starts_there() -> None:
    """Another stage of the queue that lost one would prevent that on a machine that is kept free for a guarantee."""
    loads = [
        load("early", Starts((0.0,) * 2), FixedTime(100.0), interruptible=True),
        load("late", Starts((30.0,)), FixedTime(10.0)),
    ]
    plain = fleet(loads, 2, 1, actions=("enqueue", "allocate", "reclaim", "backfill"))
    kept = FleetQueue(name="kept", guarantee={"slots": 1.0})
    early, late = plain.queues
    measures = run(replace(plain, queues=(early, replace(late, weight=1000), kept))).loads

    assert list(measures["late"].waits) == [0.0]
    assert measures["early"].preempted == 1
