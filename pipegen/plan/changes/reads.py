"""The values that a job reads of other stages: which ones it requires, and defaults for stages that are removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeVar

from pipegen.bindings.expression import Defaulted, Part, Reference, Scope, Text, text
from pipegen.plan.model import Container, Image, Job, PipelineFile
from pipegen.plan.rewriting import parts, rewritten

T = TypeVar("T")

# The status of a stage that never started, as a finally stage reads it.
_SKIPPED = "skipped"


def parts_of(job: Job) -> tuple[object, ...]:
    """Return the parts of *job* that may read values of other stages, except for its mail."""
    return (*job.steps, *job.after, job.machine, job.deployment.environment)


def needed(job: Job) -> frozenset[str]:
    """Return the stages whose outputs *job* reads without a default, or whose files it starts as a child pipeline.

    The one that stops its environment is also among them.
    """
    stages = {*_needed((parts_of(job), job.mail)), *job.containers}
    if job.deployment.environment is not None and job.deployment.environment.on_stop is not None:
        stages.add(job.deployment.environment.on_stop)
    return frozenset(stages - {job.stage})


def with_defaults(value: T, removed: Collection[str]) -> T:
    """Return *value* with defaults in place of outputs of the stages in *removed*."""

    def change(part: object) -> object:
        if isinstance(part, Text) and any(_is_removed(reference, removed) for reference in part.references()):
            return _with_defaults(part, removed)
        return part

    return rewritten(value, change)


def _needed(value: object) -> Iterator[str]:
    match value:
        case Reference():
            # The values of a script's references are a separate part of the step.
            return
        case Text():
            for part in value.parts:
                if isinstance(part, Reference) and part.scope is Scope.STAGE and part.default is None:
                    yield part.namespace or ""
        case Image(producer=str() as producer) | Container(producer=str() as producer):
            yield producer
        case PipelineFile(stage=stage):
            yield from (stage,) if stage else ()
        case _:
            for _, inner in parts(value):
                yield from _needed(inner)


def _with_defaults(value: Text, removed: Collection[str]) -> Text:
    return text(*(_without(part, removed) for part in value.parts), span=value.span)


def _without(part: Part, removed: Collection[str]) -> Part:
    match part:
        case Reference(scope=Scope.STATUS) if part.namespace in removed:
            return _SKIPPED
        case Reference(scope=Scope.STAGE) if part.namespace in removed:
            return part.default or ""
        case Defaulted():
            inner = _with_defaults(part.text, removed)
            return Defaulted(inner, part.default) if inner.constant is None else inner.constant or part.default
    return part


def _is_removed(reference: Reference, removed: Collection[str]) -> bool:
    return reference.scope in (Scope.STAGE, Scope.STATUS) and reference.namespace in removed
