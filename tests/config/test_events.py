"""What the parsers tell of a text, and who takes it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Literal

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from pipegen.config import read as reading
from pipegen.config.compose import Composer
from pipegen.config.events import TAKEN, Takers, tell, told_to
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.source.tree import plain

needs_c = pytest.mark.skipif(reading.CParser is None, reason="this platform has no build of ruamel.yaml.clib")


class Taker:
    """Keeps what it is told of an event by the name *event*."""

    def __init__(self, event: str) -> None:
        self.told: list[tuple[object, ...]] = []
        self.takers: dict[str, Callable[..., Literal[False]]] = {event: self.take}

    def take(self, *parts: object) -> Literal[False]:
        """Take an event."""
        self.told.append(parts)
        return TAKEN


def kinds(text: str) -> set[type]:
    """Return the classes of the events of *text*, as the parser in C makes them."""
    return {type(one) for one in iter(reading.CParser(text).get_event, None)}


def test_only_what_is_asked_for_is_taken() -> None:
    """Of the events of the parser in Python."""
    taker = Taker("ScalarEvent")
    tell(YAML(typ="safe", pure=True).parse("a: [b]"), taker.takers)

    assert [parts[3] for parts in taker.told] == ["a", "b"]


@needs_c
def test_the_parser_tells_meanwhile_and_makes_events_afterwards() -> None:
    """Also where reading ends with an error."""
    theirs = kinds("a: [b]")
    taker = Taker("ScalarEvent")
    with told_to(taker.takers, sys.modules[reading.CParser.__module__]):
        left = kinds("a: [b]")
    with pytest.raises(YAMLError), told_to(taker.takers, sys.modules[reading.CParser.__module__]):
        kinds("a: [c")

    assert [parts[3] for parts in taker.told] == ["a", "b", "a", "c"]
    assert {one.__name__ for one in theirs - left} == {"ScalarEvent"}
    assert left - theirs == {bool}
    assert kinds("a: [b]") == theirs


def marks(parts: tuple[object, ...]) -> list[int | None]:
    """Return the places among *parts*, None for the others."""
    return [getattr(part, "index") if hasattr(part, "column") else None for part in parts]  # noqa: B009 - it has one


@needs_c
@pytest.mark.parametrize("event", Composer(SourceFile("", ""), Report()).takers())
def test_both_parsers_tell_the_same(event: str) -> None:
    """The parts of each event stand in one order."""
    text = "- &x {a: 'b'}\n- [*x]\n"
    fast, slow = Taker(event), Taker(event)
    with told_to(fast.takers, sys.modules[reading.CParser.__module__]):
        tell(iter(reading.CParser(text).get_event, None), fast.takers)
    tell(YAML(typ="safe", pure=True).parse(text), slow.takers)

    assert slow.told
    assert list(map(marks, fast.told)) == list(map(marks, slow.told))


@needs_c
def test_other_threads_find_the_classes_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are some, they may read meanwhile, and what is read is the same."""
    file = SourceFile("pipegen.yaml", "a: &x {b: [1, 'c']}\nd: *x\n")
    alone = reading.read(file, Report())
    module = vars(sys.modules[reading.CParser.__module__])
    theirs, seen = dict(module), list[bool]()
    begun = Composer.takers

    def takers(composer: Composer) -> Takers:
        found = begun(composer)
        return {name: partial(_noted, taker, lambda: seen.append(module == theirs)) for name, taker in found.items()}

    monkeypatch.setattr(Composer, "takers", takers)
    monkeypatch.setattr(reading, "active_count", lambda: 2)

    assert plain(reading.read(file, Report())) == plain(alone)
    assert seen
    assert all(seen)


def _noted(taker: Callable[..., Literal[False]], note: Callable[[], None], *parts: object) -> Literal[False]:
    note()
    return taker(*parts)


def test_a_parser_that_calls_them_otherwise_makes_its_own() -> None:
    """Nothing is put where it had nothing."""
    parser = ModuleType("parser")
    known = dict(vars(parser))
    with told_to(Taker("ScalarEvent").takers, parser):
        assert vars(parser) == known

    assert vars(parser) == known
