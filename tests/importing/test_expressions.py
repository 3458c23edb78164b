"""Expressions of rules mean the same in the config."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages

from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.expressions.formulas import (
    Facts,
    holds,
)
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError, parsed
from pipegen.importing.gitlab.reading.expressions.satisfiable import can_hold


@pytest.mark.parametrize("pattern", ["/^full-/", "'/^full-/'", "'/^full-/i'", "'/a/b/'"])
def test_a_text_with_slashes_is_a_regular_expression(pattern: str, tmp_path: Path) -> None:
    """GitLab evaluates the text after `=~` like the value of a variable."""
    rules = f'[{{ if: "$LEVEL =~ {pattern}" }}, {{ if: "$CI_COMMIT_BRANCH !~ {pattern}", when: manual }}]'
    result, report = from_text(f"unit: {{ script: make, rules: {rules} }}\n", tmp_path)
    proof = prove(result)

    assert messages(report) == ""
    assert proof is not None
    assert proof.differences == ()


def test_what_all_alternatives_of_a_condition_have_in_common_is_written_once(tmp_path: Path) -> None:
    """Rules cannot express it in another way."""
    tests = ('$CI_PIPELINE_SOURCE == "merge_request_event"', '$CI_COMMIT_BRANCH == "main"')
    rules = ", ".join(f"{{ if: '{test}', changes: [infra/**/*] }}" for test in tests)
    result, _ = from_text(f"unit: {{ script: make, rules: [{rules}] }}\n", tmp_path)
    proof = prove(result)

    assert "when: { changes: infra/**, any: [{ event: merge_request }, { branch: main }] }" in result.text
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("condition", "when"),
    [
        ('$LEVEL != "" && $LEVEL != null && $CI_COMMIT_TAG', "{ env: { LEVEL: true }, tag: true }"),
        ('$LEVEL == null || $LEVEL == ""', "{ env: { LEVEL: false } }"),
        ('$LEVEL && $LEVEL != ""', "{ env: { LEVEL: true } }"),
    ],
)
def test_a_test_for_a_variable_that_is_neither_empty_nor_missing_is_a_test_for_a_value(
    condition: str, when: str, tmp_path: Path
) -> None:
    """A config does not distinguish an empty variable from a missing one, which makes no difference here."""
    result, report = from_text(f"unit: {{ script: make, rules: [{{ if: '{condition}' }}] }}\n", tmp_path)
    proof = prove(result)

    assert messages(report) == ""
    assert f"when: {when}" in result.text
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("$EMPTY || $TEXT", False),
        ("$EMPTY && $TEXT", True),
        ("$TEXT && $EMPTY", False),
        ('$EMPTY || $TEXT == "a"', False),
        ('$TEXT == "a" || $EMPTY', True),
        ("$MISSING || $TEXT", True),
        ("$MISSING && $TEXT", False),
        ("$MISSING || $EMPTY || $TEXT", False),
        ("($EMPTY || $TEXT) || $TEXT", False),
        ("($EMPTY && $TEXT) && $TEXT", True),
        ('"" || $TEXT', False),
        ("null || $TEXT", True),
        ("$BLANK", False),
        ("!$EMPTY && !$MISSING && !$BLANK", True),
        ("!$TEXT || !!$TEXT", True),
        ('!($TEXT == "a" && $EMPTY)', True),
        ("true && !false", True),
        ("false || $EMPTY", False),
        ("$TRUE == true && true == $TRUE && $TRUE != false", True),
        ("$MISSING != false && $EMPTY != false", True),
        ("$MISSING =~ /^$/ && $EMPTY =~ /^a*$/", True),
        ("$MISSING !~ /^$/", False),
        ("$TEXT == $TEXT == $TRUE", True),
        ("$TEXT == $EMPTY == $TRUE", False),
        ("$TEXT != $EMPTY != $TEXT", True),
        ("$TEXT == $EMPTY == null", False),
        ('!$TEXT == "false"', True),
        ("$TRUE == !$MISSING", True),
        ('($TEXT == "a") == ($EMPTY == "")', True),
        ('("a") == ($TEXT)', True),
        ("$TEXT == $TEXT =~ /^tr/", True),
        ("$TEXT == $EMPTY !~ $TRUE", True),
        ("$TEXT =~ /ab/ || /ab/", True),
        ("$TEXT && /ab/", True),
    ],
)
def test_expressions_hold_as_on_gitlab(expression: str, expected: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Before `&&` and `||`, the empty text counts as true: `lexeme/and.rb`, `or.rb` and `not.rb` of GitLab.

    Its `Expression::Statement#truthful?` has these results. The config means the same.
    """
    variables = {"EMPTY": "", "TEXT": "a", "BLANK": " ", "TRUE": "true"}
    assert holds(parsed(expression), Facts(variables=variables)) is expected
    if "BLANK" in expression:
        return  # a config does not tell blanks from other texts
    unit = f"unit: {{ script: make, rules: [{{ if: '{expression}' }}] }}"
    result, _ = from_text(f"variables: {variables}\nother: {{ script: make }}\n{unit}\n", tmp_path)
    proof = prove(result)

    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize("expression", ["! && $TEXT", "!", "$TEXT == !", "() == $TEXT", "$TEXT == == $TEXT"])
