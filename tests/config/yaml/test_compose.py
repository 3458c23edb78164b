"""Anchors, merge keys, repeated keys and tags, and limits on the size of a tree."""

from __future__ import annotations

import pytest
from config.sample_configs import misread, summary, tree_of

from pipegen.config.yaml.compose import MAX_DEPTH, MAX_NODES
from pipegen.source.tree import Mapping, Scalar, plain


def test_an_alias_has_the_value_of_its_anchor() -> None:
    """The anchor can mark any kind of value."""
    assert plain(tree_of("{a: &s x, b: &l [1], c: &m {k: v}, d: [*s, *l, *m]}")) == {
        "a": "x",
        "b": [1],
        "c": {"k": "v"},
        "d": ["x", [1], {"k": "v"}],
    }


def test_an_alias_has_the_span_of_its_anchor() -> None:
    """The value is written there."""
    tree = tree_of("a: &x text\nb: *x\n")
    assert isinstance(tree, Mapping)
    node = tree.get("b")

    assert isinstance(node, Scalar)
    assert node.span.first.line == 1


def test_an_anchor_can_be_redefined() -> None:
    """An alias refers to the last definition above it."""
    assert plain(tree_of("[&a 1, *a, &a 2, *a]")) == [1, 1, 2, 2]


def test_an_anchor_can_mark_a_key() -> None:
    """An alias can also be a key."""
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
def test_a_merge_key_adds_the_entries_of_maps(text: str, value: dict[str, int]) -> None:
    """Own entries take precedence, then the first map; keys are in the order of their first occurrence."""
    tree = tree_of(f"b: &b {{x: 1, y: 2, z: 3}}\nc: &c {{y: 9, w: 4}}\na: {text}\n")
    result = plain(tree)

    assert isinstance(result, dict)
    assert list(result["a"].items()) == list(value.items())


def test_merges_are_transitive() -> None:
    """A map with a merge key can be merged."""
    assert plain(tree_of("- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b, z: 3}\n")) == [
        {"x": 1},
        {"x": 1, "y": 2},
        {"x": 1, "y": 2, "z": 3},
    ]


def test_a_quoted_merge_key_is_a_normal_key() -> None:
    """Quotes make it text."""
    assert plain(tree_of("{'<<': 1}")) == {"<<": 1}


@pytest.mark.parametrize("value", ["1", "[1]", "[{a: 1}, [2]]"])
def test_only_maps_can_be_merged(value: str) -> None:
    """The span is that of the merge key, since the value may be elsewhere."""
    (diagnostic,) = misread(f"b: &b {value}\na:\n  <<: *b\n")

    assert summary(diagnostic) == ("PG105", "3:3", "<<")


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
def test_a_repeated_key_is_reported_at_both_locations(text: str, first: str, again: str) -> None:
    """A merged key can be overridden; an own key cannot be repeated."""
    (diagnostic,) = misread(text)

    assert summary(diagnostic)[:2] == ("PG103", again)
    assert [f"{label.span.first.line}:{label.span.first.column}" for label in diagnostic.related] == [first]


def test_each_repetition_is_reported() -> None:
    """The related label is the first occurrence."""
    assert [summary(diagnostic)[1] for diagnostic in misread("a: 1\na: 2\na: 3\n")] == ["2:1", "3:1"]


def test_equal_keys_in_two_maps_are_allowed() -> None:
    """Keys must be unique only within one map."""
    assert plain(tree_of("[{a: 1}, {a: 2, b: {a: 3}}]")) == [{"a": 1}, {"a": 2, "b": {"a": 3}}]


@pytest.mark.parametrize("tag", ["!secret", "!!binary", "!!set", "!!python/object/apply:os.system", "!<x>"])
def test_other_tags_are_reported(tag: str) -> None:
    """They are not supported, and nothing is constructed from them."""
    (diagnostic, *_) = misread(f"a: {tag} x\n")

    assert summary(diagnostic)[:2] == ("PG105", "1:4")


def test_an_exclamation_mark_is_not_lost() -> None:
    """YAML would drop it: a command that must fail would have to succeed."""
    (diagnostic,) = misread("a: ! grep x\n")

    assert (diagnostic.code.number, diagnostic.hint) == ("PG105", "put the value in quotes: '! grep x'")


