"""Anchors, merge keys, repeated keys, tags, and what would make a tree too big."""

from __future__ import annotations

import pytest
from config.written import misread, told, tree_of

from pipegen.config.compose import MAX_NODES
from pipegen.config.schema.depth import MAX_DEPTH
from pipegen.source.tree import Mapping, Scalar, plain


def test_an_alias_stands_for_its_anchor() -> None:
    """Whatever the anchor marks."""
    assert plain(tree_of("{a: &s x, b: &l [1], c: &m {k: v}, d: [*s, *l, *m]}")) == {
        "a": "x",
        "b": [1],
        "c": {"k": "v"},
        "d": ["x", [1], {"k": "v"}],
    }


def test_an_alias_answers_with_the_place_of_its_anchor() -> None:
    """That is where the value is written."""
    tree = tree_of("a: &x text\nb: *x\n")
    assert isinstance(tree, Mapping)
    node = tree.get("b")

    assert isinstance(node, Scalar)
    assert node.span.first.line == 1


def test_an_anchor_may_be_set_again() -> None:
    """An alias stands for the last one above it."""
    assert plain(tree_of("[&a 1, *a, &a 2, *a]")) == [1, 1, 2, 2]


def test_an_anchor_can_mark_a_key() -> None:
    """And an alias be one."""
    assert plain(tree_of("&k key: 1\nother:\n  *k : 2\n")) == {"key": 1, "other": {"key": 2}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{<<: *b, k: 1}", {"x": 1, "y": 2, "z": 3, "k": 1}),
        ("{k: 1, <<: *b}", {"k": 1, "x": 1, "y": 2, "z": 3}),
        ("{<<: *b, y: 5}", {"x": 1, "y": 5, "z": 3}),
        ("{y: 5, <<: *b}", {"y": 5, "x": 1, "z": 3}),
        ("{<<: [*b, *c]}", {"x": 1, "y": 2, "z": 3, "w": 4}),
        ("{<<: [*c, *b]}", {"y": 9, "w": 4, "x": 1, "z": 3}),
        ("{<<: *b, <<: *c}", {"x": 1, "y": 2, "z": 3, "w": 4}),
        ("{<<: {y: 0}, k: 1}", {"y": 0, "k": 1}),
        ("{<<: []}", {}),
    ],
    ids=["first", "last", "own wins", "own first wins", "list", "list turned", "two", "inline", "no maps"],
)
def test_a_merge_key_brings_the_entries_of_maps(text: str, value: dict[str, int]) -> None:
    """Own entries win, then the map named first; the order is the one in which keys are met."""
    tree = tree_of(f"b: &b {{x: 1, y: 2, z: 3}}\nc: &c {{y: 9, w: 4}}\na: {text}\n")
    found = plain(tree)

    assert isinstance(found, dict)
    assert list(found["a"].items()) == list(value.items())


def test_merges_go_through_merges() -> None:
    """A map that merges another can be merged."""
    assert plain(tree_of("- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b, z: 3}\n")) == [
        {"x": 1},
        {"x": 1, "y": 2},
        {"x": 1, "y": 2, "z": 3},
    ]


def test_a_quoted_merge_key_is_a_key() -> None:
    """Quotes make it text."""
    assert plain(tree_of("{'<<': 1}")) == {"<<": 1}


@pytest.mark.parametrize("value", ["1", "[1]", "[{a: 1}, [2]]"])
def test_only_maps_can_be_merged(value: str) -> None:
    """The merge key is marked; the value may stand elsewhere."""
    (found,) = misread(f"b: &b {value}\na:\n  <<: *b\n")

    assert told(found) == ("PG105", "3:3", "<<")


@pytest.mark.parametrize(
    ("text", "first", "again"),
    [
        ("a: 1\nb: 2\na: 3\n", "1:1", "3:1"),
        ("'a': 1\na: 2\n", "1:1", "2:1"),
        ("{a: 1, a: 2}", "1:2", "1:8"),
        ("x: &m {a: 0}\ny:\n  a: 1\n  <<: *m\n  a: 2\n", "3:3", "5:3"),
        ("x: &m {a: 0}\ny:\n  <<: *m\n  a: 1\n  a: 2\n", "4:3", "5:3"),
        ("1: a\n1: b\n", "1:1", "2:1"),
    ],
    ids=["block", "quotes", "flow", "around a merge", "after a merge", "numbers"],
)
def test_a_repeated_key_is_reported_at_both_places(text: str, first: str, again: str) -> None:
    """A merged key may be repeated, one's own may not."""
    (found,) = misread(text)

    assert told(found)[:2] == ("PG103", again)
    assert [f"{label.span.first.line}:{label.span.first.column}" for label in found.related] == [first]


