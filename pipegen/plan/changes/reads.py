"""What a job reads of others: what it cannot do without, and what becomes of the rest where others are left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeVar

from pipegen.bindings.expression import Defaulted, Part, Reference, Scope, Text, text
from pipegen.plan.model import Container, Image, Job
from pipegen.plan.rewriting import parts, rewritten

T = TypeVar("T")

# What a finally stage is told of a stage that never started.
_SKIPPED = "skipped"


def parts_of(job: Job) -> tuple[object, ...]:
    """Return all of *job* that may read values of other stages, but for its mail."""
    return (*job.steps, *job.after, job.machine, job.deployment.environment)


def needed(job: Job) -> frozenset[str]:
    """Return the stages that leave what *job* reads without a default, and the one that takes down what it deploys."""
    found = {*_needed((parts_of(job), job.mail)), *job.containers}
    if job.deployment.environment is not None and job.deployment.environment.on_stop is not None:
        found.add(job.deployment.environment.on_stop)
    return frozenset(found - {job.stage})


def absent(value: T, gone: Collection[str]) -> T:
    """Return *value* with defaults in the place of what the stages *gone* would leave."""

    def change(part: object) -> object:
        if isinstance(part, Text) and any(_is_gone(one, gone) for one in part.references()):
            return _absent(part, gone)
        return part

    return rewritten(value, change)


def _needed(value: object) -> Iterator[str]:
    match value:
        case Reference():
            # What the references of a script come to stands beside it.
            return
        case Text():
            for part in value.parts:
                if isinstance(part, Reference) and part.scope is Scope.STAGE and part.default is None:
                    yield part.namespace or ""
        case Image(producer=str() as producer) | Container(producer=str() as producer):
            yield producer
        case _:
            for _, inner in parts(value):
                yield from _needed(inner)


def _absent(value: Text, gone: Collection[str]) -> Text:
    return text(*(_without(part, gone) for part in value.parts), span=value.span)


def _without(part: Part, gone: Collection[str]) -> Part:
    match part:
        case Reference(scope=Scope.STATUS) if part.namespace in gone:
            return _SKIPPED
        case Reference(scope=Scope.STAGE) if part.namespace in gone:
            return part.default or ""
        case Defaulted():
            inner = _absent(part.text, gone)
            return Defaulted(inner, part.default) if inner.constant is None else inner.constant or part.default
    return part


def _is_gone(reference: Reference, gone: Collection[str]) -> bool:
    return reference.scope in (Scope.STAGE, Scope.STATUS) and reference.namespace in gone
