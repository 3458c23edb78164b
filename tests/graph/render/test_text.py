"""Graphs as text for a terminal."""

from textwrap import dedent

import pytest

from pipegen.graph.execution import CycleError, ExecutionGraph
from pipegen.graph.render.text import render_text


def drawn(text: str) -> str:
    """Return *text* without its indentation in the test."""
    return dedent(text).lstrip("\n")


def test_frames_are_numbered_with_predecessors() -> None:
    """Each frame has a number, and each node has its predecessors."""
    graph = ExecutionGraph([["lint", "build", "test", "release"], ["build", "docs", "release"]])

    assert render_text(graph, title="service") == drawn(
        """
        service

        1  lint
        2  build    after lint
        3  test     after build
           docs     after build
        4  release  after test, docs
        """
    )


def test_a_whole_frame_is_abbreviated() -> None:
    """All nodes of a frame, if there are three or more, are abbreviated; other names are listed."""
    graph = ExecutionGraph([["first"], *(["lint", test, "release"] for test in ("unit", "system", "e2e"))])
    graph |= ExecutionGraph([["first", "release"], ["unit", "report"], ["system", "report"]])

    assert render_text(graph) == drawn(
        """
        1  first
           lint
        2  unit     after lint
           system   after lint
           e2e      after lint
        3  release  after all of frame 2, first
           report   after unit, system
        """
    )


def test_long_lists_are_wrapped_between_names() -> None:
    """No line is too long, and the names are aligned."""
    graph = ExecutionGraph([["other"], *([f"unit test {number}", "release"] for number in range(7))])

    assert render_text(graph, width=60) == drawn(
        """
        1  other
           unit test 0
           unit test 1
           unit test 2
           unit test 3
           unit test 4
           unit test 5
           unit test 6
        2  release      after unit test 0, unit test 1, unit test 2,
                              unit test 3, unit test 4, unit test 5,
                              unit test 6
        """
    )


@pytest.mark.parametrize("width", range(22, 60))
def test_no_line_is_too_long(width: int) -> None:
    """The comma at the end of a line is included in its width."""
    graph = ExecutionGraph([["other"], *([f"t{number}", "end"] for number in range(95, 120))])
    lines = render_text(graph, width=width).splitlines()

    assert max(map(len, lines)) <= width


def test_numbers_are_right_aligned_and_names_left() -> None:
    """This is visible from ten frames on."""
    lines = render_text(ExecutionGraph([[f"s{number}" for number in range(10)]])).splitlines()

    assert lines[0] == " 1  s0"
    assert lines[9] == "10  s9  after s8"


def test_one_long_name_does_not_widen_the_column() -> None:
    """A name over 40 columns exceeds the column."""
    lines = render_text(ExecutionGraph([["a", "b"], ["a", "x" * 50]])).splitlines()

    assert lines[1] == "2  b" + " " * 39 + "  after a"
    assert lines[2] == "   " + "x" * 50 + "  after a"


def test_wide_and_combining_characters_keep_the_columns() -> None:
    """A Chinese character takes two columns, a combining accent none."""
    lines = render_text(ExecutionGraph([["a", "日本"], ["a", "e\u0301"], ["a", "four"]])).splitlines()

    assert lines[1:] == ["2  日本  after a", "   e\u0301     after a", "   four  after a"]


def test_names_contain_no_terminal_escapes() -> None:
    """Control and direction characters, and invalid bytes, are escaped."""
    drawing = render_text(ExecutionGraph([["\x1b[2J\x9b", "a\nb", "\u202eabc", "\udc80"]]), title="\a")

    assert drawing == drawn(
        r"""
        \x07

        1  \x1b[2J\x9b
        2  a\nb         after \x1b[2J\x9b
        3  \u202eabc    after a\nb
        4  \udc80       after \u202eabc
        """
    )


def test_an_empty_graph_has_a_placeholder() -> None:
    """Empty output would look like a failure."""
    assert render_text(ExecutionGraph()) == "(empty)\n"


def test_a_cycle_has_no_frames() -> None:
    """A graph without frames is an error."""
    with pytest.raises(CycleError):
        render_text(ExecutionGraph([["a", "a"]]))
