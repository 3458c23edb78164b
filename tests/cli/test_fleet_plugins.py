"""What each plugin and action of a simulated fleet is for, in numbers that are computed by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cli.program import Pipegen, process

from pipegen.run.scheduling.plugins import ACTIONS, PLUGINS

HOUR = 3600
PLAIN = ("enqueue", "allocate", "backfill")
ONE = [{"name": "m"}]
# A stage that may be stopped, and one that starts together with its service.
STAGE = "[{ name: a, interruptible: true }]"
GANG = "[{ name: a, image: i, services: [{ image: x, alias: db }] }]"


class Answer:
    """The results of a simulation: those of loads, queues and groups of machines by name."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.loads = {load["load"]: load for load in values["loads"]}
        self.queues = {queue["queue"]: queue for queue in values["queues"]}
        self.machines = {group["machines"]: group for group in values["machines"]}

    def waited(self) -> dict[str, int]:
        """Return the sum of the waits of the stages of each load, in seconds."""
        waits = {name: load["waiting"] for name, load in self.loads.items()}
        return {name: round(waiting["count"] * waiting["mean"]) for name, waiting in waits.items()}

    def slots(self, number: int) -> dict[str, list[float]]:
        """Return the mean number of slots that each queue takes by hour, of this *number* of slots."""
        return {
            name: [round(share * number, 2) for share in queue["share_by_hour"]] for name, queue in self.queues.items()
        }

    def stopped(self) -> dict[str, tuple[int, int]]:
        """Return how many stages of each load were stopped, and the seconds for which they had run."""
        return {name: (load["preempted"], round(load["lost"])) for name, load in self.loads.items()}


def load(name: str, times: Sequence[float], seconds: float, **keys: object) -> dict[str, object]:
    """Return a load of the pipeline `p`, or of another one, whose stage takes *seconds*."""
    arrivals = {"times": list(times)}
    return {
        "name": name,
        "config": "pipegen.yaml",
        "pipeline": "p",
        "arrivals": arrivals,
        "durations": {"a": seconds},
        **keys,
    }


class Fleets:
    """Simulates fleets on the command line."""

    def __init__(self, pipegen: Pipegen) -> None:
        self._pipegen = pipegen

    def run(
        self,
        tiers: list[list[str]],
        loads: list[dict[str, object]],
        machines: list[dict[str, Any]] = ONE,
        *,
        queues: list[dict[str, Any]] | None = None,
        actions: tuple[str, ...] = PLAIN,
        pipelines: dict[str, str] | None = None,
    ) -> Answer:
        """Return the answer for *loads* on *machines*; *pipelines* are the stages of further pipelines by name.

        A fleet with diagnostics has none: they are the message of the error.
        """
        rows = {"p": STAGE, **(pipelines or {})}
        config = "".join(f"  {name}: {{ stages: {stages} }}\n" for name, stages in rows.items())
        Path("pipegen.yaml").write_text(f"pipelines:\n{config}", encoding="utf-8")
        fleet = {"machines": machines, "load": loads, "scheduling": {"actions": actions, "tiers": tiers}}
        Path("fleet.yaml").write_text(json.dumps(fleet | ({"queues": queues} if queues else {})), encoding="utf-8")
        result = self._pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json")
        if result.err:
            raise ValueError(result.err)
        return Answer(json.loads(result.out))


@pytest.fixture
def fleets(pipegen: Pipegen, empty: Path) -> Fleets:
    """Return fleets in the current folder, which is empty."""
    assert Path.cwd() == empty
    return Fleets(pipegen)


def test_priority(fleets: Fleets) -> None:
    """Of the stages that wait for a slot, the one with the highest priority is next, and the rest is as before."""
    loads = [load("low", [0, 0, 0], 60), load("high", [10], 60)]
    first = fleets.run([["priority"]], [loads[0], {**loads[1], "priority": 1}])

    assert fleets.run([["first-ready"]], loads).waited() == {"low": 60 + 120, "high": 180 - 10}
    assert first.waited() == {"low": 120 + 180, "high": 60 - 10}


