"""Random edits of real configs: compiled, or refused with a diagnostic; a sample of what mutate.py does."""

from __future__ import annotations

import pytest
from robust.arbitrary_input import answer, attempt, is_inside, seeds

from pipegen.source.text import SourceFile, Span


@pytest.mark.parametrize("part", range(4))
def test_edited_configs_are_answered(part: int) -> None:
    """Whatever became of them; each edit is the same on every machine that holds no corpus."""
    paths = seeds(has_corpus=False)
    answers = {what: found for number in range(part, 300, 4) for _, what, found in [attempt(number, 1, paths)]}

    assert len(answers) > 70
    assert {what: found.faults for what, found in answers.items() if found.faults} == {}
    assert {found.status for found in answers.values()} == {0, 1}


def test_configs_are_fine_before_they_are_edited() -> None:
    """What an edit breaks was whole."""
    paths = seeds(has_corpus=False)

    assert len(paths) > 30
    assert sum(answer(path.read_bytes(), path).status for path in paths) < len(paths) / 10


@pytest.mark.parametrize(("start", "end"), [(-1, 1), (2, 1), (2, 4), (4, 4)])
def test_a_place_outside_of_the_file_is_noticed(start: int, end: int) -> None:
    """The check can fail."""
    assert not is_inside(Span(SourceFile("f", "abc"), start, end))
