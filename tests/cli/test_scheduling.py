"""The parts of the scheduler, each through the option or key of users."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli import test_fleet_plugins, test_simulate_fleet
from cli.program import Pipegen

from pipegen.run.scheduling.plugins import ACTIONS, PLUGINS

TREE = """\
machines: [{ name: m, slots: 9 }]
queues: [{ name: q, parent: all }, { name: all, capability: { slots: 1 } }]
scheduling: { tiers: [[capacity]] }
"""
# By part of the scheduler, in the words of the documents: a stage of a minute, the fleet, its load, and the expected
# number of attempts, longest wait and longest time to a result in seconds.
PARTS: dict[str, tuple[str, str, str, tuple[int, int, int]]] = {
    # While one stage is placed, the other one takes neither of the two machines that it needs.
    "a gang, placed together or undone": (
        "{ name: a, resources: { cpu: '2' }, services: [db:1] }",
        "machines: [{ name: m, count: 3, slots: 2, cpu: 2 }]",
        "services: { db: { cpu: 2 } }, arrivals: { times: [0, 10] }",
        (2, 50, 110),
    ),
    "a gate, which holds a stage back": (
        "{ name: a, approve: true }",
        "machines: [{ name: m }]",
        "approvals: { a: 1h }, arrivals: { times: [0, 10] }",
        (2, 50, 3600 + 50 + 60),
    ),
    "backoff of failed attempts": (
        "{ name: a, retry: 2 }",
        "machines: [{ name: m }]",
        "failures: { a: 1 }, arrivals: { times: [0] }",
        (3, 2, 60 + 1 + 60 + 2 + 60),
    ),
    "wake-up when a machine, its room or a lock is free": (
        "{ name: a, lock: db }",
        "machines: [{ name: m, count: 9 }]",
        "arrivals: { times: [0, 10, 20] }",
        (3, 100, 160),
    ),
    # Without it, the second and the third one would run beside the first one.
    "rejection of a gang on entry": (
        "{ name: a, services: [db:1] }",
        "machines: [{ name: m, slots: 9, cpu: 9 }]\nqueues: [{ name: q, capability: { cpu: 3 } }]",
        "services: { db: { cpu: 2 } }, arrivals: { times: [0, 10, 20] }",
        (3, 100, 160),
    ),
    "a tree of queues": (
        "{ name: a }",
        TREE,
        "arrivals: { times: [0, 10] }",
        (2, 50, 110),
    ),
}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_has_its_effect(part: str, empty: Path, pipegen: Pipegen) -> None:
    """The parts are reached with the keys in the documents."""
    stage, fleet, load, expected = PARTS[part]
    (empty / "pipegen.yaml").write_text(f"pipelines: {{ p: {{ stages: [{stage}] }} }}\n", encoding="utf-8")
    text = f"{fleet}\nload: [{{ config: pipegen.yaml, durations: {{ a: 60 }}, {load} }}]\n"
    (empty / "fleet.yaml").write_text(text, encoding="utf-8")
    (result,) = json.loads(pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json").out)["loads"]

    assert (result["waiting"]["count"], result["waiting"]["longest"], result["result"]["longest"]) == expected


def test_stages_that_may_not_stop_others(empty: Path, pipegen: Pipegen) -> None:
    """They lose the keys of their load and of their queue."""
    (empty / "pipegen.yaml").write_text(
        "pipelines: { p: { stages: [{ name: a, interruptible: true }] } }\n", encoding="utf-8"
    )
    load = "config: pipegen.yaml, durations: { a: 1h }"
    text = f"""\
machines: [{{ name: m, slots: 2 }}]
queues: [{{ name: q }}, {{ name: r }}]
load:
  - {{ name: low, queue: q, {load}, arrivals: {{ times: [0, 0] }} }}
  - {{ name: high, queue: QUEUE, priority: 1, {load}, arrivals: {{ times: [10m] }} }}
scheduling: {{ actions: [enqueue, allocate, preempt, reclaim], tiers: [[priority, gang], [fair-share]] }}
"""
    never = "priority: 1, may_preempt: false"
    for queue, old, new, expected in (
        ("q", "", "", 1),
        ("q", "priority: 1", never, 0),
        ("r", "", "", 1),
        ("r", "priority: 1", never, 0),
        ("r", "name: q }", "name: q, reclaimable: false }", 0),
        ("q", "name: q }", "name: q, reclaimable: false }", 1),
    ):
        (empty / "fleet.yaml").write_text(text.replace("QUEUE", queue).replace(old, new), encoding="utf-8")
        result = pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json")

        assert json.loads(result.out)["loads"][0]["preempted"] == expected


def test_the_tables_list_all_actions_and_plugins() -> None:
    """Each has a row with its effect."""
    text = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text(encoding="utf-8")

    for heading, names in (("| action | effect |", ACTIONS), ("| plugin | effect |", PLUGINS)):
        rows = text.partition(heading)[2].partition("\n\n")[0]
        assert set(re.findall(r"^\| `([a-z-]+)`", rows, re.MULTILINE)) == set(names)
    parts = re.findall(
        r"^\| ([^|]+) \|", text.partition("| part | where |\n|---|---|\n")[2].partition("\n\n")[0], re.MULTILINE
    )
    own = {
        "another try after five minutes without an event": test_a_stage_that_waits_long_is_tried_again,
        "room that is reserved": test_simulate_fleet.test_large_stages_get_room,
        "backoff of stages that found no room": test_fleet_plugins.test_backoff,
    }

    assert set(parts) == {*PARTS, *own}


def test_a_stage_that_waits_long_is_tried_again(empty: Path, pipegen: Pipegen) -> None:
    """After five minutes, a resumed run tries it even without an event: the lock is free when its holder ends."""
    (empty / "pipegen.yaml").write_text(
        "pipelines:\n  p:\n    stages:\n"
        "      - { name: a, lock: db }\n      - { name: b, lock: db }\n"
        + "".join(f"      - {{ name: t{number} }}\n" for number in range(10))
        + f"    execution: [[a], [b], {', '.join(f'[t{number}]' for number in range(10))}]\n",
        encoding="utf-8",
    )
    (empty / "times.yaml").write_text(
        "a: 1000\nb: 1\n" + "".join(f"t{number}: {100 * number + 50}\n" for number in range(10)), encoding="utf-8"
    )
    result = pipegen("simulate", "--durations", "times.yaml", "--format", "json")

    assert json.loads(result.out)["makespan"] == 1001


def test_machines_have_names_of_their_own(empty: Path, pipegen: Pipegen) -> None:
    """Two machines of a cluster with the same name are an error."""
    (empty / "pipegen.yaml").write_text("pipelines: { p: { stages: [{ name: a }] } }\n", encoding="utf-8")
    (empty / "cluster.yaml").write_text("machines: [{ name: m, slots: 1 }, { name: m, slots: 1 }]\n", encoding="utf-8")

    assert "error[PG801]" in pipegen("simulate", "--cluster", "cluster.yaml").err
