"""Volcano's objects as job queues, gangs and queued tasks, shared by the tests of its cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from run.scheduling_state import first_queue

from pipegen.run.scheduling.actions.allocate import allocate
from pipegen.run.scheduling.actions.backfill import backfill
from pipegen.run.scheduling.actions.enqueue import enqueue
from pipegen.run.scheduling.actions.evicting import preempt, reclaim
from pipegen.run.scheduling.amounts import CPU, MEMORY, SLOTS, Amounts, add_to
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask, TaskState, count_placed
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.policies.capacity import capacity
from pipegen.run.scheduling.policies.drf import drf
from pipegen.run.scheduling.policies.gang import gang, is_ready
from pipegen.run.scheduling.policies.machines import fit, pack
from pipegen.run.scheduling.policies.orders import priority
from pipegen.run.scheduling.policies.proportion import proportion
from pipegen.run.scheduling.queue.queue import QueueSettings
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement
from pipegen.run.scheduling.votes import Vote, Votes, only
from pipegen.structs import replace

Case = dict[str, Any]
Policy = Callable[[Session], Votes]

FILES = ("volcano_allocate.json", "volcano_evict.json", "volcano_other.json")

# Whether the phase of a group means that it is admitted.
ADMITTED = {"Inqueue": True, "Running": True, "Pending": False}
ACTIONS = {
    "enqueue": enqueue,
    "allocate": allocate,
    "backfill": backfill,
    "preempt": preempt,
    "reclaim": reclaim,
}
POINTS = {
    "queue_order": ("job_queue_key", "victim_queue_key"),
    "job_order": ("gang_key",),
    "task_order": ("queued_task_key",),
    "node_order": ("node_key",),
    "predicate": ("is_placeable",),
    "allocatable": ("may_take",),
    "overused": ("is_overused",),
    "job_enqueued": ("may_enter",),
    "job_ready": ("is_ready",),
    "job_pipelined": ("is_promised",),
    "job_valid": ("is_valid",),
    "job_starving": ("is_starving",),
    "preemptive": ("is_preemptive",),
    "preemptable": ("preemptable",),
    "reclaimable": ("reclaimable",),
}


def rejecter(_session: Session) -> Votes:
    """Return the votes of the plugin that a case defines."""
    return Votes(may_enter=lambda gang: Vote.REJECT if gang.name == "ns1/pgA" else Vote.PERMIT)


def silent(_session: Session) -> Votes:
    """Return the votes of a plugin that has no effect in the cases that are not excluded."""
    return Votes()


def gang_of_pods(session: Session) -> Votes:
    """Return the votes of `gang` with two of Volcano's: the tasks of a group start and stop one by one."""
    return replace(
        gang(session),
        gang_key=lambda gang: 1.0 if is_ready(gang) else 0.0,
        preemptable=spare_pods,
        reclaimable=spare_pods,
    )


