"""Diagnostics in the text format."""

from __future__ import annotations

import re
from unicodedata import category

import pytest
from diagnostics_render.sample_diagnostics import diagnostic, file, label
from hypothesis import given
from hypothesis import strategies as st

from pipegen.diagnostics.model import Diagnostic, Label, Severity
from pipegen.diagnostics.render.text import render
from pipegen.source.text import SourceFile, Span

_SGR = re.compile("\x1b\\[[0-9;]*m")


def _body(problem: Diagnostic) -> str:
    """Return the lines between the arrow and the summary."""
    return "\n".join(render([problem]).split("\n")[2:-3])


def _rows(text: str) -> str:
    """Return *text* without the indentation of the test's layout."""
    return "\n".join(line[8:] for line in text.strip("\n").split("\n")[:-1])


def test_complete_diagnostic() -> None:
    """Header, location, source with labels, hint and summary are as in STYLE.md."""
    source = file("pipeline:\n- unit\n  test: pytest\n\n  - build -> tset\n")
    problem = diagnostic(
        label(source, "tset", "no such stage"),
        label(source, "test", "did you mean this one?"),
        message='arc names stage "tset", which is not defined',
        hint='rename it to "test", or add a stage "tset"',
    )

    assert render([problem]) == (
        'error[PG301]: arc names stage "tset", which is not defined\n'
        " --> pipegen.yaml:5:14\n"
        "  |\n"
        "3 |   test: pytest\n"
        "  |   ---- did you mean this one?\n"
        "5 |   - build -> tset\n"
        "  |              ^^^^ no such stage\n"
        '  = hint: rename it to "test", or add a stage "tset"\n'
        "\n"
        "1 error\n"
    )


def test_no_diagnostics_give_no_text() -> None:
    """There is not even a summary."""
    assert render([]) == ""


def test_summary_counts_each_severity() -> None:
    """They are in order of severity; a severity without diagnostics is left out."""
    source = file("a")
    diagnostics = [
        diagnostic(label(source, "a"), severity=kind) for kind in (Severity.INFO, Severity.ERROR, Severity.INFO)
    ]

    assert render(diagnostics).endswith("\n\n1 error, 2 infos\n")


def test_diagnostic_without_a_location() -> None:
    """It has a message and a hint."""
    assert (
        render([diagnostic(None, hint="look elsewhere")])
        == "error[PG301]: wrong\n  = hint: look elsewhere\n\n1 error\n"
    )


def test_a_hint_of_several_lines_is_aligned() -> None:
    """Later lines start below the first."""
    assert "  = hint: one\n          two\n" in render([diagnostic(None, hint="one\ntwo")])


def test_several_labels_on_one_line() -> None:
    """The text of the last label is next to its underline; the others follow below, from right to left."""
    source = file("one two three\n")
    problem = diagnostic(label(source, "two", "second"), label(source, "one", "first"), label(source, "three", "third"))

    assert _body(problem) == _rows("""
          |
        1 | one two three
          | --- ^^^ ----- third
          | |   second
          | first
        """)


def test_a_label_without_text_only_underlines() -> None:
    """No text is placed next to it, to keep the other texts below their underlines."""
    source = file("one two\n")
    problem = diagnostic(label(source, "one", "first"), label(source, "two"))

    assert _body(problem) == _rows("""
          |
        1 | one two
          | ^^^ ---
          | first
        """)


def test_the_primary_label_is_on_top_of_related_ones() -> None:
    """If two labels have the same span, the primary text is next to the underline."""
    source = file("one two\n")
    problem = diagnostic(label(source, "two", "here"), label(source, "one two", "all"), label(source, "two", "too"))

    assert _body(problem) == _rows("""
          |
        1 | one two
          | ----^^^ here
          | |   too
          | all
        """)


def test_omitted_lines_are_shown_as_dots() -> None:
    """A single line is not omitted, and line numbers are aligned."""
    source = file("".join(f"line{number}\n" for number in range(1, 13)))
    problem = diagnostic(
        label(source, "line12", "c"), label(source, "line8", "a"), label(source, "line10", "b"), label(source, "line2")
    )

    assert _body(problem) == _rows("""
           |
         2 | line2
           | -----
        ...
         8 | line8
           | ----- a
        10 | line10
           | ------ b
        12 | line12
           | ^^^^^^ c
        """)


def test_labels_in_two_files() -> None:
    """The other file follows with its own path and location."""
    problem = diagnostic(label(file("a: b\n"), "b", "here"), label(file("\nc: d\n", "other.yaml"), "d", "there"))

    assert _body(problem) == _rows("""
          |
        1 | a: b
          |    ^ here
         ::: other.yaml:2:4
          |
        2 | c: d
          |    - there
        """)


