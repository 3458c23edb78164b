"""Replay of BuildKit's cache cases on the cache keys of runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases.solver import Build, BuildError, Store

from pipegen.run.local.cache.index import Index
from pipegen.run.local.cache.keys import TABLES, Keys, Origin

CASES = "buildkit_solver.json"

Case = dict[str, Any]

# What does not carry over, and why: one loop starts all stages of a run in the order of its graph, and an equal stage
# that runs already is waited for. Nothing is merged while it runs, and nothing is held for somebody who asked.
LEFT_OUT = {
    "active-vertex-shared-by-parallel-builds": "a graph holds each stage once; see the test of equal stages",
    "cancel-one-of-two-requesters": "stages are stopped by the run, not by who asked for them",
    "ignore-cache-against-live-vertices": "results of running stages are not merged across runs",
    "merge-keeps-the-owner-alive-and-never-targets-a-dead-one": "a run has no table of who holds what",
    "index/simple": "there is no index of what runs in other runs",
    "index/alternatives": "there is no index of what runs in other runs",
    "index/three-levels": "there is no index of what runs in other runs",
}


def check_solver(case: Case, folder: Path) -> None:
    """Check the results of consecutive builds, with the number of key, execution and load calls."""
    store = Store.of(folder)
    for step in case["steps"]:
        if step["do"] == "loads_fail":
            store.do_loads_fail = step["on"]
        if step["do"] == "build":
            check_build(case, step, store)


def check_build(case: Case, step: Case, store: Store) -> None:
    """Check the outcome of one build."""
    build = Build(case["graphs"][step["graph"]], case["graphs"], store)
    told = step["expect"]
    if "error" in told:
        with pytest.raises(BuildError, match=told["error"]):
            build.run()
    else:
        assert build.run() == told["result"]
    if "key_calls" in told:
        assert build.key_calls == told["key_calls"]
    if "exec_calls" in told:
        assert build.exec_calls == told["exec_calls"]
    if "loads_total" in told:
        assert store.loads == told["loads_total"]
    if "export_all" in told:
        assert store.count() == told["export_all"]["unique_records"]


def check_key_store(case: Case, folder: Path) -> None:
    """Check the keys and records that queries by one input return."""
    keys = Keys(Index(folder, (TABLES,)))
    saved: dict[str, int] = {}
    records: dict[int, list[str]] = {}
    ids: dict[str, frozenset[int]] = {}

    def origins(told: list[Case]) -> list[Origin]:
        return [
            Origin(saved[one["ref"]] if "ref" in one else keys.content(one["digest"]), one.get("selector", ""))
            for one in told
        ]

    def found(query: Case) -> frozenset[int]:
        own = f"{query['digest']} {query['output']}"
        if query["dep_keys"] is not None:
            return keys.after(origins(query["dep_keys"]), query["input"], own)
        root = keys.root(own)
        return frozenset() if root is None else frozenset({root})

    for step in case["steps"]:
        if step["do"] == "save":
            own = f"{step['key']['digest']} {step['key']['output']}"
            saved[step["as"]] = key = keys.save(own, [origins(one) for one in step["key"].get("deps", ())])
            records.setdefault(key, []).append(step["result"])
            continue
        told, held = step["expect"], [record for key in found(step) for record in records.get(key, ())]
        assert len(found(step)) == told["keys"]
        assert len(held) == told.get("records", len(held))
        assert "loads" not in told or told["loads"] in held
        assert "id" not in told or ids.setdefault(told["id"], found(step)) == found(step)


CHECKS = {"solver": check_solver, "key_store": check_key_store}


@pytest.fixture(autouse=True)
def _deep() -> Iterator[None]:
    """Raise the recursion limit, because a case has a tree of a thousand vertices."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(5_000)
    yield
    sys.setrecursionlimit(limit)


def test_case_has_the_results_of_buildkit(case: Case, tmp_path: Path) -> None:
    """Cases in the table of exclusions are skipped."""
    if case["id"] in LEFT_OUT:
        return
    CHECKS[case["kind"]](case, tmp_path)


def test_excluded_cases_exist(cases: list[Case]) -> None:
    """The table of exclusions names only cases of the file."""
    assert LEFT_OUT.keys() <= {case["id"] for case in cases}
