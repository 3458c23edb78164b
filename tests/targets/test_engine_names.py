"""Names that engines accept."""

from __future__ import annotations

import re

import pytest

from pipegen.bindings.expression import Reference, Text
from pipegen.source.text import SourceFile, Span
from pipegen.targets.engine_names import allowed_name, allowed_text

_AT = Span(SourceFile("f", ""), 0, 0)
_NOT_ALLOWED = re.compile("[^a-z/-]")
_BRANCH = Reference("setup", "branch", None, _AT)


@pytest.mark.parametrize("name", ["it-s", "a/b", "x" * 255])
def test_valid_names_are_unchanged(name: str) -> None:
    """No digest is added."""
    assert allowed_name(name, _NOT_ALLOWED, edges="/") == name


def test_different_names_stay_different() -> None:
    """Even if they differ only in replaced, cut or stripped characters."""
    names = ("it's", "it s", "it-s", "/it-s", "it-s/", "/", "//", "", "'", "é", "x" * 256, "x" * 257, "x" * 255)
    texts = [allowed_name(name, _NOT_ALLOWED, edges="/") for name in names if name]

    assert len(set(texts)) == len(texts)
    assert [text for text in texts if not text or len(text) > 255 or text.strip("/") != text] == []


def test_the_digest_depends_only_on_the_name() -> None:
    """The result is the same in every file."""
    assert allowed_name("it's", _NOT_ALLOWED, edges="") == "it-s-24ceef1c"


def test_texts_keep_run_time_values() -> None:
    """The digest is at the end."""
    texts = [allowed_text(Text((start, _BRANCH), _AT), _NOT_ALLOWED, edges="") for start in ("a: ", "a; ", "a-")]

    assert [len(text.parts) for text in texts] == [3, 3, 2]
    assert len({text.parts for text in texts}) == 3
    assert all(text.parts[1] is _BRANCH for text in texts)


@pytest.mark.parametrize(
    ("parts", "kept"),
    [(("/a/b/",), "a/b"), (("a/",), "a"), (("/",), ""), (("a/b",), None), (("review/", _BRANCH), None)],
)
def test_texts_lose_characters_at_their_ends(parts: tuple[str | Reference, ...], kept: str | None) -> None:
    """Not in the middle, where a value follows."""
    text = allowed_text(Text(parts, _AT), _NOT_ALLOWED, edges="/")

    assert text.parts[0] == (parts[0] if kept is None else kept)
    assert len(text.parts) == len(parts) + (kept is not None)
