"""The blocks of a stage with its steps."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.importing.jenkins.reading.source import sections
from pipegen.importing.jenkins.reading.syntax import GroovyBlock
from pipegen.importing.jenkins.stages.stage import JenkinsDraft


def step_blocks(draft: JenkinsDraft) -> Iterator[GroovyBlock]:
    """Yield the blocks with the steps of *draft* that run unless it fails."""
    for section in sections(draft.source.call, "steps"):
        if section.block is not None:
            yield section.block
    yield from post_blocks(draft, "success")


def post_blocks(draft: JenkinsDraft, *names: str) -> Iterator[GroovyBlock]:
    """Yield the blocks *names* of `post` of *draft*, in this order."""
    for name in names:
        for section in (section for post in draft.posts for section in sections(post, name)):
            if section.block is not None:
                yield section.block
