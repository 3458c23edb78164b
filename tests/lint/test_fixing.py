"""Fixes change nothing besides their purpose."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from lint.findings import analysed

from pipegen.cli.fixing import fix_file
from pipegen.compiler import analyse
from pipegen.diagnostics.model import Edit, Fix
from pipegen.diagnostics.report import Report, Stopped
from pipegen.lint.equivalence import is_equivalent
from pipegen.lint.fixing import apply_edits, apply_fixes
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile, Span


def fixed(text: str) -> str:
    """Return *text* with all fixes applied."""
    return fix_file(SourceFile("pipegen.yaml", text), Report()).text


def comments(text: str) -> list[str]:
    """Return the comments of a text that has no other number signs."""
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


WHOLE = """\
# about the file
pipelines:
  p: # about p
    stages:
      - name: a
        script: [ls]   # what a does
        outputs:
          # about x
          x: { command: ls } # of x
          y:
            command: ls
          z: { command: pwd }

      # about b
      - {name: b, script: ['echo ${a.z}'], outputs: {v: {command: ls}, w: {command: ls}}}
      - name: c
        script: [ls]
        outputs: { last: { command: ls } } # gone
    execution:
      - [a, b, c] # the way
      - [a, c] # a short cut
      - - b
        - c
"""

FIXED = """\
# about the file
pipelines:
  p: # about p
    stages:
      - name: a
        script: [ls]   # what a does
        outputs:
          # about x
          # of x
          z: { command: pwd }

      # about b
      - {name: b, script: ['echo ${a.z}']}
      - name: c
        script: [ls]
        # gone
    execution:
      - [a, b, c] # the way
      # a short cut
"""


def test_fixes_leave_other_text_unchanged() -> None:
    """Applying them again changes nothing."""
    assert fixed(WHOLE) == FIXED
    assert fixed(FIXED) == FIXED


def test_line_ends_are_preserved() -> None:
    """CRLF is kept."""
    assert fixed(WHOLE.replace("\n", "\r\n")) == FIXED.replace("\n", "\r\n")


THREE = "{stages: [{name: a, script: [ls]}, {name: b, script: [ls]}, {name: c, script: [ls]}], execution: "


@pytest.mark.parametrize(
    "text",
    [
        # A value with an anchor that an alias uses cannot be removed.
        f"pipelines: {{p: {THREE}[[a, b, c], &x [a, c]]}}, q: {THREE}[*x, [b]]}}}}\n",
        # Nor can text between comments.
        f"pipelines:\n  p: {THREE}[[a, b, c], # why\n    [a, c]]}}\n",
        # A stage fails without the file of an output, even if no stage reads the output.
        "pipelines: {p: {stages: [{name: a, script: [ls], outputs: {x: {file: VERSION}}}]}}\n",
    ],
)
def test_text_that_cannot_be_removed_is_kept(text: str) -> None:
    """It is only reported."""
    assert fixed(text) == text


def test_overlapping_edits_are_not_applied_together() -> None:
    """Of fixes that contradict each other, one is applied."""
    file = SourceFile("x", "abcdef")
    fix, other = (Fix("", (Edit(Span(file, start, start + 3)),)) for start in (0, 2))

    assert apply_edits(file, [fix, other]) is None
    assert apply_edits(file, [fix]) == SourceFile("x", "def")


def test_a_fix_that_changes_the_meaning_is_rejected() -> None:
    """Other fixes are still applied."""
    text = "pipelines: {p: {stages: [{name: a, script: [ls]}, {name: b, script: [ls]}], execution: [[a, b], [a]]}}\n"
    file = SourceFile("pipegen.yaml", text)
    bad, good = text.index("[a, b], "), text.index(", [a]]")
    fixes = [Fix("", (Edit(Span(file, bad, bad + 8)),)), Fix("", (Edit(Span(file, good, good + 5)),))]

    def plans(changed: SourceFile) -> Sequence[Plan] | None:
        try:
            return analyse(changed, (), Report()).plans
        except Stopped:
            return None

    assert apply_fixes(file, fixes, analysed(text).plans, plans).text == text.replace(", [a]]", "]")


def test_plans_with_the_same_order_are_equivalent() -> None:
    """Implied arcs do not matter; order, scripts and values do."""

    def plans(execution: str) -> Sequence[Plan]:
        return analysed(f"pipelines: {{p: {THREE}{execution}}}}}\n").plans

    assert is_equivalent(plans("[[a, b, c]]"), plans("[[a, b], [b, c], [a, c]]"))
    assert not is_equivalent(plans("[[a, b, c]]"), plans("[[a, b], [a, c]]"))
    assert not is_equivalent(plans("[[a, b, c]]"), plans("[[a, c, b]]"))


NAMES = ("a", "b", "c", "d", "e")


@some.composite
def configs(draw: some.DrawFn) -> str:
    """Return a config with arcs and outputs in block and flow style, and comments at many positions."""
    number = iter(range(1000))

    def comment() -> str:
        return f" # c{next(number)}" if draw(some.integers(0, 3)) == 0 else ""

    lines = ["pipelines:", f"  p:{comment()}", "    stages:"]
    for index, name in enumerate(NAMES):
        reads = "".join(
            f" ${{{other}.{draw(some.sampled_from('xy'))}|n}}" for other in NAMES[:index] if draw(some.booleans())
        )
        lines += [f"      - name: {name}{comment()}", f"        script: ['echo{reads}']{comment()}"]
        if draw(some.booleans()):
            lines += [f"        outputs: {{x: {{command: ls}}, y: {{command: pwd}}}}{comment()}"]
        else:
            lines += [f"        outputs:{comment()}"]
            for output in "xy":
                lines += draw(
                    some.sampled_from(
                        [
                            [f"          {output}: {{ command: ls }}{comment()}"],
                            [f"          {output}:{comment()}", f"            command: ls{comment()}"],
                        ]
                    )
                )
    lines += [f"    execution:{comment()}", f"      - [{', '.join(NAMES)}]{comment()}"]
    for arc in draw(some.lists(some.sets(some.sampled_from(NAMES), min_size=1, max_size=4), max_size=4)):
        ordered = sorted(arc)
        lines += (
            [f"      - [{', '.join(ordered)}]{comment()}"]
            if draw(some.booleans())
            else [f"      {' ' if index else '-'} - {name}{comment()}" for index, name in enumerate(ordered)]
        )
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@settings(max_examples=60)
@given(configs())
def test_fixes_keep_comments_and_meaning_of_any_config(text: str) -> None:
    """All fixes are applied in one pass."""
    try:
        before = analysed(text).plans
    except Stopped:
        return
    after = fixed(text)

    assert comments(after) == comments(text)
    assert is_equivalent(before, analysed(after).plans)
    assert fixed(after) == after