def test_gang(fleets: Fleets) -> None:
    """A stage and its service need two slots: they take none until both are free, which others use meanwhile."""
    loads = [
        load("long", [0], 100),
        load("gang", [10], 60, pipeline="g", services={"db": {"slots": 1}}),
        load("short", [20], 30),
    ]
    machines, pipelines = [{"name": "m", "count": 2}], {"g": GANG}
    together = fleets.run([["gang"]], loads, machines, pipelines=pipelines)
    alone = fleets.run([["first-ready"]], loads, machines, pipelines=pipelines)

    assert together.waited() == {"long": 0, "gang": 100 - 10, "short": 0}
    assert alone.waited() == {"long": 0, "gang": 0, "short": 70 - 20}


def test_sla(fleets: Fleets) -> None:
    """The stage whose waiting time ends first comes first."""
    loads = [load("other", [0, 1, 2, 3], 60), load("late", [10], 60)]
    late = fleets.run([["sla"]], [loads[0], {**loads[1], "waiting_time": 30}])

    assert fleets.run([["first-ready"]], loads).waited() == {"other": 59 + 118 + 177, "late": 240 - 10}
    assert late.waited() == {"other": 119 + 178 + 237, "late": 60 - 10}


def test_sla_keeps_room_when_the_waiting_time_is_over(fleets: Fleets) -> None:
    """Small stages always take half of the machine, until the large one has waited for 40 seconds.

    At 60, a small stage ends, and the next one, at 65, must wait. At 90, the other one ends too.
    """
    small = load("small", [0, 30, 65, 95, 130], 60, pipeline="s")
    large = load("large", [10], 60, pipeline="l")
    pipelines = {"s": "[{ name: a, resources: { cpu: 1 } }]", "l": "[{ name: a, resources: { cpu: 2 } }]"}
    machines = [{"name": "m", "slots": 99, "cpu": 2}]
    late = fleets.run([["sla"]], [small, {**large, "waiting_time": 40}], machines, pipelines=pipelines)

    assert fleets.run([["gang"]], [small, large], machines, pipelines=pipelines).waited() == {
        "small": 0,
        "large": 190 - 10,
    }
    # At 150, two of the three small stages that wait start, and the third one at 210.
    assert late.waited() == {"small": 85 + 55 + 80, "large": 90 - 10}


def test_drf(fleets: Fleets) -> None:
    """The example of the paper on dominant resource fairness: 9 processors and 18 Gi of memory.

    3 stages of one load take 12 of 18 Gi, and 2 of the other one 6 of 9 processors: both have 2/3 of what they need
    most. In the order of their arrival, 4 and 1 run.
    """
    loads = [
        load("whole", [0], HOUR, pipeline="w"),
        load("memory", [1] * 6, HOUR, pipeline="m"),
        load("cpu", [2] * 4, HOUR, pipeline="c"),
    ]
    pipelines = {
        "w": "[{ name: a, resources: { cpu: 9 } }]",
        "m": "[{ name: a, resources: { cpu: 1, memory: 4Gi } }]",
        "c": "[{ name: a, resources: { cpu: 3, memory: 1Gi } }]",
    }
    machines = [{"name": "m", "slots": 99, "cpu": 9, "memory": "18Gi"}]
    fair = fleets.run([["drf"]], loads, machines, pipelines=pipelines)
    by_arrival = fleets.run([["first-ready"]], loads, machines, pipelines=pipelines)

    assert fair.waited() == {"whole": 0, "memory": (3 * 1 + 3 * 2) * HOUR - 6, "cpu": (2 * 1 + 2 * 2) * HOUR - 8}
    assert by_arrival.waited() == {"whole": 0, "memory": (4 * 1 + 2 * 2) * HOUR - 6, "cpu": (1 + 2 * 2 + 3) * HOUR - 8}


