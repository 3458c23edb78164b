"""Values, and those that know where they were written."""

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
    """How many."""

    number: int = 0


def test_a_value_never_changes() -> None:
    """Its fields are what it was made with; another one is made for others."""
    name = Name("build")
    with pytest.raises(AttributeError):
        name.text = "test"  # type: ignore[misc]

    assert (name, replace(name, text="test")) == (Name("build", "stage"), Name("test"))


def test_where_a_value_was_written_does_not_tell_it_apart() -> None:
    """Equal words in two places are one in a set, and neither equal nor unequal to others by their places."""
    assert Word("a", 1) == Word("a", 2)
    assert not Word("a", 1) != Word("a", 2)  # noqa: SIM202 - the operator is what is tried
    assert Word("a", 1) != Word("b", 1)
    assert len({Word("a", 1), Word("a", 2), Word("b", 1)}) == 2
    assert Word("a", 1) != Name("a")


def test_a_class_names_what_else_does_not_count() -> None:
    """Fields named as uncompared are left out of equality and hash."""
    assert Quoted("'", "a", 1) == Quoted('"', "a", 2)
    assert hash(Quoted("'", "a", 1)) == hash(Quoted('"', "a", 2))
    assert Quoted("'", "a", 1) != Quoted("'", "b", 1)


def test_a_record_changes() -> None:
    """Its owner counts in it."""
    count = Count()
    count.number += 1

    assert count == Count(1)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_json_says_the_same_to_all(path: Path) -> None:
    """In the same order."""
    text = path.read_bytes()

    assert repr(from_json(text)) == repr(json.loads(text))
