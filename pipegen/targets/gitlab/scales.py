"""What the jobs of a file say and how much memory that takes, worked out once for each job."""

from __future__ import annotations

from dataclasses import dataclass

from pipegen.emit.yaml import Value
from pipegen.targets.gitlab.memory import entry_memory, map_memory
from pipegen.targets.gitlab.model import Document, Job
from pipegen.targets.gitlab.render import around, job_data


@dataclass(frozen=True, slots=True)
class Weighed:
    """A *job*, its keys, and the memory that these and its name take."""

    job: Job
    keys: dict[str, Value]
    size: int


class Scales:
    """Weighs jobs and files as GitLab does, and keeps what jobs say: files are weighed before they are written."""

    def __init__(self) -> None:
        self._weighed: dict[int, Weighed] = {}

    def weighed(self, job: Job) -> Weighed:
        """Return *job*, weighed."""
        # What is found holds the job, so that no other one gets its number.
        found = self._weighed.get(id(job))
        if found is None:
            keys = job_data(job)
            found = self._weighed[id(job)] = Weighed(job, keys, entry_memory(job.name, keys))
        return found

    def weigh(self, document: Document) -> int:
        """Return the bytes that GitLab counts for the file *document*, at most."""
        rest = around(document)
        size = map_memory(len(rest) + len(document.jobs)) + sum(entry_memory(*entry) for entry in rest.items())
        return size + sum(self.weighed(job).size for job in document.jobs)

    def data(self, document: Document) -> dict[str, Value]:
        """Return the keys of the file *document*: what holds for all jobs, hidden jobs, jobs."""
        return around(document) | {job.name: self.weighed(job).keys for job in document.jobs}
