"""What a generated `.gitlab-ci.yml` means: short forms written out, so that tests can compare the meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

KEYWORDS = frozenset({"stages", "include", "workflow", "default", "variables"})


def meaning(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file *data* with each job's needs written out, and the keys of `default` in each job.

    A need says whether artifacts arrive by it: https://docs.gitlab.com/ci/yaml/#needsartifacts
    """
    default = data.get("default", {})
    plain = {name: value for name, value in data.items() if name not in KEYWORDS}
    jobs = {name: _job(job, default if not name.startswith(".") else {}) for name, job in plain.items()}
    for job in jobs.values():
        if "needs" in job:
            job["needs"] = list(_needs(job["needs"], plain))
    return {**data, **jobs}


def _job(job: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Return *job* with the keys of *default*, unless it starts another pipeline or does not inherit them."""
    inherited = job.get("inherit", {}).get("default", True)
    taken = {key for key in default if inherited is True or (inherited and key in inherited)}
    return {**{key: default[key] for key in default if key in taken and "trigger" not in job}, **job}


def _needs(needs: list[Any], jobs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for need in needs:
        keys = {"artifacts": True, **({"job": need} if isinstance(need, str) else need)}
        if "pipeline" not in keys and keys["job"] in jobs:
            keys["artifacts"] = keys["artifacts"] and _leaves_files(jobs[keys["job"]])
        yield keys


def _leaves_files(job: Mapping[str, Any]) -> bool:
    artifacts = job.get("artifacts", {})
    return "paths" in artifacts or "dotenv" in artifacts.get("reports", {})