def spare_pods(_queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
    """Return the candidates that their gangs can lose and still have their minimum."""
    spare: dict[Gang, int] = {}
    pods = []
    for candidate in candidates:
        gang = candidate.gang
        count = spare.setdefault(gang, gang.placed - gang.least)
        if count > 0:
            spare[gang] = count - 1
            pods.append(candidate)
    return pods


PLUGINS: Mapping[str, Policy] = {
    "gang": gang_of_pods,
    "drf": drf,
    "proportion": proportion,
    "priority": priority,
    "capacity": capacity,
    # It protects the pods of Kubernetes' own services.
    "conformance": silent,
    "predicates": fit,
    "nodeorder": pack,
    "test-rejecter": rejecter,
    "sla": silent,
}


def tiers(case: Case) -> list[list[Policy]]:
    """Return the plugins of *case*, with votes only where it enables them."""
    return [
        [
            partial(
                only, PLUGINS[data["plugin"]], tuple(name for key in data["enabled"] for name in POINTS.get(key, ()))
            )
            for data in tier
        ]
        for tier in case.get("tiers", ())
    ]


class World:
    """A session over the objects of a case."""

    def __init__(self, case: Case) -> None:
        nodes = [
            SchedulerNode(data["name"], amounts(data["allocatable"]), labels(data.get("labels", {})), index)
            for index, data in enumerate(case["nodes"])
        ]
        self.case = case
        self.session = Session(nodes, tiers(case), settings=QueueSettings(), patience=1000)
        # The root of a tree has no limits, and is the parent of all queues here.
        queues = [data for data in case["queues"] if data["name"] != "root" or "capability" in data]
        self.job_queues = {data["name"]: job_queue(data, index) for index, data in enumerate(queues)}
        for data in queues:
            self.job_queues[data["name"]].parent = self.job_queues.get(data.get("parent", ""))
        for data in self.job_queues.values():
            self.session.open_job_queue(data)
        self.gangs = {data["name"]: self.gang(data) for data in case["pod_groups"]}
        self.queued_tasks = {
            data["name"]: self.queued_task(data, index)
            for index, data in enumerate(sorted(case["pods"], key=lambda pod: (pod["group"], pod["name"])))
        }
        for data in case["pod_groups"]:
            self.enter(self.gangs[data["name"]], data["phase"])

    def gang(self, group: Case) -> Gang:
        """Return *group* without its pods."""
        name = group["queue"]
        classes = {priority_class["name"]: priority_class for priority_class in self.case.get("priority_classes", ())}
        return Gang(
            name=group["name"],
            job_queue=self.job_queues.get(name) or first_queue(name),
            least=group["min_member"],
            priority=classes.get(group.get("priority_class"), {}).get("value", 0),
            minimum=amounts(group["min_resources"]) if "min_resources" in group else None,
        )

    def queued_task(self, pod: Case, order: int) -> QueuedTask:
        """Return *pod* as a task of its group, on its node if it runs."""
        group = self.gangs[pod["group"]]
        task = QueuedTask(
            name=pod["name"],
            gang=group,
            requests={**amounts(pod["request"]), SLOTS: 1},
            labels=labels(pod.get("node_selector", {})),
            priority=pod.get("priority", 0),
            order=order,
            # Backfill places them; they may stop others for a pod slot, which stages without requests do not need.
            is_light=not pod["request"] and not {"preempt", "reclaim"} & {*self.case["actions"]},
            is_preemptable=pod.get("preemptable", True),
            may_preempt=pod.get("preemption_policy") != "Never",
        )
        group.size += 1
        add_to(group.job_queue.requested, task.requests)
        if pod["phase"] == "Running" and "node" in pod:
            statement = Statement(self.session.machines)
            assert statement.place(task, pod["node"])
            statement.commit()
        elif pod["phase"] == "Running":
            task.state = TaskState.RUNNING
            count_placed(task, is_promise=False)
        else:
            self.session.wait(task)
        return task

    def enter(self, gang: Gang, phase: str) -> None:
        """Add *gang* to the session, unless it must be admitted first; a queue with others below it takes no load."""
        if any(job_queue.parent is gang.job_queue for job_queue in self.job_queues.values()):
            return
        if phase == "Pending" and "enqueue" in self.case["actions"]:
            self.session.entering.append(gang)
            return
        if gang.job_queue.name in self.session.job_queues:
            self.session.admit(gang)

    def run(self) -> None:
        """Run the actions of the case."""
        for name in self.case["actions"]:
            ACTIONS[name](self.session)

    def pipelined(self) -> dict[str, list[str]]:
        """Return the machines with room that is promised to the tasks of each group."""
        values: dict[str, list[str]] = {}
        for task in self.queued_tasks.values():
            if task.state is TaskState.PROMISED:
                values.setdefault(task.gang.name, []).append(task.node)
        return values

    def evicted(self) -> list[str]:
        """Return the tasks that were stopped."""
        return sorted(queued_task.name for queued_task in self.session.evicted)

    def bound(self) -> dict[str, str]:
        """Return the started tasks, each with its machine."""
        return {queued_task.name: queued_task.node for queued_task in self.session.started}


def job_queue(queue: Case, order: int) -> JobQueue:
    """Return *queue* as a job queue."""
    return JobQueue(
        name=queue["name"],
        order=order,
        weight=queue["weight"],
        priority=queue.get("priority", 0),
        capability=capability(queue),
        guarantee=amounts(queue.get("guarantee", {})),
        deserved=amounts(queue.get("deserved", {})),
    )


def capability(queue: Case) -> Amounts | None:
    """Return the maximum of *queue*; that of a closed queue is 0, as in the file of a fleet."""
    if queue.get("state") == "Closed":
        return dict.fromkeys((SLOTS, CPU, MEMORY), 0.0)
    return amounts(queue["capability"]) if "capability" in queue else None


def amounts(resources: Mapping[str, float]) -> dict[str, float]:
    """Return *resources* with slots for pods, without amounts of zero."""
    return {SLOTS if name == "pods" else name: float(amount) for name, amount in resources.items() if amount}


def labels(values: Mapping[str, str]) -> tuple[str, ...]:
    """Return labels with values as our labels."""
    return tuple(f"{name}={value}" for name, value in values.items())


def shown(task: QueuedTask) -> dict[str, str]:
    """Return the node and the status of *task*, in Volcano's words."""
    words = {
        TaskState.WAITING: "Pending",
        TaskState.PROMISED: "Pipelined",
        TaskState.PLACED: "Allocated",
        TaskState.RELEASING: "Releasing",
        TaskState.RUNNING: "Running",
    }
    return {"node": task.node, "status": words[task.state]}


def check_cycle(case: Case) -> None:
    """Run the actions of *case*, and check which tasks started, which were stopped, and which have promised room."""
    world = World(case)
    expectation = case["expect"]

    world.run()

    bound = world.bound()
    assert {name: bound.get(name) for name in expectation.get("bound", {})} == expectation.get("bound", {})
    assert len(bound) == expectation["bound_count"]
    assert world.evicted() == sorted(expectation["evicted"])
    assert {name: world.pipelined().get(name) for name in expectation.get("pipelined", {})} == expectation.get(
        "pipelined", {}
    )
    phases = expectation.get("pod_group_phase", {})
    assert {name: world.gangs[name].is_admitted for name in phases} == {
        name: ADMITTED[phase] for name, phase in phases.items()
    }
