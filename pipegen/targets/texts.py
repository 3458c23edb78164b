"""The texts of a job that every target puts somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job
from pipegen.plan.model.texts import line_texts, machine_texts, mail_texts, step_texts


def job_texts(job: Job) -> Iterator[Text]:
    """Yield the texts of what *job* does, what it runs in, the mail it sends and the keys of its caches."""
    for step in job.steps:
        yield from step_texts(step, job.stage)
    yield from line_texts(job.after)
    yield from machine_texts(job.machine)
    if job.mail is not None:
        yield from mail_texts(job.mail)
    for cache in job.caches:
        yield from (cache.key, *cache.fallback)
