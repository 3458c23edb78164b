"""Random fleets with all actions, plugins and limits, and a simulation that checks itself after each event."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from pipegen.diagnostics.report import Report
from pipegen.fleet.model import Fleet
from pipegen.fleet.reading.read import read_fleet
from pipegen.fleet.simulation import FleetSimulation
from pipegen.fleet.state import StageRun
from pipegen.run.scheduling.job_queues import lineage

Data = dict[str, Any]

SHARING = ("fair-share", "proportion", "capacity")
STARTS = (0, 60, 120, 300, 600, 900, 1800)


def random_fleet(seed: int, folder: Path, *further: str) -> Fleet:
    """Return the random fleet with *seed* and *further* plugins, whose files are written to *folder*.

    Raise `Stopped` if it is refused.
    """
    random = Random(seed)  # noqa: S311 # a test
    pipelines: Data = {f"p{number}": {"stages": _stages(random)} for number in range(random.randint(1, 3))}
    for pipeline in pipelines.values():
        if random.random() < 0.5:
            pipeline["execution"] = [[stage["name"] for stage in pipeline["stages"]]]
    (folder / "pipegen.yaml").write_text(json.dumps({"pipelines": pipelines}), encoding="utf-8")
    sharing = random.choice(SHARING)
    queues = [_queue(random, f"q{number}", sharing) for number in range(random.randint(1, 4))]
    names = [queue["name"] for queue in queues]
    if sharing == "capacity" and random.random() < 0.5:
        for queue in queues:
            queue["parent"] = "top"
        queues.append({"name": "top", "capability": {"slots": random.randint(4, 9)}})
    fleet = {
        "machines": [_machines(random, f"m{number}") for number in range(random.randint(1, 3))],
        "queues": queues,
        "load": [_load(random, f"l{number}", pipelines, names) for number in range(random.randint(1, 5))],
        "duration": 3600,
        "seed": seed,
        "scheduling": _scheduling(random, sharing, further),
    }
    path = folder / "fleet.yaml"
    path.write_text(json.dumps(fleet), encoding="utf-8")
    return read_fleet(path, {}, Report())


def _stages(random: Random) -> list[Data]:
    keys: list[tuple[float, Data]] = [
        (0.6, {"interruptible": True}),
        (0.5, {"resources": {"cpu": random.choice(["0.5", "1", "2", "3"])}}),
        (0.2, {"lock": "db"}),
        (0.2, {"retry": 1}),
        (0.15, {"allow_failure": True}),
        (0.15, {"approve": True}),
        (0.2, {"agent": "docker"}),
        (0.3, {"services": ["db:1", "web:1"]}),
    ]
    stages: list[Data] = [{"name": f"s{number}"} for number in range(random.randint(1, 4))]
    for stage in stages:
        for chance, key in keys:
            stage.update(key if random.random() < chance else {})
    return stages


def _machines(random: Random, name: str) -> Data:
    group: Data = {"name": name, "slots": random.randint(1, 4)}
    group |= {"cpu": random.randint(2, 6)} if random.random() < 0.7 else {}
    group |= {"labels": ["docker"]} if random.random() < 0.5 else {}
    if random.random() < 0.5:
        return {**group, "count": random.randint(1, 3)}
    minimum = random.randint(0, 2)
    times = {"start_up": random.choice([0, 60]), "idle": random.choice([0, 60, 600])}
    return {**group, "autoscale": {"minimum": minimum, "maximum": minimum + random.randint(1, 3), **times}}


def _queue(random: Random, name: str, sharing: str) -> Data:
    limits = {resource: random.randint(2, 6) for resource in ("cpu", "slots")}
    keys: list[tuple[float, Data]] = [
        (0.5, {} if sharing == "capacity" else {"weight": random.randint(1, 5)}),
        (0.5, {"deserved": limits} if sharing == "capacity" else {}),
        (0.3, {"priority": random.randint(0, 2)}),
        (0.4, {"capability": limits}),
        (0.3, {"guarantee": {random.choice(["cpu", "slots"]): 1}}),
        (0.2, {"reclaimable": False}),
    ]
    queue: Data = {"name": name}
    for chance, key in keys:
        queue |= key if random.random() < chance else {}
    return queue


def _load(random: Random, name: str, pipelines: Data, queues: list[str]) -> Data:
    pipeline = random.choice(list(pipelines))
    stages = pipelines[pipeline]["stages"]
    durations: list[Any] = [60, 300, {"mean": 200}, {"median": 100, "p95": 400}]
    times = sorted(random.choice(STARTS) for _ in range(random.randint(1, 8)))
    return {
        "name": name,
        "config": "pipegen.yaml",
        "pipeline": pipeline,
        "queue": random.choice(queues),
        "priority": random.randint(0, 3),
        "arrivals": {"times": times} if random.random() < 0.7 else {"rate": random.choice([4, 12])},
        "durations": {stage["name"]: random.choice(durations) for stage in stages},
        "approvals": {stage["name"]: random.choice(durations) for stage in stages if "approve" in stage},
        "failures": {stages[0]["name"]: random.choice([0, 0.1, 0.5])},
        "waiting_time": random.choice([60, 300]),
        "may_preempt": random.random() < 0.9,
        "services": random.choice([{"db": {"slots": 1, "cpu": 1}}, {"db": {"cpu": 1}, "web": {}}])
        if any("services" in stage for stage in stages)
        else {},
    }


def _scheduling(random: Random, sharing: str, further: tuple[str, ...]) -> Data:
    actions = ["allocate", "preempt", "reclaim", "backfill"]
    plugins = ["priority", "gang", sharing]
    plugins += random.sample(["sla", "drf", "first-ready", "critical-path", "binpack"], 2)
    if random.random() < 0.5:
        random.shuffle(actions)
        random.shuffle(plugins)
    actions.insert(random.choice([0, 0, 0, 1, 4]), "enqueue")
    cut = random.randint(1, 4)
    return {"actions": actions, "tiers": [plugins[:cut], [*plugins[cut:], *further]]}


class CheckedSimulation(FleetSimulation):
    """A simulation that fails if a stage is stopped that may not be, or if the scheduler breaks a rule."""

    _cycles = 0
    _last = -1.0

    def _preempt(self, stage_run: StageRun) -> None:
        assert stage_run.stage.is_interruptible
        assert not stage_run.stage.services
        super()._preempt(stage_run)

    def _cycle(self) -> None:
        super()._cycle()
        self._cycles = self._cycles + 1 if self._now == self._last else 0
        self._last = self._now
        assert self._cycles < 1_000, "no time passes"
        self._check_machines()
        self._check_limits()
        self._check_waiting()

    def _check_machines(self) -> None:
        """Check labels, locks and room."""
        tasks = [(node, task) for node in self._session.machines.nodes.values() for task in node.tasks]
        locks = [lock for _, task in tasks for lock in task.locks]
        assert len(locks) == len(set(locks))
        for node in self._session.machines.nodes.values():
            assert all(node.labels.issuperset(task.labels) for task in node.tasks)
            assert not any(node.releasing.values())
            for name, limit in node.limits.items():
                assert sum(task.requests.get(name, 0) for task in node.tasks) <= limit + 1e-6

    def _check_limits(self) -> None:
        """Check that no queue exceeds its capability, and that the others leave its guarantee."""
        queues = self._session.job_queues.values()
        used: dict[str, dict[str, float]] = {queue.name: {} for queue in queues}
        for node in self._session.machines.nodes.values():
            for task in node.tasks:
                for queue in lineage(task.gang.job_queue):
                    for name, amount in task.requests.items():
                        used[queue.name][name] = used[queue.name].get(name, 0) + amount
        for queue in queues:
            for name, amount in used[queue.name].items():
                assert queue.capability is None or amount <= queue.capability[name] + 1e-6
            for name, amount in queue.guarantee.items() if queue.parent is None else ():
                others = sum(
                    used[other.name].get(name, 0) for other in queues if other is not queue and other.parent is None
                )
                assert others <= self._session.possible[name] - amount + 1e-6

    def _check_waiting(self) -> None:
        """Check that no stage waits that could start."""
        session = self._session
        for queue in session.queues.values():
            for entry in queue:
                gang = entry.item
                task = gang.first()
                if task is None or entry.is_held or not gang.is_admitted or not gang.is_alike or session.promised(gang):
                    continue
                if session.ballot.may_take(gang.job_queue, task) and not session.ballot.is_overused(gang.job_queue):
                    assert session.find(task) is None