def test_drf_counts_what_loads_take_now(fleets: Fleets) -> None:
    """When the four stages of the first load end together, both loads have nothing, and get two slots each."""
    loads = [load("one", [0] * 8, 100), load("two", [1] * 8, 100)]
    answer = fleets.run([["drf"]], loads, [{"name": "m", "slots": 4}])

    assert answer.waited() == {"one": 2 * 100 + 2 * 200, "two": 2 * 99 + 2 * 199 + 4 * 299}


@pytest.mark.parametrize("plugin", ["fair-share", "proportion"])
def test_weights(plugin: str, fleets: Fleets) -> None:
    """Of 8 slots, weights of 3 and 1 give 6 and 2, and all when the other queue needs none."""
    queues: list[dict[str, Any]] = [{"name": "q", "weight": 3}, {"name": "r"}]
    loads = [load(name, [0] * 12, HOUR, queue=name) for name in ("q", "r")]
    answer = fleets.run([[plugin]], loads, [{"name": "m", "slots": 8}], queues=queues)

    assert answer.slots(8) == {"q": [6, 6, 0], "r": [2, 2, 8]}


def test_fair_share(fleets: Fleets) -> None:
    """A queue may exceed its share while slots are idle: of 7 slots, one queue has 4."""
    loads = [load(name, [0] * 6, HOUR, queue=name) for name in ("q", "r")]
    answer = fleets.run([["fair-share"]], loads, [{"name": "m", "slots": 7}], queues=[{"name": "q"}, {"name": "r"}])

    assert answer.slots(7) == {"q": [4, 2], "r": [3, 3]}


def test_proportion(fleets: Fleets) -> None:
    """A queue never exceeds its share: of 7 slots, both have 3, and one stays idle."""
    loads = [load(name, [0] * 6, HOUR, queue=name) for name in ("q", "r")]
    answer = fleets.run([["proportion"]], loads, [{"name": "m", "slots": 7}], queues=[{"name": "q"}, {"name": "r"}])

    assert answer.slots(7) == {"q": [3, 3], "r": [3, 3]}


def test_a_share_is_a_whole_number_of_slots_in_spite_of_rounding(fleets: Fleets) -> None:
    """Of 13 slots, a queue has the 6 that it needs, and the other one the rest."""
    queues: list[dict[str, Any]] = [{"name": "q", "weight": 4}, {"name": "r", "weight": 5}]
    loads = [load(name, [0] * count, HOUR, queue=name) for name, count in (("q", 11), ("r", 6))]
    answer = fleets.run([["proportion"]], loads, [{"name": "m", "slots": 13}], queues=queues)

    assert answer.slots(13) == {"q": [7, 4], "r": [6, 0]}


