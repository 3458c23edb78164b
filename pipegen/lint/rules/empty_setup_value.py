"""Setup values that are empty whenever their stage runs: the branch of a tag, the change request of a branch."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.plan.model import NEVER, AllOf, Condition, Event, IsEvent, IsSet, Not, PublishImage, Subject
from pipegen.plan.model.logic import can_hold
from pipegen.plan.model.texts import job_texts
from pipegen.source.text import Span
from pipegen.structs import replace

_SUBJECTS = {"branch": Subject.BRANCH, "tag": Subject.TAG}
_NO_CHANGE_REQUEST = "the stage runs only when no change request is built"
_REASONS = {
    "branch": "the stage runs only for tags or merge requests, which have no branch",
    "tag": "the stage runs only when no tag is built",
    "changeRequest": _NO_CHANGE_REQUEST,
    "sourceBranch": _NO_CHANGE_REQUEST,
    "targetBranch": _NO_CHANGE_REQUEST,
}


def check(config: CheckedConfig, report: Report) -> None:
    """Report setup values without a default in stages whose `when` excludes the runs that have them."""
    empty: dict[Span, tuple[Reference, str]] = {}
    present: set[Span] = set()
    for stage in config.stages():
        for reference in _references(stage):
            if _is_empty(stage, reference.name):
                empty.setdefault(reference.span, (reference, _other(stage, reference.name)))
            else:
                present.add(reference.span)
    for span, (reference, other) in empty.items():
        if span not in present:  # not empty in one of the stages that share it
            report.add(
                codes.EMPTY_SETUP_VALUE,
                f'"{reference}" is empty: {_REASONS[reference.name]}',
                at=span,
                hint=f'write "${{setup.{other}}}", or give a default: "${{setup.{reference.name}|text}}"',
            )


def _other(stage: CheckedStage, name: str) -> str:
    """Return the setup value that the runs of *stage* have in place of *name*."""
    others = ("sourceBranch", "tag") if name == "branch" else ("branch",)
    return next((other for other in others if _always_has(stage, other)), "commit")


def _always_has(stage: CheckedStage, name: str) -> bool:
    conditions = _conditions(stage)
    return not can_hold(AllOf((*conditions, Not(_is_set(name, stage.job.span)))))


def _is_empty(stage: CheckedStage, name: str) -> bool:
    conditions = _conditions(stage)
    return bool(conditions) and not can_hold(AllOf((*conditions, _is_set(name, stage.job.span))))


def _conditions(stage: CheckedStage) -> list[Condition]:
    """Return the conditions under which *stage* runs."""
    return [condition for condition in stage.conditions if condition != NEVER]


def _is_set(name: str, span: Span) -> Condition:
    """Return the condition for the setup value *name* to be set."""
    if name in _SUBJECTS:
        return IsSet(subject=_SUBJECTS[name], span=span)
    return IsEvent(events=(Event.MERGE_REQUEST,), span=span)


def _references(stage: CheckedStage) -> Iterator[Reference]:
    for text in _texts(stage):
        if text.constant is None:
            for reference in text.references():
                if reference.scope is Scope.SETUP and reference.default is None and reference.name in _REASONS:
                    yield reference


def _texts(stage: CheckedStage) -> list[Text]:
    """Return the texts of a stage, except the tags of an image, where an empty tag is allowed."""
    job = stage.job
    steps = [replace(step, tags=()) if isinstance(step, PublishImage) else step for step in job.steps]
    return job_texts(replace(job, steps=tuple(steps)))
