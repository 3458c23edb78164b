"""Checks of a GitLab file."""

import pytest
from engines.gitlab_schema import check

GOOD = """\
stages: [one, two]
.base:
  stage: two
build:
  stage: one
  script: [make]
test:
  extends: .base
  needs: [{ job: build, artifacts: true }]
  script: [make test]
"""


def test_a_valid_file_has_no_errors() -> None:
    """GitLab accepts it."""
    assert check(GOOD) == ()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("build: {script: [a], bogus: 1}", "Additional properties"),
        ("build: {script: [a], retry: 9}", "$.build.retry"),
        ("build: {script: [a]}\nbuild: {script: [b]}", "Failed to parse"),
        ("build: {script: [a], stage: x}", "build: stage x is not declared"),
        ("build: {script: [a], needs: [x]}", "build: needs x, which is no job"),
        ("build: {stage: test}", "build: there is no script"),
        ("nil: {script: [a]}", "nil: the name is reserved"),
        (f"{'x' * 256}: {{script: [a]}}", "the name has more than 255 characters"),
        ("a: {script: [a], needs: [b]}\nb: {script: [b], needs: [a]}\nc: {script: [c]}", "circle among a, b"),
        ("a: {script: [a], stage: build, needs: [b]}\nb: {script: [b]}", "a: needs b of a later stage"),
        ("a: {script: [a]}\nb: {script: [b], needs: [a, a]}", "b: a job is needed twice"),
        ("a: {script: [a]}\nb: {script: [b], needs: [], dependencies: [a]}", "b: dependency a is not needed"),
        ("a: {script: [a], variables: {X: 010}}", "do not agree"),
    ],
    ids=lambda value: value[:30],
)
def test_files_that_gitlab_rejects_have_errors(text: str, error: str) -> None:
    """Each mistake has its message."""
    errors = check(text)

    assert len(errors) == 1
    assert error in errors[0]


def test_an_optional_need_may_name_a_missing_job() -> None:
    """Without `optional`, it is an error."""
    assert check("a: {script: [a], needs: [{job: b, optional: true}]}") == ()


@pytest.mark.parametrize(("count", "errors"), [(50, 0), (51, 1)])
def test_more_than_fifty_needs_are_an_error(count: int, errors: int) -> None:
    """The limit is GitLab's."""
    jobs = "".join(f"j{index}: {{script: [a], stage: build}}\n" for index in range(count))
    needs = ", ".join(f"j{index}" for index in range(count))

    assert len(check(f"{jobs}last: {{script: [a], needs: [{needs}]}}")) == errors
