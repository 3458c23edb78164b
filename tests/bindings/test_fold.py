"""Folding of values: constants at compile time, and expressions that are left to the run.

Most configs are worked out twice, with names whose values the compiler knows and with names that only a run knows: both
come to the same.
"""

from __future__ import annotations

import pytest
from bindings.evaluation import World

from pipegen.bindings.expression import Defaulted, List, Loop, Map, Text
from pipegen.bindings.fold import tokens

WORLD = World(
    (("a", "b"),),
    {
        "a": {
            "one": "x",
            "empty": "",
            "lines": "p q\nr s\n\nt u",
            "words": "k v",
            "commas": "1,2;3,,4",
            "odd": "'; rm -rf ~ #\n$(id)\n\\",
            "blanks": "  p  q  ",
        },
        "b": {"n": "5"},
    },
)

SAME = {
    "text": ("<${a.one}${b.n}>", "<x5>"),
    "default of empty": ("<${a.empty|d}>", "<d>"),
    "default of text": ("<${a.one|d}>", "<x>"),
    "constants stay": ("[1, true, ~, 1.5, '1']", [1, True, None, 1.5, "1"]),
    "map keys": ("{'k-${a.one}': v, '${b.n}': w}", {"k-x": "v", "5": "w"}),
    "each over constants": ("{$each: i, $in: [p, 2, true], $yield: '<${.i}>'}", ["<p>", "<2>", "<true>"]),
    "each over lines": ("{$each: i, $in: '${a.lines}', $yield: '<${.i}>'}", ["<p q>", "<r s>", "<t u>"]),
    "each over constant lines": ('{$each: i, $in: "p\\n\\nq\\n", $yield: "<${.i}>"}', ["<p>", "<q>"]),
    "each over a number": ("{$each: i, $in: 5, $yield: '<${.i}>'}", ["<5>"]),
    "each over nothing": ("{$each: i, $in: '', $yield: x}", []),
    "each over an empty value": ("{$each: i, $in: '${a.empty}', $yield: x}", []),
    "each over null": ("{$each: i, $in: ~, $yield: x}", []),
    "each over a text with a default": ("{$each: i, $in: '${a.empty|p}', $yield: '<${.i}>'}", ["<p>"]),
    "each over a joined text": ("{$each: i, $in: '0 ${a.lines}', $yield: '<${.i}>'}", ["<0 p q>", "<r s>", "<t u>"]),
    "each over a list of values": ("{$each: i, $in: ['${a.one}', y], $yield: '<${.i}>'}", ["<x>", "<y>"]),
    "delimiters are characters": ("{$each: i, $in: '${a.commas}', $delimiter: ',;'}", ["1", "2", "3", "4"]),
    "delimiters of a pattern": ("{$each: i, $in: 'a]b^c-d', $delimiter: ']^-'}", ["a", "b", "c", "d"]),
    "without yield": ("{$each: i, $in: '${a.lines}'}", ["p q", "r s", "t u"]),
    "words without yield": ("{$each: [i, j], $in: '${a.blanks}'}", ["p q"]),
    "words": ("{$each: [i, j], $in: '${a.lines}', $yield: '${.j}${.i}'}", ["qp", "sr", "ut"]),
    "words of constants": ("{$each: [i, j], $in: ['p q', ' r  s t '], $yield: '${.j}${.i}'}", ["qp", "sr"]),
    "words of a value": ("{$each: [i, j], $in: ['${a.words}'], $yield: '${.j}=${.i}'}", ["v=k"]),
    "one word": ("{$each: [i], $in: '${a.lines}', $yield: '${.i}'}", ["p", "r", "t"]),
    "maps": ("{$each: i, $in: '${a.commas}', $delimiter: ',;', $yield: {n: '${.i}'}}", [{"n": n} for n in "1234"]),
    "hostile text": ("{$each: i, $in: '${a.odd}', $yield: '<${.i}>'}", ["<'; rm -rf ~ #>", "<$(id)>", "<\\>"]),
    "each of each": (
        "{$each: i, $in: {$each: j, $in: '${a.lines}', $yield: '${.j}!'}, $yield: '<${.i}>'}",
        ["<p q!>", "<r s!>", "<t u!>"],
    ),
    "each of merged": ("{$each: i, $in: {$merge: [p], $with: ['${a.one}']}, $yield: '<${.i}>'}", ["<p>", "<x>"]),
    "each within each": (
        "{$each: i, $in: '${a.lines}', $yield: {$each: j, $in: '${.i}', $delimiter: ' ', $yield: '${.i}:${.j}'}}",
        [["p q:p", "p q:q"], ["r s:r", "r s:s"], ["t u:t", "t u:u"]],
    ),
    "the same name within": (
        "{$each: i, $in: '${a.lines}', $yield: {$each: i, $in: '${.i}', $delimiter: ' ', $yield: '<${.i}>'}}",
        [["<p>", "<q>"], ["<r>", "<s>"], ["<t>", "<u>"]],
    ),
    "words of items of each": (
        "{$each: [k, v], $in: {$each: i, $in: '${a.lines}', $yield: '${.i} ${b.n}'}, $yield: '${.v}${.k}'}",
        ["qp", "sr", "ut"],
    ),
    "default of a loop's name": ("{$each: i, $in: [p, ''], $yield: '${.i|d}'}", ["p", "d"]),
    "merged texts": ("{$merge: 'p${a.one}', $with: '${b.n}q'}", "px5q"),
    "merged with null": ("{$merge: p, $with: ~}", "p"),
    "merged numbers": ("{$merge: 1, $with: 2}", "12"),
    "merged lists": ("{$merge: [p, '${a.one}'], $with: [p, q]}", ["p", "x", "p", "q"]),
    "list and map": ("{$merge: [p, '${a.one}'], $with: {q: '${b.n}'}}", ["p", "x", {"q": "5"}]),
    "list of maps and map": ("{$merge: [{p: 1}], $with: {q: 2}}", [{"p": 1}, {"q": 2}]),
    "list and text": ("{$merge: [p], $with: '${a.one}'}", ["p", "x"]),
    "merged loops": (
        "{$merge: {$each: i, $in: '${a.commas}', $delimiter: ',;'}, $with: [z]}",
        ["1", "2", "3", "4", "z"],
    ),
    "merged maps": ("{$merge: {p: 1, q: 2}, $with: {q: 3, r: 4}}", {"p": 1, "q": 3, "r": 4}),
    "merged maps with a read key": ("{$merge: {x: 1}, $with: {'${a.one}': 2}}", {"x": 2}),
    "merged maps within": ("{$merge: {p: {q: 1}}, $with: {p: {r: 2}}}", {"p": {"r": 2}}),
    "merge of merges": ("{$merge: {$merge: [p], $with: [q]}, $with: {$merge: [r], $with: [s]}}", ["p", "q", "r", "s"]),
    "merge in a loop": ("{$each: i, $in: [p, q], $yield: {$merge: '<${.i}', $with: '>'}}", ["<p>", "<q>"]),
}


