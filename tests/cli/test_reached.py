"""Each function of the scheduler, its queue and the cache is called by the program as a user starts it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType

import pytest
from cli.program import Pipegen
from cli.stored_contents import replace_contents
from cli.test_run_cached import CHAIN

import pipegen.run

ROOT = Path(pipegen.run.__file__).parent
FOLDERS = (ROOT / "scheduling", ROOT / "local/cache")
# Interfaces, whose functions have no bodies.
INTERFACES = ("scheduling/base.py Scheduler.",)

CONFIG = """\
pipelines:
  web:
    stages:
      - { name: build, resources: { cpu: "1" }, interruptible: true, retry: 2 }
      - { name: test, lock: db, interruptible: true }
      - { name: release, approve: true }
    execution: [[build, test, release]]
  api: { stages: [{ name: compile, resources: { cpu: "2" }, services: [postgres:16, mail:1], retry: 1 }] }
  large: { stages: [{ name: link, resources: { cpu: "4" } }] }
"""
FLEET = """\
machines:
  - { name: small, count: 2, slots: 2, cpu: 2 }
  - { name: large, slots: 3, cpu: 4, labels: [docker] }
  - { name: cloud, autoscale: { maximum: 2, start_up: 1m, idle: 5m }, cpu: 4 }
queues:
  - { name: one, weight: 3, parent: all, deserved: { cpu: 6 }, guarantee: { cpu: 1 } }
  - { name: two, parent: all, deserved: { cpu: 2 } }
  - { name: all, capability: { cpu: 13 } }
load:
  - config: pipegen.yaml
    pipeline: web
    queue: two
    arrivals: { rate: 30 }
    durations: { build: { mean: 4m }, test: { mean: 2m }, release: 1m }
    approvals: { release: 10m }
    failures: { build: 0.2 }
  - { name: urgent, config: pipegen.yaml, pipeline: web, queue: one, priority: 1, arrivals: { rate: 8 },
      durations: { build: 8m, test: 2m, release: 1m } }
  - config: pipegen.yaml
    pipeline: api
    queue: one
    waiting_time: 1m
    arrivals: { rate: 12 }
    durations: { compile: 4m }
    failures: { compile: 0.2 }
    services: { postgres: { cpu: 1 }, mail: {} }
  - { config: pipegen.yaml, pipeline: large, queue: one, waiting_time: 2m, arrivals: { rate: 3 },
      durations: { link: 3m } }
duration: 4h
scheduling:
"""
# Stages that run at the same time, and whose inputs turn out to be equal.
EQUAL = """\
pipelines:
  one:
    stages:
      - { name: a, script: [':'], outputs: { v: { command: echo 1 } }, reuse: true }
      - { name: read-a, script: ['sleep 0.4; echo "${a.v}"'], reuse: true }
  two:
    stages:
      - { name: b, script: [' :'], outputs: { v: { command: echo 1 } }, reuse: true }
      - { name: read-b, script: ['sleep 0.4; echo "${b.v}"'], reuse: true }
