"""A file that is too large, split into included files: still one pipeline, without added waits.

GitLab limits each file by the setting `max_yaml_size_bytes`: the memory of its objects and, in recent versions, also
its text (`Gitlab::Config::Loader::Yaml`). A pipeline includes at most 150 files, `ci_max_includes`. The texts of all
included files together are limited by `ci_max_total_yaml_size_bytes`, by default 150 times the first setting, so files
within both other limits are within this one (`Gitlab::Ci::Config::External::Mapper::Verifier`):
https://docs.gitlab.com/administration/cicd/limits/#maximum-size-of-the-entire-cicd-configuration
The size of the merged files is not limited. Jobs of all files may need and extend each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.structs import replace
from pipegen.targets.gitlab.files.sizes import SizeEstimator
from pipegen.targets.gitlab.memory import map_memory
from pipegen.targets.gitlab.model import Document, GitLabJob
from pipegen.targets.gitlab.settings import Workflow

# The size of a job's entry in the map of a file, without its key and value: its slot, and its share of free slots.
_SLOT = 96
_EMPTY = Document(stages=(), settings=Workflow(), workflow=(), tags=(), id_tokens=(), variables=(), hidden=(), jobs=())


def split_jobs(document: Document, budget: int, sizes: SizeEstimator) -> tuple[Document, ...]:
    """Return the jobs of *document* in included files of *budget* bytes of memory; larger jobs are alone."""
    return tuple(replace(_EMPTY, jobs=jobs) for jobs in _pieces(document.jobs, budget, sizes))


def halves(piece: Document) -> tuple[Document, Document]:
    """Return the jobs of *piece* in two files."""
    half = len(piece.jobs) // 2
    return replace(piece, jobs=piece.jobs[:half]), replace(piece, jobs=piece.jobs[half:])


def _pieces(jobs: Sequence[GitLabJob], budget: int, sizes: SizeEstimator) -> Iterator[tuple[GitLabJob, ...]]:
    piece: list[GitLabJob] = []
    size = 0
    for sized in sizes.sized_jobs(jobs):
        own = map_memory(1) + sized.size + _SLOT
        if piece and size + own > budget:
            yield tuple(piece)
            piece, size = [], 0
        piece.append(sized.job)
        size += own
    if piece:
        yield tuple(piece)