@pytest.mark.parametrize(("config", "expected"), SAME.values(), ids=SAME)
@pytest.mark.parametrize("known", [True, False], ids=["known", "run"])
def test_a_value_is_the_same_at_compile_time_and_in_a_run(config: str, expected: object, known: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Known names fold to constants, and unknown names are evaluated in the run."""
    assert WORLD.value(config, "b", known=known) == expected


def test_a_loop_over_known_text_folds_to_constants() -> None:
    """Nothing is left to evaluate in the run."""
    folded, _ = WORLD.folded("{$each: i, $in: '${a.lines}', $yield: '<${.i}>'}", "b", known=True)

    assert isinstance(folded, List)
    assert [item.constant for item in folded.items if isinstance(item, Text)] == ["<p q>", "<r s>", "<t u>"]


def test_a_loop_over_unknown_text_is_kept() -> None:
    """The list contains a loop with the text to split."""
    folded, _ = WORLD.folded("{$each: i, $in: '${a.lines}', $delimiter: ',', $yield: '<${.i}>'}", "b", known=False)
    assert isinstance(folded, List)
    (loop,) = folded.items

    assert isinstance(loop, Loop)
    assert (loop.names, loop.split, loop.delimiters) == (("i",), False, ",")


def test_a_loop_over_a_list_with_unknown_items_is_unrolled() -> None:
    """The number of items is known even when their values are not."""
    folded, _ = WORLD.folded("{$each: i, $in: ['${a.one}', y], $yield: '<${.i}>'}", "b", known=False)

    assert isinstance(folded, List)
    assert [type(item) for item in folded.items] == [Text, Text]


def test_splitting_an_unknown_item_into_words_keeps_a_loop() -> None:
    """The item is one piece, even if its value contains line breaks."""
    folded, _ = WORLD.folded("{$each: [i, j], $in: ['${a.words}'], $yield: '${.i}'}", "b", known=False)
    assert isinstance(folded, List)
    (loop,) = folded.items

    assert isinstance(loop, Loop)
    assert (loop.split, loop.delimiters) == (True, "")


def test_a_known_key_appears_once() -> None:
    """It has its first position and its last value."""
    folded, _ = WORLD.folded("{x: 1, y: 2, '${a.one}': 3}", "b", known=True)

    assert isinstance(folded, Map)
    assert [(key.constant, getattr(value, "text", "")) for key, value in folded.entries] == [("x", "3"), ("y", "2")]


def test_get_looks_up_constant_keys() -> None:
    """A key that is known only in the run is not matched."""
    folded, _ = WORLD.folded("{p: 1, '${a.one}': 2}", "b", known=False)

    assert isinstance(folded, Map)
    assert folded.get("p") is not None
    assert folded.get("x") is None


def test_a_default_is_dropped_when_the_value_is_never_empty() -> None:
    """The value contains text of its own, so it cannot be empty."""
    world = World((("a", "b"),), {"a": {"joined": "${p}"}})

    assert world.value("<${a.joined|d}>", "b", known=True) == "<${p}>"


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ("{$each: i, $in: {p: 1}, $yield: x}", "PG508"),
        ("{$each: i, $in: [[p]], $yield: x}", "PG508"),
        ("{$each: i, $in: [{p: 1}], $yield: x}", "PG508"),
        ("{$each: [i, j], $in: [p], $yield: x}", "PG509"),
        ("{$each: [i, j], $in: 'p q\n\n r', $yield: x}", "PG509"),
        ("{$merge: {q: 1}, $with: [p]}", "PG503"),
        ("{$merge: {q: 1}, $with: p}", "PG503"),
        ("{$merge: p, $with: [q]}", "PG503"),
    ],
)
def test_invalid_operands_are_reported(config: str, code: str) -> None:
    """Operators reject nested values, items with too few words and sides that do not match."""
    assert WORLD.codes(config, "b") == [code]


def test_an_invalid_operand_in_a_loop_is_reported_once() -> None:
    """It is not reported again for each iteration."""
    assert WORLD.codes("{$each: i, $in: [p, q], $yield: {$merge: {y: 1}, $with: [x]}}", "b") == ["PG503"]


@pytest.mark.parametrize(
    ("value", "delimiters", "expected"),
    [
        ("a b", " ", ["a", "b"]),
        (" a  b ", " ", ["a", "b"]),
        ("", " ", []),
        ("a\nb c", "\n", ["a", "b c"]),
        ("a-b]c\\d^e", "]^\\-", ["a", "b", "c", "d", "e"]),
    ],
)
def test_tokens_splits_at_any_delimiter(value: str, delimiters: str, expected: list[str]) -> None:
    """Empty pieces are left out."""
    assert tokens(value, delimiters) == expected


def test_a_default_is_moved_into_a_single_reference() -> None:
    """No `Defaulted` part is left."""
    folded, _ = WORLD.folded("${a.one|d}", "b", known=False)

    assert isinstance(folded, Text)
    assert not any(isinstance(part, Defaulted) for part in folded.parts)
