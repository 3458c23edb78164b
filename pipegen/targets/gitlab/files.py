"""The files of a config: that of each pipeline, named by what it says but for the main one, and those it includes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from posixpath import join
from shlex import quote

from pipegen.diagnostics.report import Report
from pipegen.digests import digest_of
from pipegen.source.text import Span
from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile
from pipegen.targets.gitlab.checks import check_size
from pipegen.targets.gitlab.lower import ChildFile, Lowered
from pipegen.targets.gitlab.memory import BUDGET
from pipegen.targets.gitlab.model import Document
from pipegen.targets.gitlab.render import render
from pipegen.targets.gitlab.scales import Scales

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
    """

    source: str
    given: Sequence[str]
    folder: str
    limit: int
    scales: Scales
    is_alone: bool
    at: Span
    report: Report

    def of(self, lowered: Lowered) -> tuple[GeneratedFile, ...]:
        """Return the files of child pipelines, each after those that it includes, then the main one in the same way."""
        children = {child.bridge: self._child(child) for child in lowered.children}
        document = lowered.document
        if children:
            from pipegen.targets.gitlab.children import with_children  # noqa: PLC0415 - most configs have none

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
        size, budget = self.scales.weigh(document), self.limit * BUDGET // 100
        parts = self._parts(document, budget) if size > budget and not self.is_alone else []
        if parts:
            paths = tuple(join(self.folder, part.name) for part in parts)
            document = replace(document, jobs=(), includes=paths)
            size = self.scales.weigh(document)
            notes = (*notes, f"Includes its jobs from {len(parts)} files: GitLab bounds the size of each.")
        text = render(self.scales.data(document), self.source, (*self.given, *notes))
        own = GeneratedFile(name(text), text)
        check_size(own.name, len(document.jobs), size, self.limit, self.at, self.report)
        return (*parts, own)

    def _parts(self, document: Document, budget: int) -> list[GeneratedFile]:
        """Return the files of *budget* bytes that hold the jobs of *document*; none where these do not help."""
        from pipegen.targets.gitlab.includes import included  # noqa: PLC0415 - most configs fit into one file

        pieces = included(document, budget, self.scales)
        return [self._included(piece, number) for number, piece in enumerate(pieces, 1)]

    def _included(self, piece: Document, number: int) -> GeneratedFile:
        text = render(
            self.scales.data(piece), self.source, (*self.given, "Jobs of a pipeline that would be too big in one file.")
        )
        return GeneratedFile(_beside(f"jobs-{number}", text), text)


def _beside(words: str, text: str) -> str:
    return f"{FOLDER}/{words}-{digest_of(text, _DIGITS)}.yml"
