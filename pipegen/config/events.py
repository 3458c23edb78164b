"""What ruamel's parsers find in a text, told to those who take it.

The parser in C calls a class of ruamel's, in Python, for each event. To make events is two thirds of its time, and to
look at each what it is costs more. So those who take what an event is made of stand in the places of the classes in the
module of the parser while a config is read, and the classes again afterwards: whoever else uses the parser in this
process gets what he expects. Where there are other threads, which may use it meanwhile, its events are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from types import ModuleType
from typing import Any, Literal, Protocol, TypeAlias

# What stands in the place of an event that has been taken.
TAKEN: Literal[False] = False
# Who takes what events are made of, by their names: of each, the fields below in their order.
Takers: TypeAlias = Mapping[str, Callable[..., Literal[False]]]

_NODE = ("anchor", "ctag", "implicit")
_MARKS = ("start_mark", "end_mark")
# In the order in which the parser in C gives them.
_FIELDS = {
    "ScalarEvent": attrgetter(*_NODE, "value", *_MARKS, "style"),
    "MappingStartEvent": attrgetter(*_NODE, *_MARKS, "flow_style"),
    "MappingEndEvent": attrgetter(*_MARKS),
    "SequenceStartEvent": attrgetter(*_NODE, *_MARKS, "flow_style"),
    "SequenceEndEvent": attrgetter(*_MARKS),
    "AliasEvent": attrgetter("anchor", *_MARKS),
    "DocumentStartEvent": attrgetter(*_MARKS, "explicit", "version", "tags"),
}


class Mark(Protocol):
    """A place in a text: characters from its start."""

    @property
    def index(self) -> int:
        """How many."""


def tell(events: Iterable[Any], takers: Takers) -> None:
    """Let *takers* take *events*, each when the one before has been: once one of them raises, nothing more is read."""
    for event in filter(None, events):
        name = type(event).__name__
        if name in takers:
            takers[name](*_FIELDS[name](event))


@contextmanager
def told_to(takers: Takers, parser: ModuleType) -> Iterator[None]:
    """Let *parser*, the module in C, tell *takers* itself; what it makes by other names is still an event."""
    names = vars(parser)
    theirs = {name: names[name] for name in takers if name in names}
    names.update({name: takers[name] for name in theirs})
    try:
        yield
    finally:
        names.update(theirs)
