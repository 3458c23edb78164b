"""Tasks are stopped for others as in Volcano, and statements record, undo and merge actions as its statements do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cases.excluded_cases import VOLCANO, skip_excluded
from cases.volcano import Case, World, check_cycle, shown
from run.scheduling_state import first_node, first_queue, first_task

from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.machine_state import MachineState
from pipegen.run.scheduling.statement import ActionKind, Statement
from pipegen.run.scheduling.votes import Victims, victims

CASES = "volcano_evict.json"

KINDS = {"allocate": ActionKind.PLACE, "pipeline": ActionKind.PROMISE, "evict": ActionKind.EVICT}


def check_statement(case: Case) -> None:
    """Run the operations, and check the recorded actions and the state of the task."""
    world = World({**case, "actions": []})
    statement = Statement(world.session.machines)
    (queued_task,) = world.queued_tasks.values()
    is_error = False
    for name, *arguments in case["operations"]:
        match name:
            case "allocate":
                is_error = not statement.place(queued_task, arguments[1])
            case "pipeline":
                is_error = not statement.promise(queued_task, arguments[1])
            case "run":
                assert statement.place(queued_task, arguments[1])
                statement.commit()
            case "evict":
                statement.evict(queued_task)
            case "expect":
                expected: dict[str, Any] = arguments[0]["task"]
                assert shown(queued_task)["status"] == expected["status"]
            case _:
                assert name == "discard"
                statement.discard()
    expectation = case["expect"]

    assert is_error is expectation.get("error", False)
    assert shown(queued_task) == {"node": queued_task.node, **expectation["task"]}
    if "recorded" in expectation:
        assert [kind for kind, _ in statement.operations] == [KINDS[name] for name in expectation["recorded"]]
    if case["operations"][-1] == ["discard"]:
        (host,) = world.session.machines.nodes.values()
        assert queued_task.node or host.room == host.limits


def statement_of(operations: list[list[str]], machines: MachineState) -> Statement:
    """Return a statement with *operations*."""
    statement = Statement(machines)
    for name, task in operations:
        queued_task = first_task(task, Gang(name="g", job_queue=first_queue("l")), {})
        if KINDS[name] is ActionKind.PROMISE:
            assert statement.promise(queued_task, "n1")
            continue
        if KINDS[name] is ActionKind.EVICT:
            running = Statement(machines)
            assert running.place(queued_task, "n1")
            running.commit()
            statement.evict(queued_task)
        else:
            assert statement.place(queued_task, "n1")
    return statement


def recorded(operations: list[list[str]]) -> list[tuple[ActionKind, str]]:
    """Return *operations* in the form of statements."""
    return [(KINDS[name], task) for name, task in operations]


def check_merge(case: Case) -> None:
    """Merge statements, and check the content of each."""
    machines = MachineState([first_node("n1", {})])
    target = statement_of(case["target"], machines)
    sources = [statement_of(operations, machines) for operations in case["sources"]]
    target.merge(*sources)
    expectation = case["expect"]

    assert [(kind, queued_task.name) for kind, queued_task in target.operations] == recorded(expectation["target"])
    assert [source.operations for source in sources] == expectation["sources_left"]


def test_case(case: Case) -> None:
    """Documented exclusions are skipped."""
    skip_excluded(case["id"], VOLCANO)
    checks: dict[str, Callable[[Case], None]] = {
        "statement": check_statement,
        "statement_merge": check_merge,
        "cycle": check_cycle,
        "tier_victims": check_victims,
    }
    checks[case["kind"]](case)


def check_victims(case: Case) -> None:
    """Let plugins select victims, and check the common selection."""
    tasks = {name: first_task(name, Gang(name="g", job_queue=first_queue("l")), {}) for name in case["candidates"]}

    def vote(names: list[str] | None) -> Victims:
        return lambda _, candidates: (
            None if names is None else [candidate for candidate in candidates if candidate.name in names]
        )

    tiers = [[vote(plugin["names"]) for plugin in tier] for tier in case["tiers"]]
    candidates = list(tasks.values())
    queued_tasks = victims(tiers, candidates[0], candidates)

    assert (None if queued_tasks is None else [queued_task.name for queued_task in queued_tasks]) == case["expect"][
        "victims"
    ]
