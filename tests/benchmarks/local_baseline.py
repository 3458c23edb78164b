"""The baseline of local and simulated runs: libyaml and the work itself, without checks, logs, results and scheduler.

    python local_baseline.py run plain.yaml                          starts the commands, two at a time
    python local_baseline.py reuse reuse.yaml                        computes the digest of each artifact
    python local_baseline.py simulate pipegen.yaml durations.yaml    prints the makespan on 64 executors

It supports only the workloads of `make_comparison.py` and `simulate.py`.
"""

import gc
import hashlib
import os
import sys
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from pathlib import Path

import yaml

gc.disable()

SLOTS, EXECUTORS = 2, 64
NOWHERE = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)


def composed(path: str) -> yaml.Node:
    """Return the root of the file at *path*."""
    root = yaml.compose(Path(path).read_text(encoding="utf-8"), yaml.CLoader)
    if root is None:
        raise SystemExit("empty")
    return root


def fields(node: yaml.Node) -> dict[str, yaml.Node]:
    """Return the values of a mapping by their keys."""
    return {key.value: value for key, value in node.value}


def read(path: str) -> tuple[dict[str, dict[str, yaml.Node]], dict[str, list[str]]]:
    """Return the keys of each stage, and its predecessors."""
    (pipeline,) = map(fields, fields(fields(composed(path))["pipelines"]).values())
    stages = {keys["name"].value: keys for keys in map(fields, pipeline["stages"].value)}
    before: dict[str, list[str]] = {name: [] for name in stages}
    for arc in pipeline["execution"].value:
        for earlier, later in pairwise(arc.value):
            before[later.value].append(earlier.value)
    return stages, before


def run(path: str) -> None:
    """Run the script of each stage when its predecessors have ended."""
    stages, before = read(path)
    order = TopologicalSorter(before)
    order.prepare()
    waiting: list[str] = []
    running: dict[int, str] = {}
    while order.is_active():
        waiting += order.get_ready()
        while waiting and len(running) < SLOTS:
            name = waiting.pop()
            arguments = ("sh", "-ec", stages[name]["script"].value[0].value)
            running[os.posix_spawn("/bin/sh", arguments, os.environ, file_actions=[NOWHERE], setpgroup=0)] = name
        process, _ = os.wait()
        order.done(running.pop(process))


def reuse(path: str) -> None:
    """Compute the digest of the artifact of each stage."""
    stages, before = read(path)
    for name in TopologicalSorter(before).static_order():
        for artifact in stages[name]["artifacts"].value:
            hashlib.sha256(Path(artifact.value).read_bytes()).hexdigest()


def simulate(path: str, durations: str) -> None:
    """Print the makespan if the longest remaining path starts first."""
    stages, before = read(path)
    seconds = {name: float(node.value) for name, node in fields(composed(durations)).items()}
    after: dict[str, list[str]] = {name: [] for name in stages}
    for name, predecessors in before.items():
        for earlier in predecessors:
            after[earlier].append(name)
    remaining: dict[str, float] = {}
    for name in TopologicalSorter(after).static_order():
        remaining[name] = seconds[name] + max([remaining[later] for later in after[name]], default=0.0)
    print(makespan(before, after, seconds, {name: (-remaining[name], place) for place, name in enumerate(stages)}))


def makespan(
    before: dict[str, list[str]],
    after: dict[str, list[str]],
    seconds: dict[str, float],
    ranks: dict[str, tuple[float, int]],
) -> float:
    """Return the end of the last stage; of the stages that are ready, the one with the lowest rank starts first."""
    missing = {name: len(predecessors) for name, predecessors in before.items()}
    ready: list[tuple[tuple[float, int], str]] = []
    ends: list[tuple[float, str]] = []
    now = 0.0
    for name in [name for name, count in missing.items() if not count]:
        heappush(ready, (ranks[name], name))
    while ready or ends:
        while ready and len(ends) < EXECUTORS:
            _, name = heappop(ready)
            heappush(ends, (now + seconds[name], name))
        now = ends[0][0]
        while ends and ends[0][0] == now:
            _, ended = heappop(ends)
            for later in after[ended]:
                missing[later] -= 1
                if not missing[later]:
                    heappush(ready, (ranks[later], later))
    return now


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", config]:
            run(config)
        case ["reuse", config]:
            reuse(config)
        case ["simulate", config, seconds_by_stage]:
            simulate(config, seconds_by_stage)
