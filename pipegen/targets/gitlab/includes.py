"""A file that is too big, and cannot be cut into pipelines, put into files that it includes: one pipeline still.

GitLab bounds the memory of each file that it parses by `max_yaml_size_bytes`, and that of a file with all that it
includes by `ci_max_total_yaml_size_bytes`, 150 times as much; a file includes 150 others at most:
https://docs.gitlab.com/administration/instance_limits/#maximum-size-and-depth-of-cicd-configuration-yaml-files
and, for the setting of all files, gitlab-org/gitlab!160826. Jobs of all files may need and extend each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.structs import replace
from pipegen.targets.gitlab.memory import map_memory
from pipegen.targets.gitlab.model import Document, Job
from pipegen.targets.gitlab.scales import Scales
from pipegen.targets.gitlab.settings import Workflow

_MOST = 150
# What a job takes in the map of a file, beside its keys and values: its place, and its share of places not taken yet.
_PLACE = 96
_FRAME = Document(stages=(), settings=Workflow(), workflow=(), tags=(), id_tokens=(), variables=(), hidden=(), jobs=())


def included(document: Document, budget: int, scales: Scales) -> tuple[Document, ...]:
    """Return the jobs of *document* in files of *budget* bytes, for it to include; () where these do not help."""
    pieces = tuple(replace(_FRAME, jobs=jobs) for jobs in _pieces(document.jobs, budget, scales))
    frame = replace(document, jobs=())
    if len(pieces) > _MOST or any(scales.weigh(one) > budget for one in (frame, *pieces)):
        return ()
    return pieces


def _pieces(jobs: Sequence[Job], budget: int, scales: Scales) -> Iterator[tuple[Job, ...]]:
    piece: list[Job] = []
    size = 0
    for one in scales.each(jobs):
        own = map_memory(1) + one.size + _PLACE
        if piece and size + own > budget:
            yield tuple(piece)
            piece, size = [], 0
        piece.append(one.job)
        size += own
    yield tuple(piece)
