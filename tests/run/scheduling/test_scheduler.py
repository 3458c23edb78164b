"""The order, machines and times of placements, and the reasons that are reported for waiting stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from run.simulation import Graph, Simulation, dice, random_graph, run_graph, task

from pipegen.run.events import Cause
from pipegen.run.model import Demand, RunMachine, Task, TaskId
from pipegen.run.scheduling.base import Cycle
from pipegen.run.scheduling.scheduler import ORDERS, SessionScheduler
from pipegen.run.scheduling.scheduler import scheduler as new_scheduler


def names(cycle: Cycle) -> list[str]:
    """Return the stages that *cycle* places, in order."""
    return [placement.task.id.stage for placement in cycle.placed]


def waiting(cycle: Cycle) -> dict[str, tuple[Cause, str]]:
    """Return the reasons of the stages that *cycle* refuses."""
    return {refusal.task.id.stage: (refusal.cause, refusal.what) for refusal in cycle.refused}


def with_tasks(*tasks: Task, machines: int = 1, slots: int = 1, order: str = "critical-path") -> SessionScheduler:
    """Return a scheduler that has *tasks* queued."""
    scheduler = new_scheduler([RunMachine(name=f"m{number}", slots=slots) for number in range(machines)], order=order)
    for each_task in tasks:
        scheduler.add(each_task, 0.0)
    return scheduler


def test_the_longest_path_comes_first() -> None:
    """This is the default; of equal stages, the first in the config comes first."""
    scheduler = with_tasks(
        task("short", order=0, remaining=1),
        task("second", order=2, remaining=5),
        task("first", order=1, remaining=5),
        slots=3,
    )

    assert names(scheduler.cycle(0)) == ["first", "second", "short"]


def test_the_order_can_be_chosen() -> None:
    """It can be the order of the config, or that in which stages became ready."""
    placed = {}
    for order in ORDERS:
        scheduler = with_tasks(order=order, slots=3)
        scheduler.add(task("late", order=0, remaining=1), 2.0)
        scheduler.add(task("early", order=1, remaining=2), 1.0)
        scheduler.add(task("long", order=2, remaining=3), 2.0)
        placed[order] = names(scheduler.cycle(2.0))

    assert placed == {
        "critical-path": ["long", "early", "late"],
        "declared": ["late", "early", "long"],
        "first-ready": ["early", "late", "long"],
    }


def test_who_comes_later_and_first_in_line_is_placed_first() -> None:
    """The queue is sorted again when a stage is added."""
    scheduler = with_tasks(task("a", order=0, remaining=3), task("b", order=1, remaining=1))
    scheduler.cycle(0)
    scheduler.add(task("c", order=2, remaining=2), 1.0)
    scheduler.release(TaskId("p", "a"), 1.0)

    assert names(scheduler.cycle(1.0)) == ["c"]


def test_all_who_wait_are_told_why_once() -> None:
    """The reasons are a lock, a label, memory, a slot and a time."""
    machines = [RunMachine(name="small", slots=2, memory=4), RunMachine(name="gpu", slots=1, labels=("gpu",), memory=8)]
    scheduler = new_scheduler(machines)
    for number, (stage, demand) in enumerate(
        {
            "holder": Demand(locks=("database",)),
            "locked": Demand(locks=("database",)),
            "trained": Demand(labels=("gpu",), memory=8),
            "next": Demand(labels=("gpu",)),
            "large": Demand(memory=8),
            "lost": Demand(labels=("mac",)),
            "wide": Demand(slots=2),
        }.items()
    ):
        scheduler.add(task(stage, order=number, demand=demand), 0.0)
    first = scheduler.cycle(0)
    scheduler.add(task("late", order=9), 0.0)
    scheduler.add(task("later", order=10), 0.0)
    second = scheduler.cycle(0)

    assert names(first) == ["holder", "trained"]
    assert waiting(first) == {
        "locked": (Cause.LOCK, "database"),
        "next": (Cause.LABEL, "gpu"),
        "large": (Cause.MEMORY, ""),
        "lost": (Cause.LABEL, "mac"),
        "wide": (Cause.SLOT, ""),
    }
    assert (names(second), waiting(second)) == (["late"], {"later": (Cause.SLOT, "")})
    assert scheduler.cycle(0) == Cycle((), ())


def test_the_first_in_line_is_told_again_when_it_waits_for_something_else() -> None:
    """First for a slot, then for a lock that another stage took; changes are not reported for stages behind it."""
    locked = Demand(locks=("db",))
    scheduler = with_tasks(task("a", order=0), task("b", order=1, demand=locked), task("c", order=2, demand=locked))
    first = scheduler.cycle(0)
    scheduler.add(task("light", order=3, demand=Demand(slots=0, locks=("db",))), 1.0)
    second = scheduler.cycle(1.0)
    scheduler.release(TaskId("p", "a"), 2.0)

    assert waiting(first) == {"b": (Cause.SLOT, ""), "c": (Cause.SLOT, "")}
    assert (names(second), waiting(second)) == (["light"], {})
    assert waiting(scheduler.cycle(2.0)) == {"b": (Cause.LOCK, "db")}


def test_special_and_large_machines_are_kept_for_who_needs_them() -> None:
    """The machine with the fewest labels that are not requested is used, then the fullest."""
    machines = [
        RunMachine(name="gpu", slots=4, labels=("gpu",)),
        RunMachine(name="large", slots=4),
        RunMachine(name="small", slots=2),
    ]
    scheduler = new_scheduler(machines)
    for number in range(5):
        scheduler.add(task(f"s{number}", order=number), 0.0)

    assert [placement.machine for placement in scheduler.cycle(0).placed] == [
        "small",
        "small",
        "large",
        "large",
        "large",
    ]


def test_a_failed_try_waits_out_its_backoff_alone() -> None:
    """The delay grows from time to time and delays no other stage; when it has passed, the stage is placed."""
    failed = task("flaky", order=0, remaining=9)
    scheduler = new_scheduler([RunMachine(name="m", slots=2)])
    scheduler.add(failed, 0.0)
    scheduler.cycle(0.0)
    due: list[float] = []
    for failures in range(1, 7):
        now = (due or [0.0])[-1]
        scheduler.release(failed.id, now)
        scheduler.retry(failed, failures, now)
        assert waiting(scheduler.cycle(now)) == {"flaky": (Cause.BACKOFF, "")}
        time = scheduler.next_time()
        assert time is not None
        assert names(scheduler.cycle(time - 0.001)) == []
        assert names(scheduler.cycle(time)) == ["flaky"]
        due.append(time)

    assert [later - earlier for earlier, later in zip([0.0, *due], due, strict=False)] == [1, 2, 4, 8, 10, 10]
    assert scheduler.next_time() is None


def test_a_stage_without_slots_runs_where_no_slot_is_free() -> None:
    """It takes no resources that others need; it waits only for locks and labels."""
    scheduler = with_tasks(task("busy", order=0), task("light", order=1, demand=Demand(slots=0)))
    scheduler.add(task("gate", order=2, demand=Demand(slots=0, locks=("gate",))), 0.0)
    scheduler.add(task("second", order=3, demand=Demand(slots=0, locks=("gate",))), 0.0)

    assert names(scheduler.cycle(0)) == ["busy", "light", "gate"]
    scheduler.release(TaskId("p", "gate"), 1.0)
    assert names(scheduler.cycle(1.0)) == ["second"]


def test_room_is_kept_for_who_was_overtaken_for_long() -> None:
    """After as many stages as fill all slots twice, free slots are reserved until there are enough."""
    scheduler = with_tasks(task("long", order=0, remaining=9), slots=2)
    scheduler.cycle(0)
    scheduler.add(task("wide", order=1, remaining=8, demand=Demand(slots=2)), 0.0)
    for number in range(6):
        scheduler.add(task(f"s{number}", order=10 + number), 0.0)
    placed, now = [], 0.0
    while cycle := names(scheduler.cycle(now)):
        (small,) = cycle
        placed.append(small)
        now += 1
        scheduler.release(TaskId("p", small), now)

    assert placed == ["s0", "s1", "s2", "s3"]
    scheduler.release(TaskId("p", "long"), now)
    assert names(scheduler.cycle(now)) == ["wide"]
    scheduler.release(TaskId("p", "wide"), now)
    assert names(scheduler.cycle(now)) == ["s4", "s5"]


def test_who_has_the_shortest_path_is_not_overtaken_for_ever() -> None:
    """Slots are reserved for a wide stage even if all others have longer paths."""
    scheduler = with_tasks(task("long", order=0, remaining=9), slots=2)
    scheduler.add(task("wide", order=1, remaining=1, demand=Demand(slots=2)), 0.0)
    scheduler.cycle(0)
    for number in range(8):
        scheduler.add(task(f"s{number}", order=10 + number, remaining=5), 0.0)
    placed = []
    while cycle := names(scheduler.cycle(0)):
        placed += cycle
        scheduler.release(TaskId("p", cycle[0]), 0.0)

    assert placed == ["s0", "s1", "s2", "s3"]


def test_a_machine_keeps_room_for_one_at_a_time() -> None:
    """Two wide stages do not wait for each other's reservation; the second comes after the first."""
    scheduler = with_tasks(*(task(f"long{number}", order=number, remaining=9) for number in range(3)), slots=4)
    scheduler.cycle(0)
    for name, order in (("wide", 5), ("other", 6)):
        scheduler.add(task(name, order=order, remaining=8, demand=Demand(slots=2, memory=order)), 0.0)
    for number in range(40):
        scheduler.add(task(f"s{number}", order=10 + number), 0.0)
    small = 0
    while cycle := names(scheduler.cycle(0)):
        small += len(cycle)
        scheduler.release(TaskId("p", cycle[0]), 0.0)

    assert small == 8
    scheduler.release(TaskId("p", "long0"), 0.0)
    assert names(scheduler.cycle(0)) == ["wide"]
    scheduler.release(TaskId("p", "wide"), 0.0)
    assert names(scheduler.cycle(0)) == ["other"]


