"""Removal of items and entries from YAML."""

from __future__ import annotations

import pytest

from pipegen.lint.removal import remove_entry, remove_item
from pipegen.source.text import SourceFile, Span


def without(text: str, *, entry: bool = False, first: bool = False) -> str | None:
    """Return *text* without the part in « »; None if it cannot be removed."""
    start, end = text.index("«"), text.index("»") - 1
    plain = text.replace("«", "").replace("»", "")
    span = Span(SourceFile("x", plain), start, end)
    edit = remove_entry(span) if entry else remove_item(span, is_first=first)
    return plain[: edit.span.start] + edit.text + plain[edit.span.end :] if edit else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n- «b»\n- c\n", "- a\n- c\n"),
        ("- a\n- «b»", "- a\n"),
        ("- a\n- «b» # why\n- c\n", "- a\n# why\n- c\n"),
        ("k:\n  - a\n  - «[b,\n    c]»\n", "k:\n  - a\n"),
        ("- a\r\n- «b» # why\r\n- c\r\n", "- a\r\n# why\r\n- c\r\n"),
        ("[a, «b», c]", "[a, c]"),
        ("[a, «b»]", "[a]"),
        ("[a , «b» ]", "[a  ]"),
        ("[a,\n  «b»,\n  c]", "[a,\n  c]"),
        ("[\n  a,\n  «b», # why\n  c\n]", "[\n  a, # why\n  c\n]"),
        ("[a, # why\n  «b»]", None),
        ("[«a»]", None),
        ("- - «a»\n  - b\n", None),
        ("- &x «a»\n", None),
        ("- [b, # why\n   c]\n- «[a, # why\n  b]»\n", None),
    ],
)
def test_remove_an_item(text: str, expected: str | None) -> None:
    """The list may be in block or flow style; an item is not removed if a comment would be lost."""
    assert without(text) == expected


@pytest.mark.parametrize(("text", "expected"), [("[«a», b]", "[b]"), ("[«a»]", None), ("[«a», # why\n b]", None)])
def test_remove_the_first_item(text: str, expected: str | None) -> None:
    """The comma after it is removed, too."""
    assert without(text, first=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k:\n  a: 1\n  «b: {c: 2}»\n", "k:\n  a: 1\n"),
        ("k:\n  «b:\n    c: 2» # why\n  d: 1\n", "k:\n  # why\n  d: 1\n"),
        ("{a: 1, «b: 2», c: 3}", "{a: 1, c: 3}"),
        ("{«a: 1», b: 2}", "{b: 2}"),
        ("{«a: 1»}", None),
        ("- «a: 1»\n  b: 2\n", None),
        ("? «a: 1»\n", None),
    ],
)
def test_remove_an_entry_of_a_map(text: str, expected: str | None) -> None:
    """The rules for block and flow style are the same as for items."""
    assert without(text, entry=True) == expected
