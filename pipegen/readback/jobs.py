"""The jobs of a generated `.gitlab-ci.yml`, counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML

_HELPER = "PIPEGEN_HELPER"


@dataclass(frozen=True, slots=True)
class Jobs:
    """All jobs, those among them that stand for no stage, and the most needs that one of all has."""

    names: tuple[str, ...]
    helpers: tuple[str, ...]
    most_needs: int


def read_jobs(text: str) -> Jobs:
    """Return what the jobs in *text* are; each of them has a stage, and nothing else has."""
    # The parser in C refuses "docker:28" where it stands in braces.
    document: Mapping[str, Any] = YAML(typ="safe", pure=True).load(text)
    jobs = {name: one for name, one in document.items() if isinstance(one, Mapping) and "stage" in one}
    return Jobs(
        names=tuple(jobs),
        helpers=tuple(name for name, job in jobs.items() if _HELPER in job.get("variables", {})),
        most_needs=max((len(job.get("needs", ())) for job in jobs.values()), default=0),
    )