def test_what_was_kept_is_given_back_when_nobody_wants_it() -> None:
    """Stages that wait for the slots are placed at once."""
    scheduler = with_tasks(task("long", order=0, remaining=9), slots=2)
    scheduler.cycle(0)
    scheduler.add(task("wide", order=1, remaining=8, demand=Demand(slots=2)), 0.0)
    for number in range(6):
        scheduler.add(task(f"s{number}", order=10 + number), 0.0)
    for number in range(4):
        assert names(scheduler.cycle(0)) == [f"s{number}"]
        scheduler.release(TaskId("p", f"s{number}"), 0.0)
    assert names(scheduler.cycle(0)) == []
    scheduler.drop(TaskId("p", "wide"))

    assert names(scheduler.cycle(0)) == ["s4"]


def test_what_was_kept_is_given_back_when_there_is_room_elsewhere() -> None:
    """Stages that wait for the slots are placed in the same cycle."""
    scheduler = new_scheduler([RunMachine(name="one", slots=2, labels=("one",)), RunMachine(name="two", slots=2)])
    here = Demand(labels=("one",))
    scheduler.add(task("block", order=0, remaining=9, demand=Demand(slots=2)), 0.0)
    scheduler.cycle(0)
    scheduler.add(task("long", order=1, remaining=9, demand=here), 0.0)
    scheduler.add(task("wide", order=2, remaining=8, demand=Demand(slots=2)), 0.0)
    for number in range(9):
        scheduler.add(task(f"s{number}", order=10 + number, demand=here), 0.0)
    assert names(scheduler.cycle(0)) == ["long", "s0"]
    for number in range(1, 8):
        scheduler.release(TaskId("p", f"s{number - 1}"), 0.0)
        assert names(scheduler.cycle(0)) == [f"s{number}"]
    scheduler.release(TaskId("p", "s7"), 0.0)
    assert names(scheduler.cycle(0)) == []
    scheduler.release(TaskId("p", "block"), 0.0)

    assert [(placement.task.id.stage, placement.machine) for placement in scheduler.cycle(0).placed] == [
        ("wide", "two"),
        ("s8", "one"),
    ]


