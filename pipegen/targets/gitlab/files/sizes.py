"""What the jobs of a file say and how much memory that takes, worked out once for each job."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.emit.yaml import Value
from pipegen.structs import Struct
from pipegen.targets.gitlab.memory import map_memory, memory
from pipegen.targets.gitlab.model import Document, GitLabJob, ScriptEntry
from pipegen.targets.gitlab.render import around, job_data, script_data


class SizedJob(Struct):
    """A *job*, its *keys*, and the bytes that GitLab counts for it and its name, at most."""

    job: GitLabJob
    keys: dict[str, Value]
    size: int


class _Lines(Struct):
    """What a *script* says, and the bytes that GitLab counts for that."""

    script: tuple[ScriptEntry, ...]
    lines: Value
    size: int


class Scales:
    """Weighs jobs and files as GitLab does, and keeps what jobs say: files are weighed before they are written."""

    def __init__(self) -> None:
        # By the number of each job; it is held beside what is found, so that no other one gets its number. A job that
        # is put into another file has other needs there, and the same script.
        self._found: dict[int, SizedJob] = {}
        self._scripts: dict[int, _Lines] = {}

    def each(self, jobs: Iterable[GitLabJob]) -> list[SizedJob]:
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

    def _weighed(self, job: GitLabJob) -> SizedJob:
        script = self._scripts.get(id(job.script)) or self._lines(job.script)
        keys = job_data(job, script.lines)
        if script.lines is not None and keys.get("script") is script.lines:
            size = memory(job.name, keys | {"script": None}) + script.size
        else:
            size = memory(job.name, keys)
        found = self._found[id(job)] = SizedJob(job, keys, size)
        return found

    def _lines(self, script: tuple[ScriptEntry, ...]) -> _Lines:
        lines = script_data(script)
        found = self._scripts[id(script)] = _Lines(script, lines, memory(lines))
        return found