@pytest.mark.parametrize("text", ["a: !!str x", "a: !!seq [1]", "a: !!map {b: 1}"])
def test_core_tags_are_accepted(text: str) -> None:
    """They state the type that the value has anyway."""
    assert isinstance(tree_of(text), Mapping)


@pytest.mark.parametrize("key", ["[a]", "{a: b}"])
def test_a_list_or_map_as_key_is_reported(key: str) -> None:
    """Keys must be text."""
    (diagnostic,) = misread(f"? {key}\n: 1\n")

    assert summary(diagnostic)[:2] == ("PG105", "1:3")


def test_an_alias_within_its_own_anchor_is_reported() -> None:
    """Its expansion would be infinite."""
    (diagnostic,) = misread("a: &a [1, *a]\n")

    assert summary(diagnostic) == ("PG106", "1:11", "*a")


def test_an_undefined_alias_is_reported() -> None:
    """An anchor below it does not count."""
    (diagnostic,) = misread("a: *x\nb: &x 1\n")

    assert summary(diagnostic) == ("PG102", "1:4", "*x")


@pytest.mark.parametrize(
    ("text", "hint"), [("b: &base 1\na: *bese", '"*base"'), ("a: **/*.js", "quotes"), ("a: *b", '"&b"')]
)
def test_an_undefined_alias_has_a_hint(text: str, hint: str) -> None:
    """The hint is a similar anchor, quotes for text, or an anchor to define."""
    (diagnostic,) = misread(text)

    assert hint in (diagnostic.hint or "")


def bomb(levels: int, width: int) -> str:
    """Return text whose last value expands to *width* to the power of *levels* leaves."""
    lines = [f"a0: &a0 [{', '.join('x' * width)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_exponential_alias_expansion_is_reported() -> None:
    """The first value with too many leaves is reported, without expanding it."""
    (diagnostic,) = misread(bomb(10, 10))

    assert summary(diagnostic)[:2] == ("PG106", "6:5")


def test_repeated_merges_do_not_grow() -> None:
    """Each merged entry appears once."""
    text = "\n".join(["- &a0 {x: 1}", *(f"- &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 6))])

    assert plain(tree_of(text)) == [{"x": 1}] * 6


def test_many_values_are_accepted() -> None:
    """Real configs are far below the limit."""
    assert MAX_NODES > 500_000
    assert len(plain(tree_of(bomb(4, 10)))) == 4  # type: ignore[arg-type] # it is a map


@pytest.mark.parametrize(
    "text",
    ["[" * 10_000, "{a: " * 10_000, "- " * 10_000, "? " * 10_000, "\n".join(" " * n + "a:" for n in range(1_000))],
    ids=["flow lists", "flow maps", "dashes", "keys", "block maps"],
)
def test_deep_nesting_is_reported(text: str) -> None:
    """It is detected early and without recursion."""
    (diagnostic,) = misread(text)

    assert diagnostic.code.number == "PG105"


def test_nesting_up_to_the_limit_is_accepted() -> None:
    """Real configs are far below it."""
    assert plain(tree_of("[" * MAX_DEPTH + "]" * MAX_DEPTH))


@pytest.mark.parametrize(("inner", "outer", "is_accepted"), [(50, 51, True), (50, 52, False), (0, 101, True)])
def test_an_alias_counts_with_the_nesting_of_its_value(inner: int, outer: int, *, is_accepted: bool) -> None:
    """A chain of aliases would nest a value without limit."""
    text = f"- &inner {'[' * inner or 'a'}{']' * inner}\n- {'[' * (outer - 1)}*inner{']' * (outer - 1)}\n"

    if is_accepted:
        assert plain(tree_of(text))
    else:
        assert [diagnostic.code.number for diagnostic in misread(text)] == ["PG105"]


def test_a_second_document_is_reported_once() -> None:
    """Only the first document is read, however many follow."""
    diagnostics = misread("a: 1\n---\nb: 2\n---\nc: 3\n")

    assert [summary(diagnostic)[:2] for diagnostic in diagnostics] == [("PG105", "2:1")]


@pytest.mark.parametrize("text", ["---\na: 1\n", "%YAML 1.2\n---\na: 1\n...\n", "# hi\n---\na: 1\n"])
def test_markers_of_a_single_document_are_accepted(text: str) -> None:
    """They are a start, an end, a directive and comments."""
    assert plain(tree_of(text)) == {"a": 1}
