"""Arcs that other arcs imply."""

from __future__ import annotations

import pytest
from lint.findings import diagnostics_of, findings, stages

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
def test_redundant_arcs_are_reported(execution: str, expected: list[str]) -> None:
    """A whole arc, or one end of it, is implied by others."""
    assert [text for _, text in findings(check, config(execution))] == expected


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
def test_needed_arcs_are_not_reported(execution: str) -> None:
    """Arcs with a common part are not redundant if each adds order."""
    assert findings(check, config(execution)) == []


def test_a_config_without_arcs_is_not_reported() -> None:
    """The order of the stages in the file is not an arc."""
    assert findings(check, stages("{name: a, script: [ls]}", "{name: b, script: [ls]}")) == []


def test_arcs_between_matrices_are_compared_by_combination() -> None:
    """Equal combinations wait only for each other, but an arc to all combinations can imply another arc."""
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

    assert [text for _, text in findings(check, combinations)] == ["[a, c]"]
    assert [text for _, text in findings(check, through)] == ["[a, c]"]


def test_an_arc_between_separate_combinations_is_not_reported() -> None:
    """A chain of single combinations does not lead from all combinations of one matrix to all of another."""
    text = stages(
        "{name: a, matrix: {os: [linux, macos]}, script: [ls]}",
        "{name: b, matrix: {from: a}, script: [ls]}",
        "{name: c, matrix: {from: b}, script: [ls]}",
        "{name: d, matrix: {from: a}, script: [ls]}",
        execution="[[a, b, c], [a, d]]",
    )

    assert findings(check, text) == []


def test_a_called_pipeline_counts_as_one_stage() -> None:
    """The order of its inner stages is included."""
    text = """pipelines:
  inner:
    stages: [{name: x, script: [ls]}, {name: y, script: [ls]}]
  outer:
    stages: [{name: a, script: [ls]}, {name: mid, pipeline: inner}, {name: c, script: [ls]}]
    execution: [[a, mid, c], [a, c]]
"""

    assert findings(check, text) == [(6, "[a, c]")]


def test_a_fix_removes_an_arc_in_brackets() -> None:
    """Only text in brackets or on lines of its own can be removed."""
    diagnostics = diagnostics_of(check, config("[[a, b, c, d], [a, c]]"))
    edits = [edit.span.text for diagnostic in diagnostics if diagnostic.fix for edit in diagnostic.fix.edits]

    assert edits == [", [a, c]"]
