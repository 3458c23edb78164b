"""Statements take, undo and merge as Volcano's do; who throws out whom is left out, as the documents list."""

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
    """Do the operations, and expect what is recorded and where the task is."""
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
    told = case["expect"]

    assert is_error is told.get("error", False)
    assert shown(queued_task) == {"node": queued_task.node, **told["task"]}
    if "recorded" in told:
        assert [kind for kind, _ in statement.operations] == [KINDS[name] for name in told["recorded"]]
    if case["operations"][-1] == ["discard"]:
        (host,) = world.session.machines.nodes.values()
        assert host.room == host.limits


def statement_of(operations: list[list[str]], places: MachineState) -> Statement:
    """Return a statement in which *operations* were done."""
    statement = Statement(places)
    for name, task in operations:
        queued_task = QueuedTask(name=task, gang=Gang(name="g", job_queue=JobQueue(name="l")), requests={})
        done = statement.promise if KINDS[name] is ActionKind.PROMISE else statement.place
        assert done(queued_task, "n1")
    return statement


def told_of(operations: list[list[str]]) -> list[tuple[ActionKind, str]]:
    """Return *operations* as statements tell theirs."""
    return [(KINDS[name], task) for name, task in operations]


def check_merge(case: Case) -> None:
    """Merge statements, and expect what each then holds."""
    places = MachineState([SchedulerNode("n1", {})])
    target = statement_of(case["target"], places)
    sources = [statement_of(operations, places) for operations in case["sources"]]
    target.merge(*sources)
    told = case["expect"]

    assert [(kind, queued_task.name) for kind, queued_task in target.operations] == told_of(told["target"])
    assert [source.operations for source in sources] == told["sources_left"]


def test_case(case: Case) -> None:
    """Each case that is not left out holds."""
    if is_left_out(case["id"], LEFT_OUT):
        return  # docs/simulate.md says why
    {"statement": check_statement, "statement_merge": check_merge}[case["kind"]](case)
