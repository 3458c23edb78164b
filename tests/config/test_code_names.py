"""Codes in comments and settings, by number, name and former name."""

from __future__ import annotations

import pytest

from pipegen.diagnostics import codes


@pytest.mark.parametrize("word", ["PG629", "pg629", "overlapping-runs", "runs-meet", "Overlapping-Runs"])
def test_a_code_is_found_by_number_and_names(word: str) -> None:
    """A name that a code had before still stands for it."""
    assert codes.find(word) is codes.OVERLAPPING_RUNS


@pytest.mark.parametrize("word", ["", "PG", "PG999", "runs", "629"])
def test_other_words_are_no_code(word: str) -> None:
    """An empty word is not the former name of the codes that have none."""
    assert codes.find(word) is None


def test_all_names_are_different() -> None:
    """Former names too, so that a comment keeps its meaning."""
    names = [name for code in codes.table() for name in (code.number, code.name, code.former_name) if name]

    assert len(names) == len(set(names))
