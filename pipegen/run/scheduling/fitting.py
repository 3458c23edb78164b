"""Whether a task fits on a machine, and which resource is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.run.events import Cause
from pipegen.run.model import RunMachine, Task
from pipegen.run.scheduling.amounts import CPU, MEMORY, fits, is_bounded, requests, subtract
from pipegen.run.scheduling.job_queues import QueuedTask, TaskState
from pipegen.run.scheduling.machine_state import MachineState
from pipegen.run.scheduling.nodes import SchedulerNode, node
from pipegen.run.scheduling.votes import Ballot

# Of several missing resources, the last is reported.
_CAUSES = {MEMORY: Cause.MEMORY, CPU: Cause.CPU}


def is_room(queued_task: QueuedTask, node: SchedulerNode) -> bool:
    """Return whether *node* has room for *queued_task* now."""
    return fits(queued_task.requests, node.room)


def could_fit(queued_task: QueuedTask, node: SchedulerNode) -> bool:
    """Return whether *node* will have room for *queued_task* when all tasks that run there have ended.

    Tasks that are placed and wait for others of their gang stay: two gangs might wait for each other's room.
    """
    room = dict(node.limits)
    for other in node.tasks:
        if other.state is TaskState.PLACED:
            subtract(room, other.requests)
    return fits(queued_task.requests, room)


def is_kept(queued_task: QueuedTask, node: SchedulerNode) -> bool:
    """Return whether *node* reserves room for *queued_task* and has it now."""
    return queued_task.node == node.name and fits(queued_task.requests, node.idle)


def lack(queued_task: QueuedTask, node: SchedulerNode) -> float:
    """Return the largest fraction of its limits that *node* lacks for *queued_task*."""
    bounded = [name for name in queued_task.requests if is_bounded(node.limits[name])]
    return max(
        (max(0.0, queued_task.requests[name] - node.idle[name]) / node.limits[name] for name in bounded), default=0.0
    )


def wait_cause(queued_task: QueuedTask, machines: MachineState, ballot: Ballot) -> tuple[Cause, str]:
    """Return the cause why *queued_task*, which found no room, waits, and the name of a label or "".

    The cause is a label if a machine without it has room; otherwise a resource that suitable machines lack: slots if
    all of them lack slots.
    """
    candidates = [node for node in machines.nodes.values() if ballot.is_placeable(queued_task, node)]
    others = (node for node in machines.nodes.values() if node not in candidates)
    if queued_task.labels and (not candidates or any(is_room(queued_task, node) for node in others)):
        return (Cause.LABEL, _rarest(queued_task.labels, machines))
    causes = [_lacking(queued_task, node) for node in candidates]
    return (next((cause for cause in causes if cause is not Cause.SLOT), Cause.SLOT), "")


def _lacking(queued_task: QueuedTask, node: SchedulerNode) -> Cause:
    lacking = [name for name, requested in queued_task.requests.items() if requested > node.room.get(name, 0)]
    if set(lacking) <= _CAUSES.keys() and lacking:
        return _CAUSES[lacking[-1]]
    return Cause.SLOT


def _rarest(labels: tuple[str, ...], machines: MachineState) -> str:
    """Return the label that the fewest machines have."""
    return min(labels, key=lambda label: sum(label in node.labels for node in machines.nodes.values()))


def check(tasks: Iterable[Task], machines: Sequence[RunMachine], report: Report) -> None:
    """Report each of *tasks* that fits on none of *machines*."""
    nodes = [node(machine, index) for index, machine in enumerate(machines)]
    for task in tasks:
        labels = task.demand.labels
        candidates = [candidate for candidate in nodes if candidate.labels.issuperset(labels)]
        if not candidates:
            report.add(
                codes.NO_MACHINE_FITS,
                f'stage "{task.id.stage}" needs a machine with {_label_words(labels)}, but there is none',
                at=task.job.machine.labels_span or task.job.span,
                hint=f"add {_label_words(labels)} to a machine of the cluster",
            )
        elif not any(fits(requests(task.demand), candidate.limits) for candidate in candidates):
            resources = task.job.machine.resources
            report.add(
                codes.NO_MACHINE_FITS,
                f'stage "{task.id.stage}" requests more {_lacked(task, candidates)} than any suitable machine has',
                at=resources.span if resources else task.job.span,
                hint="request less, or use a larger machine in the cluster",
            )


def _lacked(task: Task, nodes: Sequence[SchedulerNode]) -> str:
    """Return the resources of which no node has enough; all resources if each is enough on some node."""
    requested = requests(task.demand)
    names = [
        name
        for name, amount in requested.items()
        if not any(fits({name: amount}, candidate.limits) for candidate in nodes)
    ]
    return " and ".join(names) or f"{' and '.join(requested)} together"


def _label_words(labels: Sequence[str]) -> str:
    return f"the {'label' if len(labels) == 1 else 'labels'} {' and '.join(labels)}"
