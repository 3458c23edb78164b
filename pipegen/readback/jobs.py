"""The jobs of a generated `.gitlab-ci.yml`, counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipegen.readback.gitlab import document
from pipegen.structs import Struct

_HELPER = "PIPEGEN_HELPER"


class Jobs(Struct):
    """All jobs, those among them that stand for no stage, and the most needs that one of all has."""

    names: tuple[str, ...]
    helpers: tuple[str, ...]
    most_needs: int


def read_jobs(text: str) -> Jobs:
    """Return what the jobs in *text* are; each of them has a stage, and nothing else has."""
    data = document(text)
    found: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    jobs = {name: one for name, one in found.items() if isinstance(one, Mapping) and "stage" in one}
    return Jobs(
        names=tuple(jobs),
        helpers=tuple(name for name, job in jobs.items() if _HELPER in job.get("variables", {})),
        most_needs=max((len(job.get("needs", ())) for job in jobs.values()), default=0),
    )
