"""The tree of scalars, sequences and mappings."""

from __future__ import annotations

import pytest
from config.sample_configs import tree_of

from pipegen.source.tree import Mapping, Scalar, integer, number, plain


def mapping_of(text: str) -> Mapping:
    """Return the mapping that *text* is."""
    tree = tree_of(text)
    assert isinstance(tree, Mapping)
    return tree


def scalar_of(text: str) -> Scalar:
    """Return the scalar that *text* has under the key `a`."""
    node = mapping_of(text).get("a")
    assert isinstance(node, Scalar)
    return node


def test_plain_data_is_what_the_tree_says() -> None:
    """Numbers, booleans and null are values of their own, in lists and maps."""
    assert plain(tree_of("{a: [1, 2.5, true, ~, x], b: {c: '1'}}")) == {"a": [1, 2.5, True, None, "x"], "b": {"c": "1"}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-12", -12),
        ("+7", 7),
        ("1_000", 1000),
        ("0x1F", 31),
        ("-0x1f", -31),
        ("0b1_01", 5),
        ("0o17", 15),
        ("017", 15),
        ("089", 89),
    ],
)
def test_integers(text: str, value: int) -> None:
    """In all the ways of YAML 1.1 and 1.2; a leading zero is octal only where it can be."""
    assert integer(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5", 1.5), ("1e3", 1000.0), ("-.5", -0.5), ("1_0.5", 10.5), (".inf", float("inf")), ("-.INF", float("-inf"))],
)
def test_numbers(text: str, value: float) -> None:
    """Infinity is one."""
    assert number(text) == value


def test_not_a_number_is_a_number_of_yaml() -> None:
    """It is equal to nothing, not even itself."""
    assert number(".NaN") != number(".NaN")


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("a: x ${s.n} y", "${s.n}"),
        ("a: 'x ${s.n} y'", "${s.n}"),
        ('a: "x ${s.n} y"', "${s.n}"),
        ('a: "x\\t${s.n} y"', "${s.n}"),
        ("a: 'it''s ${s.n}'", "${s.n}"),
        ("a: |\n  one\n  two ${s.n}\n", "${s.n}"),
        ("a: >-\n  one\n  two ${s.n}\n", "${s.n}"),
        ("a: one\n  two ${s.n}\n  three", "${s.n}"),
    ],
    ids=["plain", "single", "double", "escape before", "quote before", "literal", "folded", "plain on lines"],
)
def test_a_part_of_a_text_has_its_own_place(text: str, covered: str) -> None:
    """In every style of scalar."""
    node = scalar_of(text)
    start = node.text.index("${s.n}")

    assert node.part(start, start + len("${s.n}")).text == covered


@pytest.mark.parametrize("text", ["a: |\n  ${s.n}\n  ${s.n}\n", "a: |\n  ${s.n} ${s.n}\n", "a: 'it''s ${s.n} ${s.n}'"])
def test_a_part_that_comes_twice_has_two_places(text: str) -> None:
    """Each is the one that it is."""
    node = scalar_of(text)
    start = node.text.rindex("${s.n}")

    assert node.part(start, start + 6).start == text.rindex("${s.n}")


def test_a_part_that_is_not_in_the_file_letter_for_letter_is_the_whole_scalar() -> None:
    """An escape within it hides it."""
    node = scalar_of('a: "${s.\\x6e}"')

    assert node.part(0, len(node.text)).text == '"${s.\\x6e}"'


def test_entries_are_found_by_key() -> None:
    """A key that is not there has neither entry nor value."""
    mapping = mapping_of("{a: 1, b: 2}")
    entry = mapping.entry("b")

    assert entry is not None
    assert plain(entry.value) == 2
    assert (mapping.entry("c"), mapping.get("c")) == (None, None)
