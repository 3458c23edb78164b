"""Regular expressions matched with sets of positions, compared with Python's own matcher."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.plan.regexes.match import ends

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\.", r"\x61", r"[\]\-a]", "A"])
COUNTS = st.sampled_from(["", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{1,}", "*?", "{2,3}?"])


def grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return repeated groups of *inner*, and sequences of it."""
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(st.sampled_from(["(", "(?:"]), inner, st.just("|"), inner, st.just(")"), COUNTS).map("".join),
        st.tuples(st.just("("), inner, st.just(")"), COUNTS).map("".join),
    )


# At most three nested repetitions: Python takes hours for five, even on a few characters.
SHAPES = grouped(grouped(st.tuples(ATOMS, COUNTS).map("".join)))


@pytest.mark.slow
@settings(max_examples=500)
@given(st.sampled_from(["", "^", "(?i)", "(?i)^"]), SHAPES, st.sampled_from(["", "$"]), st.text("abA.1]\n", max_size=5))
def test_matches_end_where_pythons_do(front: str, shape: str, back: str, text: str) -> None:
    """The results are equal from each start position."""
    pattern = f"{front}{shape}{back}"
    known = re.compile(pattern.replace("$", r"\Z"), re.ASCII)
    # Python returns one end for a start, so the test asks for each position whether a match may end there.
    expected = {end for end in range(len(text) + 1) for start in range(end + 1) if known.fullmatch(text, start, end)}
    if "$" in back:
        expected &= {len(text)}

    assert ends(pattern, text, range(len(text) + 1), re.ASCII) == expected


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a*)*b", "(.*a){12}b", "((a{0,9}){0,9})+b", "(((a?)*)+)*b"])
def test_nested_repetitions_are_fast(pattern: str) -> None:
    """Python's own matcher takes exponential time."""
    assert not ends(pattern, "a" * 1_000, {0}, re.ASCII)
    assert ends(pattern, "a" * 1_000 + "b", {0}, re.ASCII) == {1_001}
