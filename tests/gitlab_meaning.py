"""The meaning of a generated `.gitlab-ci.yml`: short forms are expanded, so that tests can compare files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

KEYWORDS = frozenset({"stages", "include", "workflow", "default", "variables"})


def meaning(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file *data* with each job's needs, the keys of `default` in each job, and each combination as a job.

    A need states whether artifacts are fetched: https://docs.gitlab.com/ci/yaml/#needsartifacts
    """
    default = data.get("default", {})
    plain = {name: value for name, value in data.items() if name not in KEYWORDS}
    plain = {name: _extended(job, plain) for name, job in plain.items()}
    plain = {name: job for name, job in plain.items() if not (name.startswith(".") and _is_repeated(job))}
    written = {name: _job(job, default if not name.startswith(".") else {}) for name, job in plain.items()}
    for job in written.values():
        if "needs" in job:
            job["needs"] = list(_needs(job["needs"], plain))
    jobs = {
        combination_name: job for name, job in written.items() for combination_name, job in _combinations(name, job)
    }
    rest = {name: value for name, value in data.items() if name in KEYWORDS}
    return {**rest, **jobs}


def _extended(job: Mapping[str, Any], jobs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *job* with the keys of those hidden jobs of *jobs* that it extends and repeats."""
    extended = job.get("extends", [])
    names = [extended] if isinstance(extended, str) else extended
    written = [name for name in names if name.startswith(".") and _is_repeated(jobs.get(name, {}))]
    for name in written:
        merged = {key: {**jobs[name].get(key, {}), **job.get(key, {})} for key in ("variables", "artifacts")}
        job = {**jobs[name], **job, **{key: value for key, value in merged.items() if value}}
    rest = [name for name in names if name not in written]
    own = {key: value for key, value in job.items() if key != "extends"}
    return {**own, "extends": rest[0]} if rest else own


def _is_repeated(hidden: Mapping[str, Any]) -> bool:
    """Return whether the jobs that extend the job *hidden* have its keys."""
    return "script" in hidden or set(hidden) in ({"rules"}, {"artifacts"})


def _combinations(name: str, job: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the jobs of the combinations of a matrix job, with the values as variables, or the job itself."""
    others = {key: value for key, value in job.items() if key != "parallel"}
    if "parallel" not in job:
        yield name, others
    for parallel_name, values in _parallel_jobs(name, job.get("parallel", {})):
        yield parallel_name, {**others, "variables": {**job.get("variables", {}), **values}}


def _parallel_jobs(name: str, parallel: int | Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the names of the jobs that `parallel` creates from one, with the values of each."""
    if isinstance(parallel, int):
        yield from ((f"{name} {number}/{parallel}", {}) for number in range(1, parallel + 1))
    else:
        yield from ((f"{name}: {', '.join(values.values())}", values) for values in _values(parallel))


def _values(parallel: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the values of each combination: each variable of a map has one value or a list of them."""
    lists = [
        {axis: [str(part) for part in (value if isinstance(value, list) else [value])] for axis, value in axes.items()}
        for axes in parallel.get("matrix", ())
    ]
    return [dict(zip(axes, values, strict=True)) for axes in lists for values in product(*axes.values())]


def _job(job: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Return *job* with the keys of *default*, unless it starts another pipeline or does not inherit them."""
    inherited = job.get("inherit", {}).get("default", True)
    taken = {key for key in default if inherited is True or (inherited and key in inherited)}
    return {**{key: default[key] for key in default if key in taken and "trigger" not in job}, **job}


def _needs(needs: list[Any], jobs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for need in needs:
        keys = {"artifacts": True, **({"job": need} if isinstance(need, str) else need)}
        job = jobs.get(keys["job"]) if "pipeline" not in keys else None
        if job is not None:
            keys["artifacts"] = keys["artifacts"] and _leaves_files(job)
        entries = _values(keys.pop("parallel", {}))
        if job is None or "parallel" not in job:
            yield keys
            continue
        for name, values in _parallel_jobs(keys["job"], job["parallel"]):
            if not entries or values in entries:
                yield {**keys, "job": name}


def _leaves_files(job: Mapping[str, Any]) -> bool:
    artifacts = job.get("artifacts", {})
    return "paths" in artifacts or "dotenv" in artifacts.get("reports", {})
