"""The texts of a job that every target puts somewhere."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job
from pipegen.plan.model.texts import stage_texts


def job_texts(job: Job) -> list[Text]:
    """Return the texts of what *job* does, what it runs in, the mail it sends and the keys of its caches."""
    found = stage_texts(job.stage, job.steps, job.after, job.machine, None, job.mail)
    for cache in job.caches:
        found += (cache.key, *cache.fallback)
    return found
