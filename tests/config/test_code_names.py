"""Lookup of codes in comments and settings by number, name and former name."""

from __future__ import annotations

import pytest

from pipegen.diagnostics import codes


@pytest.mark.parametrize("word", ["PG629", "pg629", "overlapping-runs", "runs-meet", "Overlapping-Runs"])
def test_a_code_is_found_by_number_and_name(word: str) -> None:
    """A former name is still valid."""
    assert codes.find(word) is codes.OVERLAPPING_RUNS


@pytest.mark.parametrize("word", ["", "PG", "PG999", "runs", "629"])
def test_other_words_are_not_codes(word: str) -> None:
    """An empty word does not match codes without a former name."""
    assert codes.find(word) is None


def test_all_names_of_codes_are_unique() -> None:
    """This includes former names, so that comments keep their meaning."""
    names = [name for code in codes.table() for name in (code.number, code.name, code.former_name) if name]

    assert len(names) == len(set(names))
