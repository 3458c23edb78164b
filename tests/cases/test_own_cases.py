"""Our own cases in the form of Volcano's: behaviour in its documentation and source that its cases do not test."""

from __future__ import annotations

from typing import Any

import pytest
from cases.volcano import check_cycle

CAPACITY = {
    "plugin": "capacity",
    "enabled": ["allocatable", "hierarchy", "job_enqueued", "preemptive", "queue_order", "reclaimable"],
}
STARVING = {"plugin": "gang", "enabled": ["job_starving", "job_pipelined"]}
RECLAIM = [[CAPACITY, STARVING]]
PREEMPT = [[STARVING, {"plugin": "drf", "enabled": ["job_order", "preemptable"]}]]


def queue(name: str, parent: str = "", **limits: dict[str, int]) -> dict[str, Any]:
    """Return a queue; amounts of cpu are numbers of processors."""
    return {"name": name, "weight": 1, "parent": parent, **{key: cpus(**value) for key, value in limits.items()}}


def cpus(cpu: int) -> dict[str, int]:
    """Return processors as Volcano's amounts."""
    return {"cpu": 1000 * cpu}


def case(
    queues: list[dict[str, Any]], pods: str, expect: dict[str, Any], actions: str = "reclaim", **more: Any
) -> dict[str, Any]:
    """Return a case: *pods* are words "queue/name:cpu", with "@" if they run on the node of 4 processors.

    Pods whose names are equal before a number are one group.
    """
    parsed = [(word.rstrip("@").partition("/"), word.endswith("@")) for word in pods.split()]
    groups = [f"g/{owner}-{name.partition(':')[0].rstrip('0123456789')}" for (owner, _, name), _ in parsed]
    owners = {group: owner for group, ((owner, _, _), _) in zip(groups, parsed, strict=True)}
    return {
        "actions": actions.split(),
        "tiers": more.get("tiers", RECLAIM),
        "queues": queues,
        "pod_groups": [
            {"name": group, "queue": owner, "min_member": 1, "phase": "Inqueue"} for group, owner in owners.items()
        ],
        "pods": [
            {
                "name": name.partition(":")[0],
                "phase": "Running" if runs else "Pending",
                "group": group,
                "request": cpus(int(name.partition(":")[2])),
                **({"node": "n"} if runs else {}),
            }
            for ((_, _, name), runs), group in zip(parsed, groups, strict=True)
        ],
        "nodes": [{"name": "n", "allocatable": {"cpu": 4000, "pods": 10}}],
        "expect": {"bound_count": 0, "evicted": [], **expect},
    }


@pytest.mark.parametrize(
    "example",
    [
        # A parent is at its limit: a task of its other queue is stopped, and no longer counts.
        case(
            [queue("all", capability={"cpu": 4}), queue("a", "all", deserved={"cpu": 2}), queue("b", "all")],
            "b/old:4@ a/new:2",
            {"evicted": ["old"], "pipelined": {"g/a-new": ["n"]}},
        ),
        # Later placements leave the promised room free.
        case(
            [queue("a", deserved={"cpu": 2}), queue("b")],
            "b/old:4@ a/new:2",
            {"evicted": ["old"], "pipelined": {"g/a-new": ["n"]}},
            "reclaim allocate",
        ),
        # The guaranteed resources of a queue stay with it, although its deserved share is zero.
        case([queue("a", deserved={"cpu": 2}), queue("b", guarantee={"cpu": 4})], "b/old:4@ a/new:2", {}),
        # A queue gets at most its limit, even if its deserved share is larger.
        case([queue("a", deserved={"cpu": 4}, capability={"cpu": 1}), queue("b")], "b/old:4@ a/new:2", {}),
        # Tasks of queues with the same parent are stopped first.
        case(
            [
                queue("x"),
                queue("y"),
                queue("a", "x", deserved={"cpu": 2}),
                queue("b", "x"),
                queue("c", "y"),
            ],
            "b/near:2@ c/far:2@ a/new:2",
            {"evicted": ["near"]},
        ),
        # A job that has less than the others after the change stops their task.
        case([queue("q")], "q/old1:2@ q/old2:2@ q/new:1", {"evicted": ["old2"]}, "preempt", tiers=PREEMPT),
        case([queue("q")], "q/old1:2@ q/old2:2@ q/new:3", {}, "preempt", tiers=PREEMPT),
    ],
)
def test_case(example: dict[str, Any]) -> None:
    """Each case holds."""
    check_cycle(example)
