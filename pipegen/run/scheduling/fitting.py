"""Whether somebody has room on a machine, and what it is that is lacking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.run.events import Cause
from pipegen.run.model import RunMachine, Task
from pipegen.run.scheduling.amounts import CPU, MEMORY, asks, fits
from pipegen.run.scheduling.hosts import SchedulerNode, host
from pipegen.run.scheduling.job_queues import QueuedTask
from pipegen.run.scheduling.places import MachineState
from pipegen.run.scheduling.votes import Ballot

# What is named as lacking where several things are, the last.
_CAUSES = {MEMORY: Cause.MEMORY, CPU: Cause.CPU}


def is_room(queued_task: QueuedTask, host: SchedulerNode) -> bool:
    """Return whether *host* has what *queued_task* asks for."""
    return fits(queued_task.asks, host.room)


def could_fit(queued_task: QueuedTask, host: SchedulerNode) -> bool:
    """Return whether *host* has what *queued_task* asks for once all that runs there has ended."""
    return fits(queued_task.asks, host.limits)


def is_kept(queued_task: QueuedTask, host: SchedulerNode) -> bool:
    """Return whether *host*, which keeps room for *queued_task*, has it by now."""
    return queued_task.host == host.name and fits(queued_task.asks, host.idle)


def why(queued_task: QueuedTask, places: MachineState, ballot: Ballot) -> tuple[Cause, str]:
    """Return what *queued_task*, for whom there is no room, waits for, and its name where it has one.

    A label, where a machine without it has room. Else what the machines that will do lack: slots, if all lack them.
    """
    able = [host for host in places.hosts.values() if ballot.is_placeable(queued_task, host)]
    others = (host for host in places.hosts.values() if host not in able)
    if queued_task.labels and (not able or any(is_room(queued_task, host) for host in others)):
        return (Cause.LABEL, _rarest(queued_task.labels, places))
    lacks = [_lacking(queued_task, host) for host in able]
    return (next((cause for cause in lacks if cause is not Cause.SLOT), Cause.SLOT), "")


def _lacking(queued_task: QueuedTask, host: SchedulerNode) -> Cause:
    lacking = [name for name, asked in queued_task.asks.items() if asked > host.room.get(name, 0)]
    if set(lacking) <= _CAUSES.keys() and lacking:
        return _CAUSES[lacking[-1]]
    return Cause.SLOT


def _rarest(labels: tuple[str, ...], places: MachineState) -> str:
    """Return the label that the fewest machines have."""
    return min(labels, key=lambda label: sum(label in host.labels for host in places.hosts.values()))


def check(tasks: Iterable[Task], machines: Sequence[RunMachine], report: Report) -> None:
    """Report each of *tasks* that none of *machines* will ever do for."""
    hosts = [host(machine, place) for place, machine in enumerate(machines)]
    for task in tasks:
        labels = task.demand.labels
        able = [one for one in hosts if one.labels.issuperset(labels)]
        if not able:
            report.add(
                codes.NO_MACHINE_FITS,
                f'stage "{task.id.stage}" needs a machine with {_named(labels)}, and there is none',
                at=task.job.machine.labels_span or task.job.span,
                hint=f"give a machine of the cluster {_named(labels)}",
            )
        elif not any(fits(asks(task.demand), one.limits) for one in able):
            resources = task.job.machine.resources
            report.add(
                codes.NO_MACHINE_FITS,
                f'stage "{task.id.stage}" asks for more {_lacked(task, able)} than any machine has that it may run on',
                at=resources.span if resources else task.job.span,
                hint="let it ask for less, or make a machine of the cluster larger",
            )


def _lacked(task: Task, hosts: Sequence[SchedulerNode]) -> str:
    """Return the words for what none of *hosts* has enough of; for all, where each has enough of something."""
    asked = asks(task.demand)
    lacked = [name for name, amount in asked.items() if not any(fits({name: amount}, one.limits) for one in hosts)]
    return " and ".join(lacked) or f"{' and '.join(asked)} together"


def _named(labels: Sequence[str]) -> str:
    return f"the {'label' if len(labels) == 1 else 'labels'} {' and '.join(labels)}"
