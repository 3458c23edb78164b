"""What the jobs of a file say and how much memory that takes, worked out once for each job."""

from __future__ import annotations

from pipegen.emit.yaml import Value
from pipegen.targets.gitlab.memory import entry_memory, map_memory
from pipegen.targets.gitlab.model import Document, Job
from pipegen.targets.gitlab.render import around, job_data


class Scales:
    """Weighs jobs and files as GitLab does, and keeps what jobs say: files are weighed before they are written."""

    def __init__(self) -> None:
        # By the number of each job; it is held beside what is found, so that no other one gets its number.
        self._found: dict[int, tuple[Job, dict[str, Value], int]] = {}

    def keys(self, job: Job) -> dict[str, Value]:
        """Return the keys of *job*."""
        return self._weighed(job)[1]

    def size(self, job: Job) -> int:
        """Return the bytes that GitLab counts for *job* and its name, at most."""
        return self._weighed(job)[2]

    def weigh(self, document: Document) -> int:
        """Return the bytes that GitLab counts for the file *document*, at most."""
        rest = around(document)
        size = map_memory(len(rest) + len(document.jobs)) + sum(entry_memory(*entry) for entry in rest.items())
        return size + sum(map(self.size, document.jobs))

    def data(self, document: Document) -> dict[str, Value]:
        """Return the keys of the file *document*: what holds for all jobs, hidden jobs, jobs."""
        return around(document) | {job.name: self.keys(job) for job in document.jobs}

    def _weighed(self, job: Job) -> tuple[Job, dict[str, Value], int]:
        found = self._found.get(id(job))
        if found is None:
            keys = job_data(job)
            found = self._found[id(job)] = (job, keys, entry_memory(job.name, keys))
        return found
