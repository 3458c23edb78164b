"""Values and files that a job may not find: their stage was skipped, or was allowed to fail."""

from __future__ import annotations

from pipegen.plan.model import Job
from pipegen.plan.model.logic import implies


def may_be_absent(producer: Job, reader: Job) -> bool:
    """Return whether *producer* may have left nothing when *reader* runs."""
    return (
        producer.limits.allow_failure is not None
        or reader.is_final
        or (producer.condition is not None and not implies(reader.condition, producer.condition))
    )
