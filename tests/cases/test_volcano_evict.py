"""Statements apply, discard and merge operations as Volcano's do; eviction is a documented exclusion."""

from __future__ import annotations

from cases.excluded_cases import is_left_out
from cases.volcano import LEFT_OUT, Case, World, shown

from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.machine_state import MachineState
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.statement import ActionKind, Statement

CASES = "volcano_evict.json"

# Merging does not look at what was done: an eviction may stand for any operation.
KINDS = {"allocate": ActionKind.PLACE, "pipeline": ActionKind.PROMISE, "evict": ActionKind.PLACE}


def check_statement(case: Case) -> None:
    """Run the operations, and check the record and the position of the task."""
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
            case _:
                assert name == "discard"
                statement.discard()
    expected = case["expect"]

    assert is_error is expected.get("error", False)
    assert shown(queued_task) == {"node": queued_task.node, **expected["task"]}
    if "recorded" in expected:
        assert [kind for kind, _ in statement.operations] == [KINDS[name] for name in expected["recorded"]]
    if case["operations"][-1] == ["discard"]:
        (host,) = world.session.machines.nodes.values()
        assert host.room == host.limits


def statement_of(operations: list[list[str]], places: MachineState) -> Statement:
    """Return a statement with *operations*."""
    statement = Statement(places)
    for name, task in operations:
        queued_task = QueuedTask(name=task, gang=Gang(name="g", job_queue=JobQueue(name="l")), requests={})
        done = statement.promise if KINDS[name] is ActionKind.PROMISE else statement.place
        assert done(queued_task, "n1")
    return statement


def operations_of(operations: list[list[str]]) -> list[tuple[ActionKind, str]]:
    """Return *operations* in the form of a statement."""
    return [(KINDS[name], task) for name, task in operations]


def check_merge(case: Case) -> None:
    """Merge statements, and check the operations of each."""
    places = MachineState([SchedulerNode("n1", {})])
    target = statement_of(case["target"], places)
    sources = [statement_of(operations, places) for operations in case["sources"]]
    target.merge(*sources)
    expected = case["expect"]

    assert [(kind, queued_task.name) for kind, queued_task in target.operations] == operations_of(expected["target"])
    assert [source.operations for source in sources] == expected["sources_left"]


def test_case_has_the_results_of_volcano(case: Case) -> None:
    """Documented exclusions are skipped."""
    if is_left_out(case["id"], LEFT_OUT):
        return  # docs/simulate.md says why
    {"statement": check_statement, "statement_merge": check_merge}[case["kind"]](case)
