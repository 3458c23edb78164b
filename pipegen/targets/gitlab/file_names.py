"""The files of a config: that of each pipeline, named by what it says but for the main one, and those it includes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from posixpath import join
from shlex import quote

from pipegen.diagnostics.report import Report
from pipegen.digests import digest_of
from pipegen.emit.yaml import write
from pipegen.plan.model import Job
from pipegen.source.text import Span
from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile
from pipegen.targets.gitlab.checks import versions
from pipegen.targets.gitlab.checks.unsupported import check_includes, check_size
from pipegen.targets.gitlab.files.sizes import Scales
from pipegen.targets.gitlab.lower import ChildFile, Lowered
from pipegen.targets.gitlab.memory import BUDGET, Version
from pipegen.targets.gitlab.model import Document
from pipegen.targets.gitlab.render import headed

MAIN = ".gitlab-ci.yml"
# Of the files of child pipelines, and of those that are included, beside that.
FOLDER = ".gitlab-ci"
_LONGEST, _DIGITS = 40, 10


class Files(Struct, kw_only=True):
    """Makes files.

    Attributes:
        source: the config, as headers name it.
        given: notes on the options, for all headers.
        folder: where the main file is, from the root of the repository; "" is the root.
        limit: the bytes of memory that a parsed file may take.
        scales: what the jobs of these files are weighed on.
        is_alone: whether the main file can have no others beside it.
        at: what is pointed at where a file is too big.
        jobs: the stages that jobs are for, by the names of these.
        version: that of the GitLab server, if it is known.
    """

    source: str
    given: Sequence[str]
    folder: str
    limit: int
    scales: Scales
    is_alone: bool
    at: Span
    jobs: Mapping[str, Job]
    version: Version | None
    report: Report

    def of(self, lowered: Lowered) -> tuple[GeneratedFile, ...]:
        """Return the files of child pipelines, each after those that it includes, then the main one in the same way."""
        children = {child.bridge: self._child(child) for child in lowered.children}
        document = lowered.document
        if children:
            from pipegen.targets.gitlab.files.children import with_children  # noqa: PLC0415 - most configs have none

            started = {bridge: files[-1] for bridge, files in children.items()}
            document = with_children(document, started, self.folder)
        main = self._pipeline(document, lowered.notes, lambda _: MAIN)
        return (*(file for files in children.values() for file in files), *main)

    def _child(self, child: ChildFile) -> tuple[GeneratedFile, ...]:
        words = re.sub(r"[^a-z0-9]+", "-", child.title.lower()).strip("-")[:_LONGEST].strip("-") or "child"
        note = f"A child pipeline: the job {quote(child.bridge)} of {MAIN} starts it."
        return self._pipeline(child.document, (note,), lambda text: _beside(words, text))

    def _pipeline(
        self, document: Document, notes: Sequence[str], name: Callable[[str], str]
    ) -> tuple[GeneratedFile, ...]:
        """Return the files of one pipeline, its own last; *name* makes the name of that from its text."""
        budget = self.limit * BUDGET // 100
        found = self._found(document)
        is_big = self.scales.weigh(document) > budget and not self.is_alone
        body = "" if is_big else self._body(document)
        parts, biggest = list[GeneratedFile](), 0
        if is_big or (len(body.encode()) > budget and not self.is_alone):
            parts, biggest = self._parts(document, budget)
            document = replace(document, jobs=(), includes=tuple(join(self.folder, part.name) for part in parts))
            notes = (*notes, f"Includes its jobs from {_files(len(parts))}: GitLab bounds the size of each.")
            body = self._body(document)
        size = max(biggest, self.scales.weigh(document), len(body.encode()))
        found |= {one: [""] for one in versions.beyond_keys((body, *(part.text for part in parts)), size)}
        if self.version is not None:
            versions.check(found, self.version, self.jobs, self.at, self.report)
        text = self._headed(body, (*notes, *versions.note(found)))
        own = GeneratedFile(name(text), text)
        self._check(own, document)
        check_includes(own.name, len(parts), self.at, self.report)
        return (*parts, own)

    def _found(self, document: Document) -> dict[str, list[str]]:
        """Return what in *document* needs a certain version of GitLab, with the jobs where it stands."""
        found = versions.held(self.scales.data(document))
        stages = {job.name: job.stage for job in document.jobs}
        same = [
            job.name
            for job in document.jobs
            for need in job.needs
            if need.job in stages and stages[need.job] == job.stage
        ]
        return found | ({versions.SAME_STAGE: [*dict.fromkeys(same)]} if same else {})

    def _parts(self, document: Document, budget: int) -> tuple[list[GeneratedFile], int]:
        """Return the files of *budget* bytes that hold the jobs of *document*, and what the biggest takes."""
        from pipegen.targets.gitlab.files.includes import halves, included  # noqa: PLC0415 - most configs fit into one file

        parts, biggest = list[GeneratedFile](), 0
        waiting = [*included(document, budget, self.scales)][::-1]
        while waiting:
            piece = waiting.pop()
            text = self._headed(self._body(piece), ("Jobs of a pipeline that would be too big in one file.",))
            if len(text.encode()) > budget and len(piece.jobs) > 1:
                waiting += reversed(halves(piece))
                continue
            parts.append(GeneratedFile(_beside(f"jobs-{len(parts) + 1}", text), text))
            self._check(parts[-1], piece)
            biggest = max(biggest, self.scales.weigh(piece), len(text.encode()))
        return parts, biggest

    def _body(self, document: Document) -> str:
        return write(self.scales.data(document))

    def _headed(self, body: str, notes: Sequence[str]) -> str:
        return headed(body, self.source, (*self.given, *notes))

    def _check(self, file: GeneratedFile, document: Document) -> None:
        jobs = document.jobs
        job = self.jobs.get(jobs[0].name) if len(jobs) == 1 else None
        at = job.span if job is not None else self.at
        check_size(
            file.name, len(jobs), (self.scales.weigh(document), len(file.text.encode())), self.limit, at, self.report
        )


def _files(count: int) -> str:
    return "a file" if count == 1 else f"{count} files"


def _beside(words: str, text: str) -> str:
    return f"{FOLDER}/{words}-{digest_of(text, _DIGITS)}.yml"