"""
TIERS = (
    [["priority", "gang"], ["drf", "proportion", "binpack"]],
    [["sla"], ["gang"], ["capacity", "first-ready"]],
    [["gang"], ["fair-share", "critical-path", "backoff"]],
)


def fleets(pipegen: Pipegen, _: pytest.MonkeyPatch) -> None:
    """Simulate a fleet with each of the actions and plugins."""
    actions = ["enqueue", "allocate", "preempt", "reclaim", "backfill"]
    Path("pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    for tiers in TIERS:
        fleet = FLEET + f"  {json.dumps({'actions': actions, 'tiers': tiers})}\n"
        Path("fleet.yaml").write_text(fleet, encoding="utf-8")
        assert pipegen("simulate", "--fleet", "fleet.yaml").status == 0


def shared_victims(pipegen: Pipegen, _: pytest.MonkeyPatch) -> None:
    """Stop stages of the same queue and of another one for one load."""
    stages = "{ stages: [{ name: build, interruptible: true }] }"
    Path("pipegen.yaml").write_text(f"pipelines: {{ p: {stages} }}\n", encoding="utf-8")
    load = "config: pipegen.yaml, durations: { build: 3h }"
    Path("fleet.yaml").write_text(
        "machines: [{ name: m, slots: 4 }]\n"
        "queues: [{ name: a, weight: 3 }, { name: b }]\n"
        "load:\n"
        f"  - {{ name: low, queue: a, {load}, arrivals: {{ times: [0, 0] }} }}\n"
        f"  - {{ name: other, queue: b, {load}, arrivals: {{ times: [0, 0, 0] }} }}\n"
        f"  - {{ name: high, queue: a, priority: 1, {load}, arrivals: {{ times: [1h, 1h, 1h, 1h] }} }}\n"
        "scheduling: { actions: [enqueue, allocate, preempt, reclaim], tiers: [[priority, gang], [fair-share]] }\n",
        encoding="utf-8",
    )
    result = pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json")

    assert [load_data["preempted"] for load_data in json.loads(result.out)["loads"]] == [2, 1, 0]


def machines(pipegen: Pipegen, _: pytest.MonkeyPatch) -> None:
    """Simulate a run that waits for a lock and a label, and one without suitable machines."""
    stages = [{"name": "a", "lock": "db"}, {"name": "b", "lock": "db"}]
    stages += [{"name": f"t{number}", "agent": "mac"} for number in range(10)]
    times = {"a": 1000, "b": 1, **{f"t{number}": 50 for number in range(10)}}
    config = {"pipelines": {"p": {"stages": stages, "execution": [[stage["name"]] for stage in stages]}}}
    cluster = {"machines": [{"name": "mac", "labels": ["mac"]}, {"name": "linux", "slots": 2, "cpu": 1}]}
    for name, value in (("pipegen.yaml", config), ("times.json", times), ("cluster.json", cluster)):
        Path(name).write_text(json.dumps(value), encoding="utf-8")
    waiting = pipegen("simulate", "--cluster", "cluster.json", "--durations", "times.json")
    stages[0]["resources"], stages[1]["agent"] = {"cpu": "2", "memory": "1Gi"}, "sparc"  # type: ignore[assignment]
    cluster["machines"].pop(0)
    for name, value in (("pipegen.yaml", config), ("cluster.json", cluster)):
        Path(name).write_text(json.dumps(value), encoding="utf-8")
    unsuitable = pipegen("simulate", "--cluster", "cluster.json")

    assert (waiting.status, unsuitable.status) == (0, 1)


def failures(pipegen: Pipegen, _: pytest.MonkeyPatch) -> None:
    """Run a pipeline that fails, and one that is stopped at its timeout while stages wait for a lock and a retry."""
    Path("pipegen.yaml").write_text(
        "pipelines:\n  p:\n    fail_fast: true\n    stages:\n"
        "      - { name: holder, script: ['sleep 0.2; false'], lock: db }\n"
        "      - { name: locked, script: [':'], lock: db }\n"
        "    execution: [[holder], [locked]]\n"
        "  q: { timeout: 1s, stages: [{ name: again, script: ['false'], retry: 2 }] }\n",
        encoding="utf-8",
    )

    assert pipegen("run", "-j", "3").status == 1


def results(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reuse results: in a chain, in an image, from a damaged cache, a small one, and a file instead of one."""
    subprocess.run(["git", "init", "-q", "."], check=True)
    Path("VERSION").write_text("1\n", encoding="utf-8")
    chain = CHAIN.replace(">>ran", f">>{Path.cwd() / 'ran'}")

    def run(*options: str, config: str = chain, is_damaged: bool = False) -> None:
        Path("pipegen.yaml").write_text(config, encoding="utf-8")
        subprocess.run(["git", "add", "-A"], check=True)
        result = pipegen("run", *options)
        assert result.status == 0, result.err
        assert ("the results of earlier runs are damaged" in result.err) is is_damaged

    run()
    for name in ("size", "packed", "shipped"):
        Path(name).unlink()
    run("--stage", "ship")
    run("--stage", "ship", config=chain.replace(" of ", " from "))
    run(config=chain.replace("echo 1 >size", "echo 1  >size"))  # other text with the same result
    run("--stage", "ship", config=chain.replace("echo 1 >size", "echo 4 >size"))
    run("--isolated", config=chain.replace("echo 1 >size", "echo 2 >size"))
    run("--isolated", config=chain.replace("echo 1 >size", "echo 2 >size"))
    run("--host", config=chain.replace("- name: build\n", "- name: build\n        image: debian:12\n"))
    run("-j", "4", config=EQUAL)
    monkeypatch.setenv("PIPEGEN_CACHE_SIZE", "1")
    run(config=chain.replace("echo 1 >size", "echo 3 >size"))
    monkeypatch.delenv("PIPEGEN_CACHE_SIZE")
    run()
    replace_contents(Path("../cache"), b"other")
    run()
    run(config=chain.replace("echo 1 >size", "seq 1000 >size"))
    (index,) = Path("../cache/pipegen/results").glob("v*/index.sqlite")
    with closing(sqlite3.connect(index)) as database, database:
        database.execute("UPDATE link SET target = target + 1")
    run(is_damaged=True)
    index.write_bytes(b"no database" * 1_000)
    for name in ("-wal", "-shm"):
        index.with_name(f"{index.name}{name}").unlink(missing_ok=True)
    run(is_damaged=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("VERSION").absolute()))
    run()


SCENARIOS = (fleets, shared_victims, machines, failures, results)


@pytest.mark.slow
def test_each_function_is_called(empty: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that no option, key or state of a user reaches must be deleted, with its tests."""
    for name in ("state", "cache"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(empty / name))
    called: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    for scenario in SCENARIOS:
        folder = empty / scenario.__name__
        folder.mkdir()
        monkeypatch.chdir(folder)
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            scenario(pipegen, monkeypatch)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    reached = {(code.co_filename, code.co_firstlineno) for code in called}
    functions = [function for folder in FOLDERS for function in defined(folder)]
    missed = [words for place, words in functions if place not in reached and not words.startswith(INTERFACES)]

    assert len(functions) > 300
    assert not missed, "\n".join(missed)


def defined(folder: Path) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the functions in *folder*: file, line, and a description."""
    for path in sorted(folder.rglob("*.py")):
        module = compile(path.read_text(encoding="utf-8"), str(path), "exec")
        for code in inner(module):
            is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")  # classes are also code
            is_vote = code.co_name == "<lambda>" and code.co_names  # other constants are not code
            if is_function or is_vote:
                yield (str(path), code.co_firstlineno), f"{path.relative_to(ROOT)} {code.co_qualname}"


def inner(code: CodeType) -> Iterator[CodeType]:
    """Yield all code within *code*."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from inner(constant)