def test_machines_without_bounds_take_all() -> None:
    """A missing limit allows any number of tasks."""
    scheduler = new_scheduler([RunMachine(name="m", slots=None)])
    for number in range(100):
        scheduler.add(task(f"s{number}", order=number, demand=Demand(cpu=8000, memory=2**40)), 0.0)

    assert len(scheduler.cycle(0).placed) == 100


def side_by_side(slots: int, tasks: dict[str, int], seconds: Callable[[Task], float]) -> Simulation:
    """Run pipelines in parallel, each with a number of independent stages."""
    all_tasks = [
        task(f"s{number}", pipeline=pipeline, order=1000 * index + number, remaining=index)
        for index, (pipeline, count) in enumerate(tasks.items())
        for number in range(count)
    ]
    return Simulation(new_scheduler([RunMachine(name="m", slots=slots)]), all_tasks, {}, seconds).run()


def busy_until(run: Simulation, end: float) -> Counter[str]:
    """Return the slot seconds of each pipeline until *end*."""
    busy: Counter[str] = Counter()
    for time, placement in run.placed:
        id_ = placement.task.id
        busy[id_.pipeline] += int(max(0.0, min(end, run.ended[id_]) - time))
    return busy


@pytest.mark.parametrize("slots", [1, 2, 3, 5, 8])
def test_pipelines_side_by_side_share_alike(slots: int) -> None:
    """While both have stages to run, their difference is at most one slot; no slot is idle."""
    run = side_by_side(slots, {"one": 120, "two": 120}, lambda run_task: run_task.order % 3 + 1.0)
    busy = busy_until(run, run.makespan / 2)
    work = sum(number % 3 + 1 for number in range(120)) * 2

    assert abs(busy["one"] - busy["two"]) <= 0.05 * sum(busy.values()) + 3
    assert run.makespan <= work / slots + 3