def test_signs_without_operands_are_no_expressions(expression: str) -> None:
    """GitLab refuses them."""
    with pytest.raises(ExpressionError):
        parsed(expression)


@pytest.mark.parametrize("expression", ['($TEXT || $EMPTY) == "a"', "$TEXT =~ ($EMPTY == $TEXT)"])
def test_other_comparisons_stay_raw(expression: str, tmp_path: Path) -> None:
    """GitLab compares the first value that is set, and fails if it looks for a boolean."""
    result, report = from_text(f"unit: {{ script: make, rules: [{{ if: '{expression}' }}] }}\n", tmp_path)

    assert "GitLab refuses" not in messages(report)
    assert f"rules: [{{ if: {expression} }}]" in result.text


def test_rules_that_stay_raw_have_no_condition_that_never_holds(tmp_path: Path) -> None:
    """The condition for other engines is only similar: it may contain a contradiction."""
    rule = '$LEVEL == "" && $LEVEL =~ $OTHER'
    result, _ = from_text(f"unit: {{ script: make, rules: [{{ if: '{rule}' }}] }}\n", tmp_path)

    assert "when: " not in result.text
    assert f"rules: [{{ if: {rule} }}]" in result.text
    assert result.generated


def test_changes_since_a_constant_are_changes_since_its_value(tmp_path: Path) -> None:
    """A variable that the file sets has the same value in all runs."""
    source = """\
variables: { BASE: refs/heads/next }
unit: { script: make, rules: [{ changes: { paths: [src/**/*], compare_to: $BASE } }] }
"""
    result, report = from_text(source, tmp_path)

    assert messages(report) == ""
    assert "when: { changes: { paths: src/**, base: next } }" in result.text


def test_conditions_read_variables_of_the_file_that_are_no_inputs(tmp_path: Path) -> None:
    """Those that contain variables or are compared with others: they stay variables of the job that tests them."""
    source = """\
variables: { BASE: main, PATH_TO_ALL: $BASE/all }
based: { script: make, rules: [{ if: $BASE }, { if: $CI_COMMIT_BRANCH == $BASE, when: manual }] }
all: { script: make, rules: [{ if: $PATH_TO_ALL && $CI_COMMIT_TAG }] }
"""
    result, _ = from_text(source, tmp_path)
    proof = prove(result)

    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ('$A == "a" && $B == "b"', True),
        ('$A == "a" && $A == "b"', False),
        ('$A == "a" && $A != "a"', False),
        ('$A == "a" && $A != "b"', True),
        ('$A == "main" && $A =~ /^rel/', False),
        ('$A == "release" && $A =~ /^rel/', True),
        ('$A == "" && $A', False),
        ("$A == null && $A", False),
        ('$A == null && $A == "a"', False),
        ("$A && $B", True),
        ("$CI_COMMIT_TAG && $CI_COMMIT_BRANCH", False),
        ('$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_COMMIT_TAG', False),
        ('$CI_PIPELINE_SOURCE == "schedule" && $CI_COMMIT_BRANCH', True),
        ('$CI_COMMIT_REF_NAME == "develop" && $CI_COMMIT_TAG =~ /^v/', False),
        ('$CI_COMMIT_REF_NAME == "v1" && $CI_COMMIT_TAG =~ /^v/', True),
        (" && ".join([*(f"$A{number}" for number in range(10)), '$B == "a"', '$B == "b"']), True),
    ],
)
def test_two_conditions_may_exclude_each_other(expression: str, result: bool) -> None:  # noqa: FBT001 - an expectation
    """With more than ten tests, they count as possible."""
    assert can_hold(parsed(expression)) == result
