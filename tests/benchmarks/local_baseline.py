"""The baseline of local and simulated runs: libyaml and the work itself, without checks and scheduler.

    python local_baseline.py run plain.yaml                          starts the commands, two at a time
    python local_baseline.py record plain.yaml FOLDER                also writes logs, a journal and the progress
    python local_baseline.py store reuse.yaml FOLDER                 also stores the digest of each artifact
    python local_baseline.py reuse reuse.yaml                        computes the digest of each artifact
    python local_baseline.py simulate pipegen.yaml durations.yaml    prints the makespan on 64 executors

It supports only the workloads of `make_comparison.py` and `simulate.py`.
"""

import gc
import hashlib
import json
import os
import signal
import sqlite3
import sys
import time
from contextlib import suppress
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from pathlib import Path

import yaml

gc.disable()

SLOTS, EXECUTORS = 2, 64
NOWHERE = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
ENVIRONMENT = dict(os.environ)


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


class Starter:
    """Starts commands, and receives their ends."""

    def start(self, name: str, command: str) -> int:  # noqa: ARG002 - for logs
        """Start the *command* of the stage *name*, and return its process."""
        return os.posix_spawn("/bin/sh", ("sh", "-ec", command), ENVIRONMENT, file_actions=[NOWHERE], setpgroup=0)

    def end(self, process: int, name: str) -> None:
        """Handle the end of *process*."""


class Recorder(Starter):
    """Writes what `pipegen run` promises into *folder*: a log of each output, and one line for each end at once."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True)
        self._journal = os.open(self._folder / "journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._running: dict[int, tuple[int, float]] = {}

    def start(self, name: str, command: str) -> int:
        """Start *command* with a pipe for its output."""
        print("start", name, flush=True)
        output, pipe = os.pipe()
        process = os.posix_spawn(
            "/bin/sh",
            ("sh", "-ec", command),
            ENVIRONMENT,
            file_actions=[NOWHERE, (os.POSIX_SPAWN_DUP2, pipe, 1), (os.POSIX_SPAWN_DUP2, 1, 2)],
            setpgroup=0,
        )
        os.close(pipe)
        self._running[process] = output, time.monotonic()
        return process

    def end(self, process: int, name: str) -> None:
        """Kill the rest of the group, and write the log and the journal."""
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        output, started = self._running.pop(process)
        with os.fdopen(output, "rb") as source:
            data = source.read()
        if data:
            (self._folder / f"{name}.log").write_bytes(data)
        line = json.dumps({"event": "ended", "stage": name, "started": started, "time": time.monotonic()})
        checksum = hashlib.blake2b(line.encode(), digest_size=8).hexdigest()
        os.write(self._journal, f"{checksum} {line}\n".encode())
        print("ok", name, flush=True)


class Storer(Recorder):
    """Also stores the digest of the artifact of each stage, in a transaction of its own."""

    def __init__(self, folder: str, stages: dict[str, dict[str, yaml.Node]]) -> None:
        super().__init__(folder)
        self._stages = stages
        self._database = sqlite3.connect(self._folder / "results", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute("CREATE TABLE result (stage TEXT PRIMARY KEY, digest TEXT, content BLOB) WITHOUT ROWID")

    def end(self, process: int, name: str) -> None:
        """Store the result."""
        super().end(process, name)
        for artifact in self._stages[name]["artifacts"].value:
            content = Path(artifact.value).read_bytes()
            row = (name, hashlib.sha256(content).hexdigest(), content)
            self._database.execute("INSERT INTO result VALUES (?, ?, ?)", row)


def run(stages: dict[str, dict[str, yaml.Node]], before: dict[str, list[str]], starter: Starter) -> None:
    """Run the script of each stage when its predecessors have ended."""
    order = TopologicalSorter(before)
    order.prepare()
    waiting: list[str] = []
    running: dict[int, str] = {}
    while order.is_active():
        waiting += order.get_ready()
        while waiting and len(running) < SLOTS:
            name = waiting.pop()
            running[starter.start(name, stages[name]["script"].value[0].value)] = name
        process, _ = os.wait()
        name = running.pop(process)
        starter.end(process, name)
        order.done(name)


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
            run(*read(config), Starter())
        case ["record", config, results]:
            run(*read(config), Recorder(results))
        case ["store", config, results]:
            graph = read(config)
            run(*graph, Storer(results, graph[0]))
        case ["reuse", config]:
            reuse(config)
        case ["simulate", config, seconds_by_stage]:
            simulate(config, seconds_by_stage)
