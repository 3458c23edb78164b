"""The texts of a job that every target puts somewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.diagnostics.codes import UNNAMEABLE_VALUE
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Input, Job, Plan
from pipegen.plan.model.inputs import NAMEABLE
from pipegen.plan.model.texts import named_texts, stage_texts


def job_texts(job: Job) -> list[Text]:
    """Return the texts of what *job* does, what it runs in, the mail it sends and the keys of its caches."""
    found = stage_texts(job.stage, job.steps, job.after, job.machine, None, job.mail)
    for cache in job.caches:
        found += (cache.key, *cache.fallback)
    return found


def named_inputs(plans: Sequence[Plan]) -> dict[Input, tuple[str, Reference]]:
    """Return the inputs that an engine puts into names, in the order of the file, each with what it names first."""
    found: dict[str, tuple[str, Reference]] = {}
    for plan in plans:
        for job in plan.jobs:
            for what, text in named_texts(job):
                for reference in text.references():
                    if reference.scope is Scope.INPUT:
                        found.setdefault(reference.name, (what, reference))
    return {one: found[one.name] for one in plans[0].inputs if one.name in found}


def check_named_inputs(plans: Sequence[Plan], report: Report) -> None:
    """Report inputs of *plans* with a default or choices that an engine cannot put into a name as they are."""
    for one, (what, reference) in named_inputs(plans).items():
        values = (*one.words, *((one.default,) if one.default is not None else ()))
        wrong = next((value for value in values if not re.fullmatch(NAMEABLE, value)), None)
        if wrong is not None:
            report.add(
                UNNAMEABLE_VALUE,
                f'"{wrong}" cannot stand in {what}: engines read "$" and "%" in it, and take printable ASCII only',
                at=reference.span,
                also=[Label(one.span, "a value of this input")],
                hint="give the input other values, or use it in the script",
            )
