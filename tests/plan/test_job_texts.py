"""The references in a job's texts, compared with a search through all its fields."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Artifact, Container, Coverage, Job, ReportPath
from pipegen.plan.model.retention import path_text
from pipegen.plan.model.texts import job_texts
from pipegen.structs import Struct

GOLDEN = Path(__file__).parent.parent / "golden"


def references_in(value: object) -> Iterator[Reference]:
    """Yield the references in every text in *value*, except for names of containers of known stages."""
    match value:
        case Text():
            yield from value.references()
        case Container(producer=str()):
            return
        case Artifact() | Coverage() | ReportPath():
            yield from path_text(value.path or "", value.span).references()
        case tuple():
            yield from chain.from_iterable(map(references_in, value))
        case Struct():
            yield from chain.from_iterable(references_in(getattr(value, name)) for name in value.__struct_fields__)


def foreign(references: Iterator[Reference]) -> set[Reference]:
    """Return the *references* to other stages."""
    return {reference for reference in references if reference.scope is not Scope.OWN}


@pytest.mark.parametrize(
    "case", sorted(folder.name for folder in GOLDEN.iterdir() if (folder / "pipeline.yml").exists())
)
def test_all_references_of_a_job_are_listed(case: str) -> None:
    """They are in steps, cases, environments, mails, caches, paths and steps of plugins."""
    report = Report()
    file = load(GOLDEN / case / "pipeline.yml", report)
    jobs: list[Job] = [job for plan in analyse(file, (), report).plans for job in plan.jobs]
    named = foreign(reference for job in jobs for text in job_texts(job) for reference in text.references())

    assert named == foreign(
        reference
        for job in jobs
        for part in (
            job.steps,
            job.after,
            job.cases,
            job.machine,
            job.deployment.environment,
            job.mail,
            job.caches,
            job.retention.name,
            job.artifacts,
            job.reports,
            job.plugin_steps,
        )
        for reference in references_in(part)
    )