def test_who_has_longer_stages_gets_no_more_slots() -> None:
    """Shares depend on the resources in use at a time, not on the number of stages."""
    run = side_by_side(4, {"long": 40, "short": 400}, lambda run_task: 10.0 if run_task.id.pipeline == "long" else 1.0)
    busy = busy_until(run, 100)

    assert busy == {"long": 200, "short": 200}


def test_what_can_run_out_is_what_is_shared() -> None:
    """If slots have no limit, memory decides: a pipeline whose stages take more memory runs fewer of them."""
    scheduler = new_scheduler([RunMachine(name="m", slots=None, memory=12)])
    for number in range(12):
        for pipeline, memory in (("large", 3), ("small", 1)):
            added = task(f"s{number}", pipeline=pipeline, order=number, demand=Demand(memory=memory))
            scheduler.add(added, 0.0)
    placed = Counter(placement.task.id.pipeline for placement in scheduler.cycle(0).placed)

    assert placed == {"large": 2, "small": 6}


def test_no_slot_is_kept_for_a_pipeline_that_has_nothing_to_run() -> None:
    """The other pipeline takes all of them."""
    run = side_by_side(4, {"one": 2, "two": 40}, lambda _: 1.0)

    assert sum(time == 0 for time, _ in run.placed) == 4
    assert {placement.task.id.pipeline for time, placement in run.placed if time == 0} == {"one", "two"}


@pytest.mark.slow
@pytest.mark.parametrize("is_wrong", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize("slots", [2, 4, 8])
def test_longest_path_first_is_near_the_bound(slots: int, *, is_wrong: bool) -> None:
    """The makespan is on average at most 3 percent above it, also with durations that are wrong by a factor of two."""
    chance = dice(5)
    ratios = []
    for _ in range(40):
        graph = random_graph(chance, chance.randint(12, 80))
        wrong = {stage: time * chance.choice((0.5, 2.0)) for stage, time in graph.durations.items()}
        run = run_graph(new_scheduler([RunMachine(name="m", slots=slots)]), graph, believed=wrong if is_wrong else None)
        ratios.append(run.makespan / graph.bound(slots))

    assert min(ratios) >= 1 - 1e-9
    assert sum(ratios) / len(ratios) <= 1.03


def test_no_stage_starts_before_those_before_it_ended() -> None:
    """All stages start."""
    graph = random_graph(dice(3), 60)
    run = run_graph(new_scheduler([RunMachine(name="m", slots=3)]), graph)
    started = {placement.task.id.stage: time for time, placement in run.placed}

    assert started.keys() == graph.durations.keys()
    for stage, earlier in graph.before.items():
        assert all(run.ended[TaskId("p", predecessor)] <= started[stage] for predecessor in earlier)


def test_a_chain_costs_no_wait() -> None:
    """Each stage starts at the time when its predecessor ends."""
    chain = {f"s{number}": ((f"s{number - 1}",) if number else ()) for number in range(50)}
    graph = Graph(dict.fromkeys(chain, 2.0), chain)

    assert run_graph(new_scheduler([RunMachine(name="m", slots=2)]), graph).makespan == 100
