"""The texts of a job that every target puts somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job
from pipegen.plan.model.texts import stage_texts


def job_texts(job: Job) -> Iterator[Text]:
    """Yield the texts of what *job* does, what it runs in, the mail it sends and the keys of its caches."""
    yield from stage_texts(job.stage, job.steps, job.after, job.machine, None, job.mail)
    for cache in job.caches:
        yield from (cache.key, *cache.fallback)
