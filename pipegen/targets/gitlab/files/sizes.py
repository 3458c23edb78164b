"""The keys of the jobs of a file and their size in memory, computed once for each job."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.emit.yaml import Value
from pipegen.structs import Struct
from pipegen.targets.gitlab.memory import map_memory, memory
from pipegen.targets.gitlab.model import Document, GitLabJob, ScriptEntry
from pipegen.targets.gitlab.render import job_data, script_data, shared_keys


class SizedJob(Struct):
    """A *job*, its *keys*, and the maximum bytes that GitLab counts for it and its name."""

    job: GitLabJob
    keys: dict[str, Value]
    size: int


class _Lines(Struct):
    """The lines of a *script*, and the bytes that GitLab counts for them."""

    script: tuple[ScriptEntry, ...]
    lines: Value
    size: int


class SizeEstimator:
    """Estimates the size of jobs and files as GitLab does, and caches the keys of jobs for writing."""

    def __init__(self) -> None:
        # By `id`; the values keep the objects alive, so that no other object gets the same `id`. A job that moves to
        # another file has other needs there, and the same script.
        self._sized: dict[int, SizedJob] = {}
        self._scripts: dict[int, _Lines] = {}

    def sized_jobs(self, jobs: Iterable[GitLabJob]) -> list[SizedJob]:
        """Return *jobs* with their sizes."""
        cache = self._sized
        return [cache.get(id(job)) or self._sized_job(job) for job in jobs]

    def file_size(self, document: Document) -> int:
        """Return the maximum bytes that GitLab counts for the file *document*."""
        rest = shared_keys(document)
        size = map_memory(len(rest) + len(document.jobs)) + memory(*rest, *rest.values())
        return size + sum([sized_job.size for sized_job in self.sized_jobs(document.jobs)])

    def data(self, document: Document) -> dict[str, Value]:
        """Return the keys of the file *document*: those for all jobs, hidden jobs, jobs."""
        return shared_keys(document) | {
            sized_job.job.name: sized_job.keys for sized_job in self.sized_jobs(document.jobs)
        }

    def _sized_job(self, job: GitLabJob) -> SizedJob:
        script = self._scripts.get(id(job.script)) or self._lines(job.script)
        keys = job_data(job, script.lines)
        if script.lines is not None and keys.get("script") is script.lines:
            size = memory(job.name, keys | {"script": None}) + script.size
        else:
            size = memory(job.name, keys)
        sized = self._sized[id(job)] = SizedJob(job, keys, size)
        return sized

    def _lines(self, script: tuple[ScriptEntry, ...]) -> _Lines:
        lines = script_data(script)
        sized = self._scripts[id(script)] = _Lines(script, lines, memory(lines))
        return sized
