"""Merging two maps."""

from __future__ import annotations

import pytest
from config.sample_configs import tree_of

from pipegen.config.merge import merge_maps, merge_stages
from pipegen.source.tree import Mapping, plain


def _merged(lower: str, upper: str) -> Mapping:
    below, above = tree_of(lower), tree_of(upper)
    assert isinstance(below, Mapping)
    assert isinstance(above, Mapping)
    return merge_maps(below, above)


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("{a: 1}", "{b: 2}", {"a": 1, "b": 2}),
        ("{a: 1}", "{a: 2}", {"a": 2}),
        ("{a: {b: 1, c: 2}}", "{a: {c: 3, d: 4}}", {"a": {"b": 1, "c": 3, "d": 4}}),
        ("{a: {b: {c: 1}}}", "{a: {b: {d: 2}}}", {"a": {"b": {"c": 1, "d": 2}}}),
        ("{a: [1, 2]}", "{a: [3]}", {"a": [3]}),
        ("{a: {b: 1}}", "{a: text}", {"a": "text"}),
        ("{a: text}", "{a: {b: 1}}", {"a": {"b": 1}}),
        ("{a: {b: 1}}", "{a: [1]}", {"a": [1]}),
        ("{a: {b: 1}}", "{a: {}}", {"a": {"b": 1}}),
        ("{a: 1, b: 2}", "{a: ~}", {"b": 2}),
        ("{a: {b: 1, c: 2}}", "{a: {b: }}", {"a": {"c": 2}}),
        ("{a: 1}", "{b: ~}", {"a": 1, "b": None}),
        ("{a: ~}", "{a: 1}", {"a": 1}),
        ("{a: {$merge: {b: 1}, $with: {}}}", "{a: {b: 2}}", {"a": {"b": 2}}),
        ("{a: {b: 1}}", "{a: {$each: x, $in: y}}", {"a": {"$each": "x", "$in": "y"}}),
    ],
)
def test_maps_are_merged_and_other_values_are_replaced(lower: str, upper: str, expected: object) -> None:
    """A key without a value removes the lower one, and operators are replaced as values."""
    assert plain(_merged(lower, upper)) == expected


def test_keys_are_in_the_order_of_their_first_occurrence() -> None:
    """Keys of the lower map come first."""
    whole = _merged("{b: 1, a: 2}", "{c: 3, a: 4, d: 5}")

    assert [(entry.key.text, plain(entry.value)) for entry in whole.entries] == [("b", 1), ("a", 4), ("c", 3), ("d", 5)]


def test_merged_values_keep_their_spans() -> None:
    """Key and value have the spans of the map that takes precedence."""
    whole = _merged("a: 1\nb: 2", "\n\nb: 3")

    assert [entry.key.span.first.line for entry in whole.entries] == [1, 3]
    assert [entry.value.span.first.line for entry in whole.entries] == [1, 3]


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("{before: [a, b]}", "{before: [c]}", {"before": ["a", "b", "c"]}),
        ("{before: a}", "{before: b}", {"before": ["a", "b"]}),
        ("{before: [a]}", "{script: b}", {"before": ["a"], "script": "b"}),
        ("{script: b}", "{before: a}", {"script": "b", "before": "a"}),
        ("{before: [a]}", "{before: }", {}),
        ("{before: }", "{before: [a]}", {"before": ["a"]}),
        ("{after: [a]}", "{after: [b]}", {"after": ["b"]}),
        ("{env: {before: a}}", "{env: {before: b}}", {"env": {"before": "b"}}),
    ],
)
def test_commands_before_a_script_are_joined(lower: str, upper: str, expected: object) -> None:
    """Inherited commands come first, and a key without a value removes them."""
    below, above = tree_of(lower), tree_of(upper)
    assert isinstance(below, Mapping)
    assert isinstance(above, Mapping)

    assert plain(merge_stages(below, above)) == expected
