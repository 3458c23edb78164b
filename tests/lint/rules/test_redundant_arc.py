"""Arcs that other arcs imply."""

from __future__ import annotations

import pytest
from lint.findings import asked, stages, told

from pipegen.lint.rules.redundant_arc import check

NAMES = ("a", "b", "c", "d")


def config(execution: str, *more: str) -> str:
    """Return a config of four stages with these arcs."""
    return stages(*(f"{{name: {name}, script: [ls]}}" for name in NAMES), *more, execution=execution)


@pytest.mark.parametrize(
    ("execution", "expected"),
    [
        ("[[a, b, c, d], [a, c]]", ["[a, c]"]),
        ("[[a, c], [a, b, c, d]]", ["[a, c]"]),
        ("[[a, b, c, d], [b, c]]", ["[b, c]"]),
        ("[[a, b], [a, b], [c, d]]", ["[a, b]"]),
        ("[[a, b, c, d], [c]]", ["[c]"]),
        ("[[a, b, c, d], [a, d], [b, d]]", ["[a, d]", "[b, d]"]),
        ("[[a, b, d], [b, c, d]]", ["d"]),
        ("[[a, c, d], [a, b, c]]", ["a"]),
        ("[[[a, b], c, d], [a, d]]", ["[a, d]"]),
        ("[[a, b, c, d], [b, [c, d]]]", ["[b, [c, d]]"]),
        ("[[a, b, c, d], [], [c]]", ["[c]"]),
    ],
)
def test_what_adds_nothing_is_told(execution: str, expected: list[str]) -> None:
    """An arc whose order others say, or the end of one."""
    assert [text for _, text in told(check, config(execution))] == expected


@pytest.mark.parametrize(
    "execution",
    [
        "[[a, b, c, d]]",
        "[[a, b, d], [a, c, d]]",
        "[[a, b, c], [a, b, d]]",
        "[[a, b], [b, c], [c, d]]",
        "[[a], [b], [c], [d]]",
        "[[a, b, d], [c, d]]",
        "[[a, [b, c], d]]",
    ],
)
def test_what_is_needed_is_left_alone(execution: str) -> None:
    """Arcs may share their beginnings: each of them says something."""
    assert told(check, config(execution)) == []


def test_without_arcs_nothing_is_told() -> None:
    """The order in which the stages are written is nobody's mistake."""
    assert told(check, stages("{name: a, script: [ls]}", "{name: b, script: [ls]}")) == []


def test_arcs_between_combinations_are_no_arcs_between_all() -> None:
    """Between equal combinations, each waits only for its own: a path by way of another stage is not the same."""
    axes = "matrix: {os: [linux, macos]}"
    combinations = stages(
        f"{{name: a, {axes}, script: [ls]}}",
        "{name: b, matrix: {from: a}, script: [ls]}",
        "{name: c, script: [ls]}",
        execution="[[a, b, c], [a, c]]",
    )
    through = stages(
        f"{{name: a, {axes}, script: [ls]}}",
        "{name: b, matrix: {from: a}, script: [ls]}",
        f"{{name: c, {axes}, script: [ls]}}",
        execution="[[a, b], [b, c], [a, c]]",
    )

    assert [text for _, text in told(check, combinations)] == ["[a, c]"]
    assert [text for _, text in told(check, through)] == ["[a, c]"]


def test_combinations_that_are_not_joined_keep_their_arc() -> None:
    """A chain of single combinations does not lead from all combinations of one matrix to all of another."""
    text = stages(
        "{name: a, matrix: {os: [linux, macos]}, script: [ls]}",
        "{name: b, matrix: {from: a}, script: [ls]}",
        "{name: c, matrix: {from: b}, script: [ls]}",
        "{name: d, matrix: {from: a}, script: [ls]}",
        execution="[[a, b, c], [a, d]]",
    )

    assert told(check, text) == []


def test_a_stage_in_whose_place_a_pipeline_runs_is_one() -> None:
    """The arcs of the stages inside count as its own."""
    text = """pipelines:
  inner:
    stages: [{name: x, script: [ls]}, {name: y, script: [ls]}]
  outer:
    stages: [{name: a, script: [ls]}, {name: mid, pipeline: inner}, {name: c, script: [ls]}]
    execution: [[a, mid, c], [a, c]]
"""

    assert told(check, text) == [(6, "[a, c]")]


def test_fixes_are_for_what_can_be_taken_out() -> None:
    """What stands in brackets, or has lines for itself."""
    diagnostics = asked(check, config("[[a, b, c, d], [a, c]]"))
    edits = [edit.span.text for one in diagnostics if one.fix for edit in one.fix.edits]

    assert edits == [", [a, c]"]
