"""The user's texts in a job."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Reference, Text
from pipegen.plan.model import Container
from pipegen.source.text import Span
from pipegen.structs import Struct


def references(value: object) -> Iterator[Reference]:
    """Yield the references in the texts of *value*."""
    for text in texts(value):
        yield from text.references()


def texts(value: object) -> Iterator[Text]:
    """Yield the texts in a job, a step or any part of one; not the name of a container that is copied from."""
    match value:
        case Text():
            yield value
        case Span() | Container(producer=str()):
            return
        case tuple():
            for item in value:
                yield from texts(item)
        case Struct():
            for name in value.__struct_fields__:
                yield from texts(getattr(value, name))