@pytest.mark.parametrize("plugin", ["fair-share", "proportion", "capacity"])
def test_limits_of_queues(plugin: str, fleets: Fleets) -> None:
    """Of 8 slots, 3 are kept for the queue with a guarantee; another one never has more than its capability of 2."""
    guaranteed: list[dict[str, Any]] = [{"name": "q"}, {"name": "r", "guarantee": {"slots": 3}}]
    loads = [load("q", [0] * 10, HOUR, queue="q"), load("r", [HOUR // 2] * 3, HOUR, queue="r")]
    kept = fleets.run([[plugin]], loads, [{"name": "m", "slots": 8}], queues=guaranteed)
    limited: list[dict[str, Any]] = [{"name": "q"}, {"name": "r", "capability": {"slots": 2}}]
    loads = [load(name, [0] * 6, HOUR, queue=name) for name in ("q", "r")]
    held = fleets.run([[plugin]], loads, [{"name": "m", "slots": 8}], queues=limited)

    assert kept.slots(8) == {"q": [5, 5], "r": [1.5, 1.5]}
    assert kept.waited() == {"q": 5 * HOUR, "r": 0}
    assert held.slots(8) == {"q": [6, 0, 0], "r": [2, 2, 2]}


@pytest.mark.parametrize("plugin", ["fair-share", "proportion", "capacity"])
def test_several_queues_leave_a_guarantee(plugin: str, fleets: Fleets) -> None:
    """Each of two queues may take 6 of 8 slots, but both together leave 2 for the third one."""
    queues: list[dict[str, Any]] = [{"name": "q"}, {"name": "r"}, {"name": "s", "guarantee": {"slots": 2}}]
    loads = [load(name, [start] * 4, HOUR, queue=name) for name, start in (("q", 0), ("r", 60))]
    loads.append(load("s", [HOUR // 2] * 2, HOUR // 2, queue="s"))
    answer = fleets.run([[plugin]], loads, [{"name": "m", "slots": 8}], queues=queues)

    assert answer.waited()["s"] == 0
    assert sum(answer.slots(8)[name][0] for name in "qr") == pytest.approx(6, abs=0.1)


@pytest.mark.parametrize("plugin", ["fair-share", "proportion", "capacity"])
def test_a_capability_limits_what_machines_have_without_limit(plugin: str, fleets: Fleets) -> None:
    """Of stages of two processors each, one runs at a time."""
    loads = [load("p", [0] * 2, 60, pipeline="two")]
    queues = [{"name": "q", "capability": {"cpu": 3}}]
    pipelines = {"two": "[{ name: a, resources: { cpu: 2 } }]"}
    answer = fleets.run([[plugin]], loads, [{"name": "m", "slots": 4}], queues=queues, pipelines=pipelines)

    assert answer.waited() == {"p": 60}


MIXED = [{"name": "x64", "labels": ["x64"]}, {"name": "arm", "labels": ["arm"]}]
MIXED_PIPELINES = {"x64": "[{ name: a, agent: x64 }]", "arm": "[{ name: a, agent: arm }]"}


@pytest.mark.parametrize("plugin", ["capacity", "fair-share", "proportion"])
def test_a_stage_beyond_the_limit_of_its_queue_starts_when_any_other_ends(plugin: str, fleets: Fleets) -> None:
    """The other stage may run on a machine that does not suit it."""
    loads = [load("one", [0], 600, pipeline="x64"), load("two", [60], 60, pipeline="arm")]
    queues = [{"name": "q", "capability": {"slots": 1}}]

    assert fleets.run([[plugin]], loads, MIXED, queues=queues, pipelines=MIXED_PIPELINES).waited() == {
        "one": 0,
        "two": 600 - 60,
    }


@pytest.mark.parametrize("plugin", ["capacity", "fair-share"])
def test_reserved_room_leaves_other_machines_to_the_queue(plugin: str, fleets: Fleets) -> None:
    """Room is reserved for a stage that ten others overtake, on a machine that is busy."""
    loads = [
        load("long", [0, 0], 1000, pipeline="arm"),
        load("short", [*range(0, 100, 10)], 10, pipeline="x64"),
    ]
    answer = fleets.run([[plugin]], loads, MIXED, pipelines=MIXED_PIPELINES)

    assert answer.waited() == {"long": 1000, "short": 0}
    assert [answer.loads[name]["unfinished"] for name in ("long", "short")] == [0, 0]


def test_capacity(fleets: Fleets) -> None:
    """Queues get what they deserve, and more while others need less; those below a queue share its capability."""
    queues: list[dict[str, Any]] = [
        {"name": "q", "deserved": {"slots": 6}},
        {"name": "r", "deserved": {"slots": 2}},
    ]
    loads = [load(name, [0] * 12, HOUR, queue=name) for name in ("q", "r")]
    deserved = fleets.run([["capacity"]], loads, [{"name": "m", "slots": 8}], queues=queues)
    queues = [
        {"name": "above", "capability": {"slots": 4}},
        *({"name": name, "parent": "above"} for name in ("q", "r")),
        {"name": "other"},
    ]
    loads = [load(name, [0] * 4, HOUR, queue=name) for name in ("q", "r", "other")]
    tree = fleets.run([["capacity"]], loads, [{"name": "m", "slots": 8}], queues=queues).slots(8)

    assert deserved.slots(8) == {"q": [6, 6, 0], "r": [2, 2, 8]}
    assert tree["other"] == [4, 0]
    assert [q + r for q, r in zip(tree["q"], tree["r"], strict=True)] == [4, 4]


def test_first_ready(fleets: Fleets) -> None:
    """The stage that has waited longest is next, even if another one takes longer, which is next without it."""
    loads = [load("short", [0, 10], 60), load("long", [20], 600)]

    assert fleets.run([["first-ready"], ["critical-path"]], loads).waited() == {"short": 60 - 10, "long": 120 - 20}
    assert fleets.run([["critical-path"]], loads).waited() == {"short": 660 - 10, "long": 60 - 20}


def test_critical_path(fleets: Fleets) -> None:
    """On two slots, a chain of two minutes starts at once, beside the first of two other stages of a minute."""
    stages = "[{ name: s }, { name: t }, { name: x }, { name: y }], execution: [[s], [t], [x, y]]"
    durations = dict.fromkeys("stxy", 60)
    loads = [load("c", [0], 60, pipeline="c", durations=durations)]
    results = [
        fleets.run([[plugin]], loads, [{"name": "m", "slots": 2}], pipelines={"c": stages}).loads["c"]["result"]
        for plugin in ("critical-path", "first-ready")
    ]

    assert [result["longest"] for result in results] == [120, 180]


def test_binpack(fleets: Fleets) -> None:
    """The smaller machine takes a small stage, so that the larger one has room for a large stage."""
    loads = [load("small", [0], HOUR, pipeline="s"), load("large", [10], HOUR, pipeline="l")]
    pipelines = {"s": "[{ name: a, resources: { cpu: 2 } }]", "l": "[{ name: a, resources: { cpu: 4 } }]"}
    machines = [{"name": "big", "cpu": 4, "slots": 4}, {"name": "little", "cpu": 2, "slots": 2}]
    packed = fleets.run([["binpack"]], loads, machines, pipelines=pipelines)
    in_order = fleets.run([["first-ready"]], loads, machines, pipelines=pipelines)

    assert packed.waited() == {"small": 0, "large": 0}
    assert in_order.waited() == {"small": 0, "large": HOUR - 10}


def test_binpack_empties_machines(fleets: Fleets) -> None:
    """At 60, a stage takes the machine where two others run until 300, and the one with one other stops at 100.

    A second of a machine costs 1. In the order of machines, the first one runs until 260.
    """
    loads = [
        *(load("a", [0, 0], 50), load("b", [0], 100), load("c", [0], 50), load("d", [0, 0], 300)),
        load("last", [60], 200),
    ]
    machines = [{"name": "m", "slots": 3, "autoscale": {"maximum": 2}, "price": HOUR}]
    costs = [
        round(fleets.run([[plugin]], loads, machines).machines["m"]["cost"]) for plugin in ("binpack", "first-ready")
    ]

    assert costs == [300 + 100, 300 + 260]


def test_preempt(fleets: Fleets) -> None:
    """A higher priority starts at once; the stage that stops for it loses 30 seconds, and starts anew after it."""
    loads = [load("low", [0], 100), load("high", [30], 10, priority=1)]
    stopping = fleets.run([["priority"]], loads, actions=(*PLAIN, "preempt"))

    assert fleets.run([["priority"]], loads).waited() == {"low": 0, "high": 100 - 30}
    assert stopping.waited() == {"low": 10, "high": 0}
    assert stopping.stopped() == {"low": (1, 30), "high": (0, 0)}
    assert stopping.loads["low"]["result"]["longest"] == 30 + 10 + 100


def test_preempt_for_equal_shares(fleets: Fleets) -> None:
    """With `drf`, two of four stages stop, so that both loads have two slots until the second load has ended."""
    loads = [load("one", [0] * 4, HOUR), load("two", [600] * 4, 600)]
    answer = fleets.run([["drf", "gang"]], loads, [{"name": "m", "slots": 4}], actions=(*PLAIN, "preempt"))

    assert answer.stopped() == {"one": (2, 2 * 600), "two": (0, 0)}
    assert answer.waited() == {"one": 2 * 1200, "two": 2 * 600}


@pytest.mark.parametrize(
    ("plugin", "queues", "stopped", "waited"),
    [
        ("fair-share", [{}, {}], 2, {"q": 2 * 2400, "r": 2 * 1200}),
        ("proportion", [{}, {}], 2, {"q": 2 * 2400, "r": 2 * 1200}),
        # At 3600, the stages of the first queue end that were not stopped, and the last two start.
        (
            "capacity",
            [{"deserved": {"slots": 3}}, {"deserved": {"slots": 1}}],
            *(1, {"q": 3000, "r": 1200 + 2400 + 3000}),
        ),
    ],
)
def test_reclaim(
    plugin: str, queues: list[dict[str, Any]], stopped: int, waited: dict[str, int], fleets: Fleets
) -> None:
    """A queue that had all slots gives those back that are the share of another one."""
    loads = [load("q", [0] * 4, HOUR, queue="q"), load("r", [600] * 4, 1200, queue="r")]
    named = [{"name": name, **queue} for name, queue in zip("qr", queues, strict=True)]
    machines, actions = [{"name": "m", "slots": 4}], (*PLAIN, "reclaim")
    answer = fleets.run([["gang", plugin]], loads, machines, queues=named, actions=actions)

    assert answer.stopped() == {"q": (stopped, stopped * 600), "r": (0, 0)}
    assert answer.waited() == waited
    assert fleets.run([["gang", plugin]], loads, machines, queues=named).waited() == {"q": 0, "r": 4 * 3000}


@pytest.mark.parametrize("action", ["enqueue", "allocate"])
def test_allocate(action: str, fleets: Fleets) -> None:
    """No stage starts without it, nor without `enqueue`, and that is an error."""
    actions = tuple(name for name in PLAIN if name != action)

    with pytest.raises(ValueError, match=f'without "{action}", no stage starts'):
        fleets.run([["gang"]], [load("p", [0], 60)], actions=actions)


def test_enqueue(fleets: Fleets) -> None:
    """A stage with a service of two processors is admitted when its queue, which may take three, has none."""
    loads = [load("g", [0, 10, 20], 60, pipeline="g", services={"db": {"cpu": 2}})]
    queues = [{"name": "q", "capability": {"cpu": 3}}]
    machines = [{"name": "m", "slots": 9, "cpu": 9}]
    answer = fleets.run([["gang", "fair-share"]], loads, machines, queues=queues, pipelines={"g": GANG})

    assert answer.waited() == {"g": 50 + 100}


def test_backfill(fleets: Fleets) -> None:
    """A service without resources takes no slot: the stages wait only for each other."""
    loads = [load("g", [0, 0], 60, pipeline="g", services={"db": {}})]

    assert fleets.run([["gang"]], loads, pipelines={"g": GANG}).waited() == {"g": 60}


@pytest.mark.parametrize(
    ("plugins", "seconds", "waits"),
    [
        (["priority"], 11, {"wide": 1, "narrow": 60}),
        # It is tried again when the other stage has ended: its second backoff is over then.
        (["priority", "backoff"], 11, {"wide": 61, "narrow": 0}),
        # Its first backoff ends with the second in which it is over.
        (["priority", "backoff"], 11.9, {"wide": 61.9, "narrow": 0}),
        (["priority", "backoff"], 12, {"wide": 2, "narrow": 60}),
    ],
)
def test_backoff(fleets: Fleets, plugins: list[str], seconds: float, waits: dict[str, float]) -> None:
    """A stage of a high priority that found no room at 10 lets one start first that is ready when there is room."""
    pipelines = {name: f"[{{ name: a, resources: {{ cpu: {cpu} }} }}]" for name, cpu in (("n", 1), ("w", 2))}
    loads = [
        load("busy", [0], seconds, pipeline="n"),
        load("wide", [10], 60, pipeline="w", priority=1),
        load("narrow", [seconds], 60, pipeline="n"),
    ]
    answer = fleets.run([plugins], loads, [{"name": "m", "slots": 2, "cpu": 2}], pipelines=pipelines)

    assert {name: answer.loads[name]["waiting"]["mean"] for name in waits} == pytest.approx(waits)


@pytest.mark.parametrize(
    ("machine", "actions", "seconds", "stopped"),
    [
        ({}, PLAIN, 61, 0),
        ({"autoscale": {"minimum": 1, "maximum": 2, "start_up": 5}}, PLAIN, 6, 0),
        ({}, (*PLAIN, "preempt"), 1, 1),
    ],
)
def test_backoff_of_a_stage_without_a_slot(
    fleets: Fleets, machine: dict[str, Any], actions: tuple[str, ...], seconds: int, stopped: int
) -> None:
    """A stage that waited for a lock until two others took all slots starts a machine, or stops one of these.

    If it can do neither, it starts before those that come later: its backoff is over then.
    """
    pipelines = {"locked": "[{ name: a, lock: db }]"}
    loads = [
        load("holder", [0], 11, pipeline="locked"),
        load("urgent", [10], 60, pipeline="locked", priority=1),
        load("other", [11, 11, 20, 20], 60),
    ]
    machines = [{"name": "m", "slots": 2, **machine}]
    answer = fleets.run([["priority", "backoff"]], loads, machines, actions=actions, pipelines=pipelines)

    assert answer.waited()["urgent"] == seconds
    assert answer.stopped()["other"] == (stopped, 0)


@pytest.mark.parametrize("name", [*PLUGINS, *ACTIONS])
def test_each_plugin_and_action_has_a_test(name: str) -> None:
    """Its name is that of the plugin or action."""
    assert f"test_{name.replace('-', '_')}" in globals()


def test_late_stages_do_not_wake_each_other_without_end(tmp_path: Path) -> None:
    """One that is promised the same room again frees none for the others."""
    times = [5269, 10230, 10519, 11439, 11607, 14027, 14678, 15981, 16340, 18514]
    gangs = {"config": "c.yaml", "pipeline": "p1", "arrivals": {"times": times}, "services": {"db": {"cpu": 1}}}
    single = {"config": "c.yaml", "pipeline": "p2", "arrivals": {"rate": 12}, "durations": {"s3": 110}}
    simulated = {
        "machines": [{"name": "plain"}, {"name": "labelled", "labels": ["b"]}],
        "load": [gangs, single],
        "scheduling": {"tiers": [["sla"]]},
    }
    (tmp_path / "fleet.yaml").write_text(json.dumps(simulated), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(
        """
pipelines:
  p1:
    stages:
      - { name: a, script: [x], agent: b, image: i, services: [{ image: x, alias: db }] }
      - { name: b, script: [x] }
  p2:
    stages:
      - { name: s0, script: [x] }
      - { name: s1, script: [x], agent: b }
      - { name: s2, script: [x], agent: b }
      - { name: s3, script: [x] }
""",
        encoding="utf-8",
    )
    result = process("simulate", "--fleet", "fleet.yaml", at=tmp_path)

    assert (result.returncode, "never end" in result.stdout + result.stderr) == (0, False)
