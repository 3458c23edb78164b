"""Output of the YAML writer, read back by readers of YAML 1.1 and 1.2."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from emit.hostile import HOSTILE, LONG
from emit.readers import read_everywhere
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipegen.emit.yaml import Commented, Data, Flow, Folded, Value, write

_PROPERTY = settings(
    deadline=None, derandomize=True, database=None, max_examples=400, suppress_health_check=list(HealthCheck)
)

# Fragments of YAML's own grammar, concatenated, find more errors than random characters.
_PIECES = st.sampled_from(
    [
        *"abexyznfotl0189_.,:;-+?!&*%@#|><=~`'\"\\/$()[]{} \t\n",
        *(
            "\n\n",
            "  ",
            ": ",
            " #",
            "- ",
            "? ",
            "---",
            "...",
            "<<",
            "0x",
            "0o",
            "\\u",
            "true",
            ".inf",
            "null",
            "é",
            "日",
        ),
        *("🚀", "\xa0", "\x85", "\u2028", "\ufeff", "\r", "\x00", "\x1b", "\x7f", "\ufffe", "\uffff", "k" * 1_001),
    ]
)
_TEXT = st.one_of(
    st.lists(_PIECES, max_size=8).map("".join),
    st.text(max_size=12),
    st.sampled_from(list(HOSTILE.values())),
    st.text("0123456789abcdefox_.,:+-tz ", max_size=8),
)
_SCALAR = st.one_of(_TEXT, _TEXT, st.booleans(), st.none(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False))
_DATA = st.recursive(
    _SCALAR,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXT, inner, max_size=3)),
    max_leaves=6,
)
_FLOW = st.builds(Flow, st.one_of(st.lists(_DATA, max_size=3), st.dictionaries(_TEXT, _DATA, max_size=3)))
_FOLDED = st.builds(Folded, st.lists(_TEXT, max_size=3).map(tuple))
_VALUE = st.recursive(
    st.one_of(_SCALAR, _FLOW, _FOLDED),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(_TEXT, inner, max_size=3),
        st.builds(Commented, inner, above=_TEXT, beside=_TEXT),
    ),
    max_leaves=8,
)
_DOCUMENT = st.one_of(st.lists(_VALUE, max_size=4), st.dictionaries(_TEXT, _VALUE, max_size=4))


def _data(value: Any) -> Any:
    """Return *value* as a reader returns it, without layout."""
    match value:
        case Flow() | Commented():
            return _data(value.value)
        case Folded():
            return " ".join(value.lines)
        case Mapping():
            return {key: _data(item) for key, item in value.items()}
        case Sequence() if not isinstance(value, str):
            return [_data(item) for item in value]
        case _:
            return value


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_read_back(text: str) -> None:
    """The text is a value, a key and an item, in block style and in flow style."""
    data: dict[str, Data] = {text: text, "items": [text, [text, {text: text}]], "below": {"deeper": {text: [text]}}}
    document: list[Value] = [
        data,
        Flow(data),
        Commented({text: Commented(text, above=text, beside=text)}, above=text),
    ]

    for reader, read in read_everywhere(write(document)).items():
        assert read == [data, data, {text: text}], reader


@pytest.mark.slow
@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_long_text_is_read_back(text: str) -> None:
    """A text of 64 KB is never wrapped, either as a value or as a key."""
    for reader, read in read_everywhere(write({"value": text, text: "key"})).items():
        assert read == {"value": text, text: "key"}, reader


@pytest.mark.slow
@_PROPERTY
@given(document=_DOCUMENT, header=st.lists(_TEXT, max_size=2), spaced=st.booleans())
def test_any_document_is_read_back(document: Any, header: list[str], spaced: bool) -> None:  # noqa: FBT001
    """Layout and comments do not change the data."""
    written = write(document, header, spaced=spaced)

    for reader, read in read_everywhere(written).items():
        assert repr(read) == repr(_data(document)), (reader, written)


@pytest.mark.slow
@_PROPERTY
@given(lines=st.lists(st.text("ab #-:'\"\\é\t\n", min_size=1, max_size=6), min_size=1, max_size=4).map(tuple))
def test_folding_does_not_change_text(lines: tuple[str, ...]) -> None:
    """A folded line is its parts, joined by single spaces."""
    for reader, read in read_everywhere(write({"script": [Folded(lines), "next"]})).items():
        assert read == {"script": [" ".join(lines), "next"]}, reader


@pytest.mark.slow
@_PROPERTY
@given(texts=st.lists(st.text("a \t\n\x85'\"\\#", max_size=10), min_size=1, max_size=4))
def test_keeps_every_line_break_and_blank(texts: list[str]) -> None:
    """Blanks and line breaks at the end of a block do not affect the next entry or comment."""
    document: dict[str, Value] = {
        "a": list(texts),
        "b": {str(position): text for position, text in enumerate(texts)},
        "c": texts[0],
    }
    commented = {key: Commented(value, above="above") for key, value in document.items()}

    for reader, read in read_everywhere(write(commented)).items():
        assert read == document, reader
