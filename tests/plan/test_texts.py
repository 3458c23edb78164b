"""The listed texts of a plan's parts, compared with a generic search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from pipegen.bindings.expression import Text
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Container, Image, Job
from pipegen.plan.model.texts import environment_texts, line_texts, machine_texts, mail_texts, step_texts
from pipegen.structs import Struct

GOLDEN = Path(__file__).parent.parent / "golden"


def texts_in(value: object, stage: str) -> Iterator[Text]:
    """Yield every text in *value*, except for names that jobs generate."""
    match value:
        case Text():
            yield value
        case Image(producer=producer) if producer == stage:
            return
        case Container(producer=str()):
            return
        case tuple():
            for item in value:
                yield from texts_in(item, stage)
        case Struct():
            for name in value.__struct_fields__:
                yield from texts_in(getattr(value, name), stage)


def named(job: Job) -> Iterator[Text]:
    """Yield the texts that functions list for the parts of *job*."""
    yield from chain.from_iterable(step_texts(step, job.stage) for step in job.steps)
    yield from line_texts(job.after)
    yield from machine_texts(job.machine)
    if job.deployment.environment is not None:
        yield from environment_texts(job.deployment.environment)
    if job.mail is not None:
        yield from mail_texts(job.mail)


@pytest.mark.parametrize(
    "case", sorted(folder.name for folder in GOLDEN.iterdir() if (folder / "pipeline.yml").exists())
)
def test_all_texts_of_a_plan_are_listed(case: str) -> None:
    """They are in the same order as in the search."""
    report = Report()
    file = load(GOLDEN / case / "pipeline.yml", report)
    for job in chain.from_iterable(plan.jobs for plan in analyse(file, (), report).plans):
        parts = (job.steps, job.after, job.machine, job.deployment.environment, job.mail)

        assert list(named(job)) == list(texts_in(parts, job.stage))
