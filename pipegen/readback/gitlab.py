"""The order that a generated `.gitlab-ci.yml` enforces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ruamel.yaml import YAML

from pipegen.graph.execution import ExecutionGraph

_HELPER = "PIPEGEN_HELPER"
# What stands beside the jobs: https://docs.gitlab.com/ci/yaml/
_KEYWORDS = frozenset(
    {
        *("after_script", "before_script", "cache", "default", "image", "include", "services", "spec", "stages"),
        *("variables", "workflow"),
    }
)


def order(text: str) -> ExecutionGraph:
    """Return which job waits for which, by the names of the jobs.

    A job waits for its needs, and without that key for all jobs of earlier stages. Helper jobs are no nodes: who waits
    for one waits for what it waits for. Needs on farther ancestors are arcs too, so compare what comes before a job,
    not the arcs alone.
    """
    jobs, waits = _read(text)
    shown = {name: not _is_helper(job) for name, job in jobs.items()}
    arcs: list[tuple[str, ...]] = [(name,) for name in jobs if shown[name]]
    for name in jobs:
        if shown[name]:
            arcs += [(earlier, name) for earlier in dict.fromkeys(_seen_through(name, waits, shown))]
    return ExecutionGraph(arcs)


def _read(text: str) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Return the jobs in *text*, and what each waits for itself."""
    # ruamel's C scanner, where it is installed, refuses the second colon in a flow mapping: `{ name: docker:28 }`.
    document: Mapping[str, Any] = YAML(typ="safe", pure=True).load(text)
    jobs = {name: job for name, job in document.items() if name not in _KEYWORDS and not name.startswith(".")}
    stages: list[str] = document["stages"]
    place = {name: stages.index(job["stage"]) for name, job in jobs.items()}
    waits = {}
    for name, job in jobs.items():
        if "needs" in job:
            waits[name] = tuple(need["job"] if isinstance(need, Mapping) else need for need in job["needs"])
        else:
            waits[name] = tuple(other for other in jobs if place[other] < place[name])
    return jobs, waits


def _is_helper(job: Mapping[str, Any]) -> bool:
    return _HELPER in job.get("variables", {})


def _seen_through(name: str, waits: Mapping[str, tuple[str, ...]], shown: Mapping[str, bool]) -> Iterator[str]:
    """Yield the jobs that *name* waits for, with what helpers wait for in their place."""
    left = list(reversed(waits[name]))
    seen = set()
    while left:
        earlier = left.pop()
        if shown[earlier]:
            yield earlier
        elif earlier not in seen:
            seen.add(earlier)
            left += reversed(waits[earlier])
