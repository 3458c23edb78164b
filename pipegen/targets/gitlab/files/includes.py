"""A file that is too big, put into files that it includes: one pipeline still, in which nothing waits for longer.

GitLab bounds each file by itself, by the setting `max_yaml_size_bytes`: what its objects take in memory, and in recent
versions its text too (`Gitlab::Config::Loader::Yaml`). A pipeline includes 150 files at most, `ci_max_includes`. The
texts of all included files together are bounded by `ci_max_total_yaml_size_bytes`, 150 times the first setting by
default, so that files within both other bounds are within that one (`Gitlab::Ci::Config::External::Mapper::Verifier`):
https://docs.gitlab.com/administration/cicd/limits/#maximum-size-of-the-entire-cicd-configuration
What the files come to when they are merged is not bounded. Jobs of all files may need and extend each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.structs import replace
from pipegen.targets.gitlab.files.sizes import Scales
from pipegen.targets.gitlab.memory import map_memory
from pipegen.targets.gitlab.model import Document, GitLabJob
from pipegen.targets.gitlab.settings import Workflow

# What a job takes in the map of a file, beside its keys and values: its place, and its share of places not taken yet.
_PLACE = 96
_FRAME = Document(stages=(), settings=Workflow(), workflow=(), tags=(), id_tokens=(), variables=(), hidden=(), jobs=())


def included(document: Document, budget: int, scales: Scales) -> tuple[Document, ...]:
    """Return the jobs of *document* in files of *budget* bytes of memory, for it to include; a bigger job is alone."""
    return tuple(replace(_FRAME, jobs=jobs) for jobs in _pieces(document.jobs, budget, scales))


def halves(piece: Document) -> tuple[Document, Document]:
    """Return the jobs of *piece* in two files."""
    half = len(piece.jobs) // 2
    return replace(piece, jobs=piece.jobs[:half]), replace(piece, jobs=piece.jobs[half:])


def _pieces(jobs: Sequence[GitLabJob], budget: int, scales: Scales) -> Iterator[tuple[GitLabJob, ...]]:
    piece: list[GitLabJob] = []
    size = 0
    for one in scales.each(jobs):
        own = map_memory(1) + one.size + _PLACE
        if piece and size + own > budget:
            yield tuple(piece)
            piece, size = [], 0
        piece.append(one.job)
        size += own
    if piece:
        yield tuple(piece)
