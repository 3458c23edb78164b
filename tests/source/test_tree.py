"""The tree of scalars, sequences and mappings."""

from __future__ import annotations

import pytest
from config.sample_configs import tree_of

from pipegen.source.tree import Mapping, Scalar, integer, items_of, number, plain, written_text


def mapping_of(text: str) -> Mapping:
    """Return *text* as a mapping."""
    tree = tree_of(text)
    assert isinstance(tree, Mapping)
    return tree


def scalar_of(text: str) -> Scalar:
    """Return the scalar at the key `a` in *text*."""
    node = mapping_of(text).get("a")
    assert isinstance(node, Scalar)
    return node


def test_plain_data_has_typed_values() -> None:
    """Numbers, booleans and null, in lists and maps."""
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
def test_integers_are_parsed(text: str, value: int) -> None:
    """In all notations of YAML 1.1 and 1.2; a leading zero means octal only if the digits allow it."""
    assert integer(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5", 1.5), ("1e3", 1000.0), ("-.5", -0.5), ("1_0.5", 10.5), (".inf", float("inf")), ("-.INF", float("-inf"))],
)
def test_floats_are_parsed(text: str, value: float) -> None:
    """Including infinity."""
    assert number(text) == value


def test_nan_is_parsed() -> None:
    """It is not equal to itself."""
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
def test_part_of_a_scalar_has_its_own_span(text: str, covered: str) -> None:
    """In every style of scalar."""
    node = scalar_of(text)
    start = node.text.index("${s.n}")

    assert node.part(start, start + len("${s.n}")).text == covered


@pytest.mark.parametrize("text", ["a: |\n  ${s.n}\n  ${s.n}\n", "a: |\n  ${s.n} ${s.n}\n", "a: 'it''s ${s.n} ${s.n}'"])
def test_repeated_parts_have_different_spans(text: str) -> None:
    """The span is that of the requested occurrence."""
    node = scalar_of(text)
    start = node.text.rindex("${s.n}")

    assert node.part(start, start + 6).start == text.rindex("${s.n}")


def test_an_escaped_part_has_the_span_of_the_whole_scalar() -> None:
    """The part is not in the file literally."""
    node = scalar_of('a: "${s.\\x6e}"')

    assert node.part(0, len(node.text)).text == '"${s.\\x6e}"'


def test_entries_are_looked_up_by_key() -> None:
    """A missing key has neither entry nor value."""
    mapping = mapping_of("{a: 1, b: 2}")
    entry = mapping.entry("b")

    assert entry is not None
    assert plain(entry.value) == 2
    assert (mapping.entry("c"), mapping.get("c")) == (None, None)


def test_nodes_of_another_kind_have_no_items_and_no_text() -> None:
    """Nor has a missing node."""
    mapping = mapping_of("{a: [x, '1'], b: 1.10}")
    names, version = mapping.get("a"), mapping.get("b")

    assert tuple(map(written_text, items_of(names))) == ("x", "1")
    assert (written_text(version), written_text(names), written_text(None, "none")) == ("1.10", "", "none")
    assert items_of(version) == items_of(None) == ()
