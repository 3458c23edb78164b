"""What ruamel's parser in C makes of a text, as structs: its own events are made in Python, three calls for each.

Half the time of that parser goes into them. So ours stand in their places in the module of the parser while a config is
read, and theirs again afterwards: whoever else uses the parser in this process gets what he expects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from pipegen.structs import MutableStruct


class Mark(MutableStruct, gc=False):
    """A place in a text: characters from its start."""

    index: int


class ScalarEvent(MutableStruct, gc=False):
    """A scalar; the fields are in the order in which the parser gives them, as those of all events here."""

    anchor: str | None
    ctag: object
    implicit: object
    value: str
    start_mark: Mark
    end_mark: Mark
    style: str | None


class MappingStartEvent(MutableStruct, gc=False):
    """The start of a mapping."""

    anchor: str | None
    ctag: object
    implicit: object
    start_mark: Mark
    end_mark: Mark
    flow_style: object


class SequenceStartEvent(MappingStartEvent):
    """The start of a sequence."""


class MappingEndEvent(MutableStruct, gc=False):
    """The end of a mapping."""

    start_mark: Mark
    end_mark: Mark


class SequenceEndEvent(MappingEndEvent):
    """The end of a sequence."""


_EVENTS: Mapping[str, type] = {
    one.__name__: one for one in (ScalarEvent, MappingStartEvent, SequenceStartEvent, MappingEndEvent, SequenceEndEvent)
}


@contextmanager
def light_events(parser: ModuleType) -> Iterator[None]:
    """Let *parser*, the module in C, make the events above; one that knows no such names makes its own."""
    names = vars(parser)
    theirs = {name: names[name] for name in _EVENTS if name in names}
    names.update({name: _EVENTS[name] for name in theirs})
    try:
        yield
    finally:
        names.update(theirs)