def test_a_span_of_several_lines_underlines_the_first() -> None:
    """The underline ends at the last visible character of the line."""
    source = file("run:\n  arguments:   \n    - a\n")
    problem = diagnostic(Label(Span(source, 7, len(source.text)), "here"))

    assert _body(problem) == _rows("""
          |
        2 |   arguments:
          |   ^^^^^^^^^^ here
        """)


@pytest.mark.parametrize(
    ("text", "start", "column"), [("", 0, 0), ("ab", 2, 2), ("ab\n", 2, 2), ("ab\r\ncd", 2, 2), ("ab", 1, 1)]
)
def test_an_empty_span_has_one_marker(text: str, start: int, column: int) -> None:
    """This also holds at the end of a line."""
    body = _body(diagnostic(Label(Span(file(text), start, start))))

    assert body.split("\n")[-1] == "  | " + " " * column + "^"


@pytest.mark.parametrize(
    ("line", "marked", "before", "width"),
    [
        ("\tkey: x", "key", 4, 3),
        ("a\tkey: x", "key", 4, 3),
        ("a\tb\tkey", "b\tkey", 4, 7),
        ("日本: x", "x", 6, 1),
        ("a: 日本語", "日本語", 3, 6),
        ("e\u0301te\u0301: x", "x", 5, 1),
        ("ｆｕｌｌ: x", "x", 10, 1),
        ("\x07: x", "x", 6, 1),
        ("\u202e: x", "x", 8, 1),
    ],
)
def test_underlines_are_aligned_with_the_source(line: str, marked: str, before: int, width: int) -> None:
    """Tabs, wide and combining characters, and escaped control characters count with their displayed width."""
    source = file(f"{line}\n")

    assert _body(diagnostic(label(source, marked))).split("\n")[-1] == "  | " + " " * before + "^" * width


def test_a_long_line_is_cut_around_its_label() -> None:
    """Only the text around the label is shown."""
    source = file("a" * 500 + "NEEDLE" + "z" * 500 + "\n")

    assert _body(diagnostic(label(source, "NEEDLE", "here"))) == (
        "  |\n1 | …" + "a" * 20 + "NEEDLE" + "z" * 94 + "…\n  | " + " " * 21 + "^^^^^^ here"
    )


def test_distant_labels_on_a_long_line() -> None:
    """The line is repeated for labels that do not fit, in their order."""
    source = file("first" + "a" * 500 + "last\n")
    body = _body(diagnostic(label(source, "last", "b"), label(source, "first", "a"))).split("\n")

    assert body[1:3] == ["1 | first" + "a" * 115 + "…", "  | ----- a"]
    assert body[3:] == ["1 | …" + "a" * 116 + "last", "  | " + " " * 117 + "^^^^ b"]


def test_a_label_longer_than_the_shown_text() -> None:
    """The underline ends where the line is cut."""
    source = file("a" * 500 + "\n")

    assert (
        _body(diagnostic(Label(Span(source, 0, 500), "all")))
        == "  |\n1 | " + "a" * 120 + "…\n  | " + "^" * 120 + " all"
    )


def test_colours_do_not_change_the_text() -> None:
    """They are added on request."""
    source = file("one two\n")
    problem = diagnostic(
        label(source, "two", "here"), label(source, "one", "there"), hint="go", severity=Severity.WARNING
    )
    coloured = render([problem], colour=True)

    assert "\x1b[1;33m^^^\x1b[0m" in coloured
    assert "\x1b[1;34m---\x1b[0m" in coloured
    assert _SGR.sub("", coloured) == render([problem])


def test_control_characters_are_escaped() -> None:
    """The user's text must not control the terminal."""
    source = SourceFile("\x1b[2J.yaml", "a: \x1b[31mred\x7f \u2028 \x9b\n")
    problem = diagnostic(label(source, "red", "x\x1by"), message="bad\n\x1b]0;title\x07", hint="\x1bc")
    text = render([problem])

    assert "error[PG301]: bad\\n\\x1b]0;title\\x07\n --> \\x1b[2J.yaml:1:9" in text
    assert "1 | a: \\x1b[31mred\\x7f \\u2028 \\x9b\n" in text
    assert not any(category(character) in {"Cc", "Zl"} and character != "\n" for character in text)


@given(
    text=st.text(max_size=60),
    places=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.text(max_size=3)), min_size=1, max_size=4),
    colour=st.booleans(),
)
def test_any_labels_in_any_text_can_be_shown(text: str, places: list[tuple[int, int, str]], *, colour: bool) -> None:
    """The output has no control characters."""
    source = file(text)
    labels = [
        Label(Span(source, min(start, len(text)), max(min(start, len(text)), min(end, len(text)))), words)
        for start, end, words in places
    ]
    shown = _SGR.sub("", render([diagnostic(*labels)], colour=colour))

    assert all(category(character) not in {"Cc", "Cs"} for character in shown if character != "\n")
    assert shown.count("^") >= 1
