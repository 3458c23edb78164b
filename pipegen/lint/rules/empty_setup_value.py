"""Values of the run that are empty wherever their stage runs: the branch of a tag, the tag of a branch."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked, CheckedStage
from pipegen.plan.model import NEVER, AllOf, IsSet, PublishImage, Subject
from pipegen.plan.model.logic import can_hold
from pipegen.plan.model.texts import stage_texts
from pipegen.source.text import Span
from pipegen.structs import replace

_SUBJECTS = {"branch": Subject.BRANCH, "tag": Subject.TAG}
_REASONS = {
    "branch": "the stage runs only for tags or merge requests, which have no branch",
    "tag": "the stage runs only where no tag is built",
}


def check(checked: Checked, report: Report) -> None:
    """Report `setup.branch` and `setup.tag` without a default in stages whose `when` rules out that there is one."""
    empty: dict[Span, Reference] = {}
    present: set[Span] = set()
    for work in checked.work():
        for reference in _references(work):
            if _is_empty(work, reference.name):
                empty.setdefault(reference.span, reference)
            else:
                present.add(reference.span)
    for span, reference in empty.items():
        if span not in present:  # right in one of the stages that share it
            report.add(
                codes.EMPTY_SETUP_VALUE,
                f'"{reference}" is empty: {_REASONS[reference.name]}',
                at=span,
                hint=f'write "${{setup.commit}}", or give a default: "${{setup.{reference.name}|text}}"',
            )


def _is_empty(work: CheckedStage, name: str) -> bool:
    conditions = [one for one in (work.plan.condition, work.job.condition) if one is not None and one != NEVER]
    is_there = IsSet(subject=_SUBJECTS[name], span=work.job.span)
    return bool(conditions) and not can_hold(AllOf((*conditions, is_there)))


def _references(work: CheckedStage) -> Iterator[Reference]:
    for text in _texts(work):
        if text.constant is None:
            for reference in text.references():
                if reference.scope is Scope.SETUP and reference.default is None and reference.name in _SUBJECTS:
                    yield reference


def _texts(work: CheckedStage) -> list[Text]:
    """Return the texts of a stage, but for the tags of an image, of which empty ones are left out."""
    job = work.job
    steps = [replace(step, tags=()) if isinstance(step, PublishImage) else step for step in job.steps]
    texts = stage_texts(job.stage, steps, job.after, job.machine, job.deployment.environment, job.mail)
    caches = [text for cache in job.caches for text in (cache.key, *cache.fallback)]
    return [*texts, *caches, *((job.retention.name,) if job.retention.name is not None else ())]
