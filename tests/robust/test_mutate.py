"""Random edits of real configs are compiled, or rejected with a diagnostic: a sample of mutate.py."""

from __future__ import annotations

import pytest
from robust.arbitrary_input import answer, attempt, is_inside, seeds

from pipegen.source.text import SourceFile, Span


@pytest.mark.parametrize("part", range(4))
def test_edited_configs_compile_or_give_diagnostics(part: int) -> None:
    """The edits are the same on every computer without a corpus."""
    paths = seeds(has_corpus=False)
    answers = {what: result for number in range(part, 300, 4) for _, what, result in [attempt(number, 1, paths)]}

    assert len(answers) > 70
    assert {what: result.faults for what, result in answers.items() if result.faults} == {}
    assert {result.status for result in answers.values()} == {0, 1}


def test_most_configs_are_valid_before_they_are_edited() -> None:
    """So it is the edit that makes them invalid."""
    paths = seeds(has_corpus=False)

    assert len(paths) > 30
    assert sum(answer(path.read_bytes(), path).status for path in paths) < len(paths) / 10


@pytest.mark.parametrize(("start", "end"), [(-1, 1), (2, 1), (2, 4), (4, 4)])
def test_a_span_outside_the_file_is_detected(start: int, end: int) -> None:
    """This proves that the check can fail."""
    assert not is_inside(Span(SourceFile("f", "abc"), start, end))
