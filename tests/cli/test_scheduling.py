"""The parts of the scheduler, each through the option or key of users."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli import test_simulate_fleet
from cli.program import Pipegen

from pipegen.run.scheduling.plugins import ACTIONS, PLUGINS

CONFIG = """\
pipelines:
  web:
    stages:
      - { name: build, resources: { cpu: "1" }, interruptible: true }
      - { name: test, resources: { cpu: "2" }, interruptible: true }
    execution: [[build, test]]
  api: { stages: [{ name: compile, resources: { cpu: "2" }, services: [postgres:16, mail:1] }] }
"""
FLEET = """\
machines:
  - { name: small, count: 2, slots: 2, cpu: 2 }
  - { name: large, slots: 3, cpu: 4, labels: [docker] }
queues: [{ name: one, weight: 3, deserved: { cpu: 6 } }, { name: two, deserved: { cpu: 2 } }]
load:
  - config: pipegen.yaml
    pipeline: web
    queue: two
    arrivals: { rate: 30 }
    durations: { build: { mean: 4m }, test: { mean: 4m } }
  - name: urgent
    config: pipegen.yaml
    pipeline: web
    queue: one
    priority: 1
    arrivals: { rate: 8 }
    durations: { build: 8m, test: 2m }
  - config: pipegen.yaml
    pipeline: api
    queue: one
    waiting_time: 1m
    arrivals: { rate: 6 }
    durations: { compile: 4m }
    services: { postgres: { cpu: 1 }, mail: {} }
duration: 6h
"""
ALL = ("enqueue", "allocate", "backfill")
# The results of each simulated fleet, which are always the same.
RESULTS: dict[str, dict[str, Any]] = {}


@pytest.fixture
def folder(empty: Path) -> Path:
    """Return the current folder, with the config."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    return empty


def loads(
    pipegen: Pipegen, tiers: list[list[str]], actions: tuple[str, ...] = ALL, fleet: str = FLEET
) -> dict[str, Any]:
    """Return the results by load."""
    text = f"{fleet}scheduling: {json.dumps({'actions': actions, 'tiers': tiers})}\n"
    if text not in RESULTS:
        Path("fleet.yaml").write_text(text, encoding="utf-8")
        result = pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json")
        assert result.status == 0, result.err
        RESULTS[text] = {load["load"]: load for load in json.loads(result.out)["loads"]}
    return RESULTS[text]


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.usefixtures("folder")
def test_each_plugin_changes_who_waits(plugin: str, pipegen: Pipegen) -> None:
    """It differs from the order in which stages became ready, or from that of the longest path."""
    others = [["critical-path"]] if plugin == "first-ready" else [["binpack"]] if plugin == "gang" else [["gang"]]
    with_plugin, without = loads(pipegen, [[plugin], *others]), loads(pipegen, others)
    waits = [{name: load["waiting"]["mean"] for name, load in results.items()} for results in (with_plugin, without)]

    assert waits[0] != waits[1]
    if plugin in ("fair-share", "capacity", "proportion"):
        assert waits[0]["urgent"] < waits[1]["urgent"]
    if plugin == "sla":
        assert waits[0]["api"] < waits[1]["api"]


@pytest.mark.usefixtures("folder")
def test_each_action_is_needed(pipegen: Pipegen) -> None:
    """Two are required, and the others stop stages that allow it."""
    tiers = [["gang"], ["fair-share"]]
    for action in ("enqueue", "allocate"):
        scheduling = json.dumps({"actions": sorted({*ALL} - {action}), "tiers": tiers})
        Path("fleet.yaml").write_text(f"{FLEET}scheduling: {scheduling}\n", encoding="utf-8")
        assert f'without "{action}", no stage starts' in pipegen("simulate", "--fleet", "fleet.yaml").err
    in_one_queue = FLEET.replace("queue: two", "queue: one")
    preempting = loads(pipegen, [["gang", "priority"]], (*ALL, "preempt"), in_one_queue)
    reclaiming = loads(pipegen, tiers, (*ALL, "reclaim"))

    assert [load["preempted"] > 0 for load in preempting.values()] == [True, False, False]
    assert reclaiming["web"]["preempted"] > 0


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
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    (empty / "cluster.yaml").write_text("machines: [{ name: m, slots: 1 }, { name: m, slots: 1 }]\n", encoding="utf-8")

    assert "error[PG801]" in pipegen("simulate", "--cluster", "cluster.yaml").err