def test_each_repetition_is_reported() -> None:
    """Against the first."""
    assert [told(found)[1] for found in misread("a: 1\na: 2\na: 3\n")] == ["2:1", "3:1"]


def test_the_same_key_in_two_maps_is_fine() -> None:
    """Keys are repeated only within one map."""
    assert plain(tree_of("[{a: 1}, {a: 2, b: {a: 3}}]")) == [{"a": 1}, {"a": 2, "b": {"a": 3}}]


@pytest.mark.parametrize("tag", ["!secret", "!!binary", "!!set", "!!python/object/apply:os.system", "!<x>"])
def test_tags_of_others_mean_nothing(tag: str) -> None:
    """They are marked, and nothing is made of them."""
    (found, *_) = misread(f"a: {tag} x\n")

    assert told(found)[:2] == ("PG105", "1:4")


def test_an_exclamation_mark_is_not_lost() -> None:
    """YAML would drop it: a command that must fail would have to succeed."""
    (found,) = misread("a: ! grep x\n")

    assert (found.code.number, found.hint) == ("PG105", "put the value in quotes: '! grep x'")


@pytest.mark.parametrize("text", ["a: !!str x", "a: !!seq [1]", "a: !!map {b: 1}"])
def test_core_tags_are_fine(text: str) -> None:
    """They say what the value is anyway."""
    assert isinstance(tree_of(text), Mapping)


@pytest.mark.parametrize("key", ["[a]", "{a: b}"])
def test_a_key_is_text(key: str) -> None:
    """Not a list or a map."""
    (found,) = misread(f"? {key}\n: 1\n")

    assert told(found)[:2] == ("PG105", "1:3")


def test_an_alias_within_its_own_value_is_refused() -> None:
    """It would never end."""
    (found,) = misread("a: &a [1, *a]\n")

    assert told(found) == ("PG106", "1:11", "*a")


def test_an_alias_of_nothing_is_reported() -> None:
    """An anchor below does not count."""
    (found,) = misread("a: *x\nb: &x 1\n")

    assert told(found) == ("PG102", "1:4", "*x")


@pytest.mark.parametrize(
    ("text", "hint"), [("b: &base 1\na: *bese", '"*base"'), ("a: **/*.js", "quotes"), ("a: *b", '"&b"')]
)
def test_an_unknown_alias_comes_with_a_way_out(text: str, hint: str) -> None:
    """A near miss, quotes for what is no alias, an anchor for the rest."""
    (found,) = misread(text)

    assert hint in (found.hint or "")


def bomb(levels: int, width: int) -> str:
    """Return text whose last value has *width* to the power of *levels* leaves."""
    lines = [f"a0: &a0 [{', '.join('x' * width)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_aliases_that_multiply_are_refused() -> None:
    """At the first value that holds too many; nothing is written out to find that."""
    (found,) = misread(bomb(10, 10))

    assert told(found)[:2] == ("PG106", "6:5")


def test_a_merge_bomb_is_no_bomb() -> None:
    """Merged entries come once."""
    text = "\n".join(["- &a0 {x: 1}", *(f"- &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 6))])

    assert plain(tree_of(text)) == [{"x": 1}] * 6


def test_many_values_are_fine() -> None:
    """What people write is far below the limit."""
    assert MAX_NODES > 500_000
    assert len(plain(tree_of(bomb(4, 10)))) == 4  # type: ignore[arg-type] # it is a map


@pytest.mark.parametrize(
    "text",
    ["[" * 10_000, "{a: " * 10_000, "- " * 10_000, "? " * 10_000, "\n".join(" " * n + "a:" for n in range(1_000))],
    ids=["flow lists", "flow maps", "dashes", "keys", "block maps"],
)
def test_deep_nesting_is_refused(text: str) -> None:
    """Soon, and without recursion."""
    (found,) = misread(text)

    assert found.code.number == "PG105"


def test_nesting_up_to_the_limit_is_read() -> None:
    """Real configs stay far below it."""
    assert plain(tree_of("[" * MAX_DEPTH + "]" * MAX_DEPTH))


def test_a_second_document_is_reported_once() -> None:
    """However many follow; the first alone is read."""
    found = misread("a: 1\n---\nb: 2\n---\nc: 3\n")

    assert [told(one)[:2] for one in found] == [("PG105", "2:1")]


@pytest.mark.parametrize("text", ["---\na: 1\n", "%YAML 1.2\n---\na: 1\n...\n", "# hi\n---\na: 1\n"])
def test_the_marks_of_one_document_are_fine(text: str) -> None:
    """A start, an end, a directive, comments."""
    assert plain(tree_of(text)) == {"a": 1}
