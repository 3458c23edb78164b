"""Which jobs of a file refer to which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipegen.structs import Struct
from pipegen.targets.gitlab.model import GitLabJob, NeedEntry


class JobReferences(Struct):
    """The references of jobs to others, by the name of the other job.

    Attributes:
        needs: the needs, each with the job that has it.
        readers: the jobs that get its files.
        stops: the jobs that stop environments.
    """

    needs: Mapping[str, Sequence[tuple[str, NeedEntry]]]
    readers: Mapping[str, Sequence[str]]
    stops: frozenset[str]

    @classmethod
    def of(cls, jobs: Iterable[GitLabJob]) -> JobReferences:
        """Return the references of *jobs*."""
        needs: dict[str, list[tuple[str, NeedEntry]]] = {}
        readers: dict[str, list[str]] = {}
        stops = set()
        for job in jobs:
            for need in job.needs:
                needs.setdefault(need.job, []).append((job.name, need))
            for name in set(job.dependencies or ()):
                readers.setdefault(name, []).append(job.name)
            if job.environment is not None and job.environment.on_stop:
                stops.add(job.environment.on_stop)
        return cls(needs, readers, frozenset(stops))

    def needs_of(self, names: Iterable[str]) -> dict[str, list[NeedEntry]]:
        """Return the needs of the jobs *names*, by the job that has them."""
        needs: dict[str, list[NeedEntry]] = {}
        for name in names:
            for job, need in self.needs.get(name, ()):
                needs.setdefault(job, []).append(need)
        return needs

    def readers_of(self, names: Iterable[str]) -> Counter[str]:
        """Return how many of the jobs *names* each job gets files of."""
        return Counter(reader for name in names for reader in self.readers.get(name, ()))
