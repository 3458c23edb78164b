"""The parser in C and the events it makes while a config is read."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from ruamel.yaml.error import YAMLError

from pipegen.config import events
from pipegen.config import read as reading

pytestmark = pytest.mark.skipif(reading.CParser is None, reason="this platform has no build of ruamel.yaml.clib")


def kinds(text: str) -> set[type]:
    """Return the classes of the events of *text*."""
    return {type(one) for one in iter(reading.CParser(text).get_event, None)}


def test_the_parser_makes_ours_meanwhile_and_its_own_afterwards() -> None:
    """Also where reading ends with an error."""
    theirs = kinds("a: [b]")
    with events.light_events(sys.modules[reading.CParser.__module__]):
        ours = kinds("a: [b]")
    with pytest.raises(YAMLError), events.light_events(sys.modules[reading.CParser.__module__]):
        kinds("a: [b")

    assert {one for one in ours if one.__module__ == events.__name__} == {
        events.ScalarEvent,
        events.MappingStartEvent,
        events.MappingEndEvent,
        events.SequenceStartEvent,
        events.SequenceEndEvent,
    }
    assert kinds("a: [b]") == theirs
    assert not {one for one in theirs if one.__module__ == events.__name__}


def test_a_parser_that_calls_them_otherwise_makes_its_own() -> None:
    """Nothing is put where it had nothing."""
    parser = ModuleType("parser")
    known = dict(vars(parser))
    with events.light_events(parser):
        assert vars(parser) == known

    assert vars(parser) == known
