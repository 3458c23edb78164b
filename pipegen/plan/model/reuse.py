"""What a result depends on beside the job itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipegen.source.text import Span


@dataclass(frozen=True, slots=True)
class Reuse:
    """A run on this machine may take the job's result from its cache.

    Then the job, what it reads, the contents of *files* (patterns relative to the root of the repository) and the
    values of the variables *env* are as they were.
    """

    files: tuple[str, ...]
    env: tuple[str, ...]
    span: Span = field(compare=False)
