"""Immutable values, and values with a location."""

import json
from pathlib import Path
from typing import ClassVar

import pytest

from pipegen.structs import MutableStruct, SpannedStruct, Struct, from_json, replace

SCHEMAS = sorted((Path(__file__).parents[1] / "schemas").glob("*.json"))


class Name(Struct):
    """A word of a stage."""

    text: str
    of: str = "stage"


class Word(SpannedStruct):
    """A word somewhere."""

    text: str
    span: int


class Quoted(SpannedStruct):
    """A word in quotes."""

    UNCOMPARED: ClassVar = ("quotes", "span")

    quotes: str
    text: str
    span: int


class Count(MutableStruct):
    """A number."""

    number: int = 0


def test_a_struct_is_immutable() -> None:
    """`replace` returns another one."""
    name = Name("build")
    with pytest.raises(AttributeError):
        name.text = "test"  # type: ignore[misc]

    assert (name, replace(name, text="test")) == (Name("build", "stage"), Name("test"))


def test_comparison_and_hash_ignore_the_span() -> None:
    """Equal words at two locations are one in a set."""
    assert Word("a", 1) == Word("a", 2)
    assert not Word("a", 1) != Word("a", 2)  # noqa: SIM202 - the operator is what is tried
    assert Word("a", 1) != Word("b", 1)
    assert len({Word("a", 1), Word("a", 2), Word("b", 1)}) == 2
    assert Word("a", 1) != Name("a")


def test_comparison_ignores_the_declared_fields() -> None:
    """They are excluded from equality and hash."""
    assert Quoted("'", "a", 1) == Quoted('"', "a", 2)
    assert hash(Quoted("'", "a", 1)) == hash(Quoted('"', "a", 2))
    assert Quoted("'", "a", 1) != Quoted("'", "b", 1)


def test_a_mutable_struct_can_change() -> None:
    """Its owner changes a counter."""
    count = Count()
    count.number += 1

    assert count == Count(1)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_from_json_agrees_with_the_standard_library(path: Path) -> None:
    """Including the order of keys."""
    text = path.read_bytes()

    assert repr(from_json(text)) == repr(json.loads(text))
