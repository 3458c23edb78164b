"""Lines and columns from offsets."""

from __future__ import annotations

import pytest

from pipegen.source.text import Located, Position, SourceFile, Span


@pytest.mark.parametrize(
    ("text", "lines"), [("", 1), ("a", 1), ("a\n", 2), ("a\nb", 2), ("a\r\nb\rc\n", 4), ("a\x0bb\u2028c", 1)]
)
def test_line_breaks_are_those_of_editors(text: str, lines: int) -> None:
    """LF, CR and CRLF break lines; breaks that only Python recognizes do not."""
    assert len(SourceFile("f", text).line_starts) == lines


@pytest.mark.parametrize(
    ("offset", "line", "column"),
    [(0, 1, 1), (1, 1, 2), (2, 1, 3), (3, 1, 4), (4, 2, 1), (5, 2, 2), (6, 3, 1), (7, 3, 2)],
)
def test_every_offset_has_a_position(offset: int, line: int, column: int) -> None:
    """Including offsets of line breaks and the end of the file."""
    assert SourceFile("f", "ab\r\nc\nd").position(offset) == Position(line, column)


def test_columns_count_characters() -> None:
    """Columns count neither bytes nor UTF-16 units."""
    assert SourceFile("f", "é𝒳x").position(2) == Position(1, 3)


def test_a_line_excludes_its_line_break() -> None:
    """For every kind of break, and on the last line."""
    file = SourceFile("f", "ab\r\ncd\ref\ngh")

    assert [file.line(number) for number in (1, 2, 3, 4)] == ["ab", "cd", "ef", "gh"]


def test_an_empty_last_line_is_a_line() -> None:
    """A diagnostic at the end of the file displays it."""
    assert SourceFile("f", "a\n").line(2) == ""


def test_a_span_has_a_text_and_two_positions() -> None:
    """The end is just past the last character."""
    span = Span(SourceFile("f", "one\ntwo\n"), 4, 7)

    assert (span.text, span.first, span.last) == ("two", Position(2, 1), Position(2, 4))


def test_joining_spans_covers_both() -> None:
    """The result extends from the first start to the last end."""
    file = SourceFile("f", "abcdef")

    assert Span(file, 1, 2).to(Span(file, 4, 5)).text == "bcde"
    assert Span(file, 1, 5).to(Span(file, 2, 3)).text == "bcde"


def test_comparisons_ignore_spans() -> None:
    """Tests compare models without spelling out locations."""
    file = SourceFile("f", "aa")

    assert Located("a", Span(file, 0, 1)) == Located("a", Span(file, 1, 2))
    assert Located("a", Span(file, 0, 1)) != Located("b", Span(file, 0, 1))
