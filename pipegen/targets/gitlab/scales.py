"""What the jobs of a file say and how much memory that takes, worked out once for each job."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.emit.yaml import Value
from pipegen.structs import Struct
from pipegen.targets.gitlab.memory import map_memory, memory
from pipegen.targets.gitlab.model import Document, Job
from pipegen.targets.gitlab.render import around, job_data


class Weighed(Struct):
    """A *job*, its *keys*, and the bytes that GitLab counts for it and its name, at most."""

    job: Job
    keys: dict[str, Value]
    size: int


class Scales:
    """Weighs jobs and files as GitLab does, and keeps what jobs say: files are weighed before they are written."""

    def __init__(self) -> None:
        # By the number of each job; it is held beside what is found, so that no other one gets its number.
        self._found: dict[int, Weighed] = {}

    def each(self, jobs: Iterable[Job]) -> list[Weighed]:
        """Return *jobs* weighed."""
        found = self._found
        return [found.get(id(job)) or self._weighed(job) for job in jobs]

    def weigh(self, document: Document) -> int:
        """Return the bytes that GitLab counts for the file *document*, at most."""
        rest = around(document)
        size = map_memory(len(rest) + len(document.jobs)) + memory(*rest, *rest.values())
        return size + sum([one.size for one in self.each(document.jobs)])

    def data(self, document: Document) -> dict[str, Value]:
        """Return the keys of the file *document*: what holds for all jobs, hidden jobs, jobs."""
        return around(document) | {one.job.name: one.keys for one in self.each(document.jobs)}

    def _weighed(self, job: Job) -> Weighed:
        keys = job_data(job)
        found = self._found[id(job)] = Weighed(job, keys, memory(job.name, keys))
        return found
