"""What jobs want of each other: outputs, images, containers, releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.plan.files import copied
from pipegen.plan.model import Container, Copy, Mail, Output, Shared, Step

_IMAGE_NAMES = ("imageID", "imageLocalName")


def inputs_of(stage: str, steps: Sequence[Step], mail: Mail | None) -> tuple[Output, ...]:
    """Return the outputs of other stages that *steps* and *mail* use, in order of first use.

    A container that files are copied from does not count: only its files travel.
    """
    found: dict[Output, None] = {}
    for value in (*steps, mail):
        for reference in _references(value):
            if reference.scope is Scope.STAGE and reference.namespace != stage:
                found[Output(reference.namespace or "", reference.name)] = None
    return tuple(found)


def containers_of(stage: str, steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the other stages whose containers *steps* copy files from."""
    producers = (file.container.producer for step in steps if isinstance(step, Copy) for file in copied(step.files))
    return tuple(dict.fromkeys(producer for producer in producers if producer is not None and producer != stage))


def shared(stage: str, inputs: Mapping[str, Sequence[Output]], steps: Mapping[str, Sequence[Step]]) -> Shared:
    """Return what of *stage* outlives it, given all stages' inputs and steps."""
    wanted = {output.name for read in inputs.values() for output in read if output.stage == stage}
    paths = dict.fromkeys(
        file.source
        for other, found in steps.items()
        for step in found
        if other != stage and isinstance(step, Copy)
        for file in copied(step.files)
        if file.container.producer == stage
    )
    return Shared(
        image=any(name in wanted for name in _IMAGE_NAMES),
        container="container" in wanted or bool(paths),
        release="releaseName" in wanted,
        container_paths=tuple(paths),
    )


def _references(value: object) -> Iterator[Reference]:
    match value:
        case Text():
            yield from value.references()
        case Container(name=name, producer=None):
            yield from name.references()
        case Container():
            return
        case tuple():
            for item in value:
                yield from _references(item)
        case _ if is_dataclass(value):
            for one in fields(value):
                yield from _references(getattr(value, one.name))
