"""The generated files: the main file, those of child pipelines, and included ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import join
from shlex import quote

from pipegen.diagnostics.report import Report
from pipegen.emit.header import part_note
from pipegen.emit.yaml import write
from pipegen.numbering import unique_name
from pipegen.plan.model import Job
from pipegen.source.text import Span
from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile
from pipegen.targets.gitlab.checks import versions
from pipegen.targets.gitlab.checks.unsupported import check_includes, check_size
from pipegen.targets.gitlab.condensed.document import condensed
from pipegen.targets.gitlab.condensed.matrix_needs import MatrixFeatures
from pipegen.targets.gitlab.files.children import with_children
from pipegen.targets.gitlab.files.includes import halves, split_jobs
from pipegen.targets.gitlab.files.sizes import SizeEstimator
from pipegen.targets.gitlab.lower import ChildFile, Lowered
from pipegen.targets.gitlab.memory import BUDGET, Version
from pipegen.targets.gitlab.model import Document
from pipegen.targets.gitlab.render import with_file_header

MAIN = ".gitlab-ci.yml"
# The folder of the files of child pipelines and of included files, next to the main file.
FOLDER = ".gitlab-ci"
_LONGEST = 40


class FileBuilder(Struct, kw_only=True):
    """Builds the files of a compilation.

    Attributes:
        source: the path of the config, for headers.
        option_notes: notes on the options, for all headers.
        folder: the folder of the main file, from the root of the repository; "" is the root.
        limit: the maximum memory of a parsed file, in bytes.
        sizes: estimates the size of jobs and files.
        is_alone: whether the main file cannot include others.
        at: the location of diagnostics about a file that is too large.
        jobs: the stages, by the names of their jobs.
        version: the version of the GitLab server, if known.
    """

    source: str
    option_notes: Sequence[str]
    folder: str
    limit: int
    sizes: SizeEstimator
    is_alone: bool
    at: Span
    jobs: Mapping[str, Job]
    version: Version | None
    report: Report

    def build(self, lowered: Lowered) -> tuple[GeneratedFile, ...]:
        """Return the files of child pipelines, then the main file, each after the files that it includes."""
        names = _child_names(lowered.children)
        children = {child.bridge: self._child(child, name) for child, name in zip(lowered.children, names, strict=True)}
        document = lowered.document
        if children:
            child_files = {bridge: files[-1] for bridge, files in children.items()}
            document = with_children(document, child_files, self.folder)
        main = self._pipeline(document, lowered.notes, MAIN, "jobs")
        return (*(file for files in children.values() for file in files), *main)

    def _child(self, child: ChildFile, name: str) -> tuple[GeneratedFile, ...]:
        note = part_note(f": its job {quote(child.bridge)} starts this child pipeline")
        return self._pipeline(child.document, (note,), f"{FOLDER}/{name}.yml", f"{name}_jobs")

    def _pipeline(
        self, document: Document, notes: Sequence[str], name: str, part_name: str
    ) -> tuple[GeneratedFile, ...]:
        """Return the files of one pipeline, its main file *name* last; *part_name* begins the names of the others."""
        document = condensed(
            document,
            self.jobs,
            self._title,
            self._pipeline_name,
            has_same_stage=self._has(versions.SAME_STAGE),
            has_when_beside_rules=self._has(versions.WHEN_BESIDE_RULES),
            matrix_features=MatrixFeatures(
                single=self._has("job.needs.parallel"),
                # Too new for a file for any version.
                expressions=self.version is not None and self._has(versions.MATRIX_EXPRESSIONS),
                tags=self._has(versions.TAG_VARIABLES),
            ),
        )
        budget = self.limit * BUDGET // 100
        used = self._features(document)
        is_too_big = self.sizes.file_size(document) > budget and not self.is_alone
        body = "" if is_too_big else self._body(document)
        parts, largest = list[GeneratedFile](), 0
        if is_too_big or (len(body.encode()) > budget and not self.is_alone):
            parts, largest = self._parts(document, budget, part_name)
            document = replace(document, jobs=(), includes=tuple(join(self.folder, part.name) for part in parts))
            notes = (*notes, f"Includes its jobs from {_files(len(parts))}: GitLab bounds the size of each.")
            body = self._body(document)
        size = max(largest, self.sizes.file_size(document), len(body.encode()))
        used |= {feature: [""] for feature in versions.other_features((body, *(part.text for part in parts)), size)}
        if self.version is not None:
            versions.check(used, self.version, self.jobs, self.at, self.report)
        text = self._with_header(body, (*notes, *versions.note(used)))
        file = GeneratedFile(name, text)
        self._check(file, document)
        check_includes(file.name, len(parts), self.at, self.report)
        return (*parts, file)

    def _has(self, feature: str) -> bool:
        return self.version is None or self.version >= versions.KEYS[feature].version

    def _title(self, name: str) -> str:
        """Return the name of the job *name* in the name of its stage: combinations have that of their matrix."""
        job = self.jobs.get(name)
        return name if job is None else job.title

    def _pipeline_name(self, name: str) -> str:
        """Return the pipeline of the job *name* if its name begins with that of the pipeline, else ""."""
        job = self.jobs.get(name)
        suffix = f": {job.stage}" if job is not None else ""
        return name.removesuffix(suffix) if suffix and name.endswith(suffix) else ""

    def _features(self, document: Document) -> dict[str, list[str]]:
        """Return the features of *document* that need a certain version of GitLab, with the jobs that use them."""
        users = _users(document)
        features = versions.features_used(self.sizes.data(document))
        used = {
            feature: [*dict.fromkeys(user for name in names for user in users.get(name, (name,)))]
            for feature, names in features.items()
        }
        stages = {job.name: job.stage for job in document.jobs}
        same_stage = [
            user
            for job in document.jobs
            for need in job.needs
            for user in users.get(job.name, (job.name,))
            if stages.get(need.job) == stages[user]
        ]
        others = {versions.SAME_STAGE: same_stage, versions.WHEN_BESIDE_RULES: _with_when_beside_rules(document)}
        return used | {feature: [*dict.fromkeys(names)] for feature, names in others.items() if names}

    def _parts(self, document: Document, budget: int, name: str) -> tuple[list[GeneratedFile], int]:
        """Return files of *budget* bytes that hold the jobs of *document*, and the size of the largest.

        Their names begin with *name*, and have a number after an underscore, which names of child pipelines lack.
        """
        parts, largest = list[GeneratedFile](), 0
        pending = [*split_jobs(document, budget, self.sizes)][::-1]
        while pending:
            piece = pending.pop()
            text = self._with_header(self._body(piece), (part_note(", which would be too big in one file"),))
            if len(text.encode()) > budget and len(piece.jobs) > 1:
                pending += reversed(halves(piece))
                continue
            parts.append(GeneratedFile(f"{FOLDER}/{name}_{len(parts) + 1}.yml", text))
            self._check(parts[-1], piece)
            largest = max(largest, self.sizes.file_size(piece), len(text.encode()))
        return parts, largest

    def _body(self, document: Document) -> str:
        return write(self.sizes.data(document))

    def _with_header(self, body: str, notes: Sequence[str]) -> str:
        return with_file_header(body, self.source, (*self.option_notes, *notes))

    def _check(self, file: GeneratedFile, document: Document) -> None:
        jobs = document.jobs
        job = self.jobs.get(jobs[0].name) if len(jobs) == 1 else None
        at = job.span if job is not None else self.at
        check_size(
            file.name, len(jobs), (self.sizes.file_size(document), len(file.text.encode())), self.limit, at, self.report
        )


def _with_when_beside_rules(document: Document) -> list[str]:
    """Return the jobs of *document* that have `when` and rules, themselves or from jobs that they extend."""
    jobs = {job.name: job for job in document.jobs}
    with_rules = {job.name for job in document.jobs if job.rules} | {
        hidden.name for hidden in document.hidden if hidden.rules
    }
    return [
        job.name
        for job in document.jobs
        if (job.when or any(jobs[base].when for base in job.extended if base in jobs))
        and not with_rules.isdisjoint((job.name, *job.extended))
    ]


def _users(document: Document) -> Mapping[str, Sequence[str]]:
    """Return the jobs with the keys of each job that others extend, by the name of that job."""
    users: dict[str, list[str]] = {}
    for job in document.jobs:
        for base in job.extended:
            users.setdefault(base, []).append(job.name)
    return {base: [user for name in names for user in users.get(name, (name,))] for base, names in users.items()}


def _files(count: int) -> str:
    return "a file" if count == 1 else f"{count} files"


def _child_names(children: Sequence[ChildFile]) -> list[str]:
    """Return a name for the file of each of *children*, from its title; numbers distinguish similar titles."""
    slugs = [re.sub(r"[^a-z0-9]+", "-", child.title.lower()).strip("-")[:_LONGEST].strip("-") for child in children]
    taken: set[str] = set()
    return [unique_name(slug or "child", taken) for slug in slugs]
