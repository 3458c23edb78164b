"""The blocks of a stage with its steps."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.importing.jenkins.importer import JenkinsImport
from pipegen.importing.jenkins.reading.source import sections
from pipegen.importing.jenkins.reading.syntax import GroovyBlock, GroovyTry, main_block, tried_by
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


def always_blocks(draft: JenkinsDraft, imported: JenkinsImport) -> Iterator[GroovyBlock]:
    """Yield the blocks with the steps of *draft* that run in any case."""
    yield from (tried.ending for tried in _tried(draft, imported) if tried.ending is not None)
    yield from post_blocks(draft, "always", "cleanup")


def failure_blocks(draft: JenkinsDraft, imported: JenkinsImport) -> Iterator[GroovyBlock]:
    """Yield the blocks with the steps of *draft* that follow a failure."""
    yield from (tried.failing for tried in _tried(draft, imported) if tried.failing is not None)
    yield from post_blocks(draft, "failure")


def _tried(draft: JenkinsDraft, imported: JenkinsImport) -> Iterator[GroovyTry]:
    """Yield each translated `try` in the steps of *draft*, after those in it."""
    for block in step_blocks(draft):
        yield from _tried_in(block, imported)


def _tried_in(block: GroovyBlock, imported: JenkinsImport) -> Iterator[GroovyTry]:
    for statement in block.statements:
        if (inner := main_block(statement)) is not None:
            yield from _tried_in(inner, imported)
        if (tried := tried_by(statement)) is not None and imported.is_translated(statement.span):
            yield tried
