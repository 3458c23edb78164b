"""The texts that parts of a plan name themselves, against a search through all that they hold."""

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


def found(value: object, stage: str) -> Iterator[Text]:
    """Yield every text in *value*, wherever it stands, but for what goes by the names that jobs give."""
    match value:
        case Text():
            yield value
        case Image(producer=producer) if producer == stage:
            return
        case Container(producer=str()):
            return
        case tuple():
            for item in value:
                yield from found(item, stage)
        case Struct():
            for name in value.__struct_fields__:
                yield from found(getattr(value, name), stage)


def named(job: Job) -> Iterator[Text]:
    """Yield the texts that the parts of *job* name."""
    yield from chain.from_iterable(step_texts(step, job.stage) for step in job.steps)
    yield from line_texts(job.after)
    yield from machine_texts(job.machine)
    if job.deployment.environment is not None:
        yield from environment_texts(job.deployment.environment)
    if job.mail is not None:
        yield from mail_texts(job.mail)


@pytest.mark.parametrize("case", sorted(one.name for one in GOLDEN.iterdir() if (one / "pipeline.yml").exists()))
def test_no_text_is_overlooked(case: str) -> None:
    """The parts of each job name the very texts that they hold, in the same order."""
    report = Report()
    file = load(GOLDEN / case / "pipeline.yml", report)
    for job in chain.from_iterable(plan.jobs for plan in analyse(file, (), report).plans):
        parts = (job.steps, job.after, job.machine, job.deployment.environment, job.mail)

        assert list(named(job)) == list(found(parts, job.stage))
