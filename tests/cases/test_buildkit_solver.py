"""Replay of BuildKit's cache cases on the cache keys of runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases.solver import Build, BuildError, Store

from pipegen.run.local.cache.index import Index
from pipegen.run.local.cache.keys import TABLES, Keys, Origin, content

CASES = "buildkit_solver.json"

Case = dict[str, Any]

# Cases that do not apply, with the reason: one loop starts all stages of a run in the order of its graph, and waits for
# an equal stage that is already running. Running stages are not merged, and no result is held for a later request.
LEFT_OUT = {
    "active-vertex-shared-by-parallel-builds": "a graph holds each stage once; see the test of equal stages",
    "cancel-one-of-two-requesters": "stages are stopped by the run, not by who asked for them",
    "ignore-cache-against-live-vertices": "results of running stages are not merged across runs",
    "merge-keeps-the-owner-alive-and-never-targets-a-dead-one": "a run has no table of who holds what",
    "index/simple": "there is no index of what runs in other runs",
    "index/alternatives": "there is no index of what runs in other runs",
    "index/three-levels": "there is no index of what runs in other runs",
}


def check_solver(case: Case, index: Index) -> None:
    """Check the results of consecutive builds, with the number of key, execution and load calls."""
    store = Store.of(index)
    for step in case["steps"]:
        if step["do"] == "loads_fail":
            store.do_loads_fail = step["on"]
        if step["do"] == "build":
            check_build(case, step, store)


def check_build(case: Case, step: Case, store: Store) -> None:
    """Check the outcome of one build."""
    build = Build(case["graphs"][step["graph"]], case["graphs"], store)
    expectation = step["expect"]
    if "error" in expectation:
        with pytest.raises(BuildError, match=expectation["error"]):
            build.run()
    else:
        assert build.run() == expectation["result"]
    if "key_calls" in expectation:
        assert build.key_calls == expectation["key_calls"]
    if "exec_calls" in expectation:
        assert build.exec_calls == expectation["exec_calls"]
    if "loads_total" in expectation:
        assert store.loads == expectation["loads_total"]
    if "export_all" in expectation:
        assert store.count() == expectation["export_all"]["unique_records"]


def check_key_store(case: Case, index: Index) -> None:
    """Check the keys and records that queries by one input return."""
    keys = Keys(index)
    saved: dict[str, int] = {}
    records: dict[int, list[str]] = {}
    ids: dict[str, frozenset[int]] = {}

    def origins(cases: list[Case]) -> list[Origin]:
        return [
            Origin(saved[data["ref"]], data.get("selector", ""))
            if "ref" in data
            else content(f"{data['digest']} {data.get('selector', '')}")
            for data in cases
        ]

    def matching_keys(query: Case) -> frozenset[int]:
        own = f"{query['digest']} {query['output']}"
        if query["dep_keys"] is not None:
            found = keys.after(origins(query["dep_keys"]), query["input"], own)
            for key in found:
                keys.link(key, own, [*[()] * query["input"], origins(query["dep_keys"])])
            return found
        root = keys.root(own)
        return frozenset() if root is None else frozenset({root})

    for step in case["steps"]:
        if step["do"] == "save":
            own = f"{step['key']['digest']} {step['key']['output']}"
            saved[step["as"]] = key = keys.save(
                own, [origins(dependency) for dependency in step["key"].get("deps", ())]
            )
            records.setdefault(key, []).append(step["result"])
            continue
        if step["do"] == "release":
            records = {key: [text for text in texts if text != step["result"]] for key, texts in records.items()}
            keys.remove_unused(key for key, texts in records.items() if texts)
            continue
        data, texts = step["expect"], [record for key in matching_keys(step) for record in records.get(key, ())]
        assert len(matching_keys(step)) == data["keys"]
        assert len(texts) == data.get("records", len(texts))
        assert "loads" not in data or data["loads"] in texts
        assert "id" not in data or ids.setdefault(data["id"], matching_keys(step)) == matching_keys(step)


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
        pytest.skip(LEFT_OUT[case["id"]])
    with closing(Index(tmp_path, (TABLES,))) as index:
        CHECKS[case["kind"]](case, index)


def test_excluded_cases_exist(cases: list[Case]) -> None:
    """The table of exclusions names only cases of the file."""
    assert LEFT_OUT.keys() <= {case["id"] for case in cases}
