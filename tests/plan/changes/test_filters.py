"""Path filters in conditions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipegen.plan.changes.filters import changed_in, evaluated, is_filtered, unfiltered
from pipegen.plan.model import NEVER, AllOf, AnyOf, Condition, FilesChanged, IsSet, Not, Pattern, Subject
from pipegen.plan.model.logic import atoms, holds
from pipegen.source.text import SourceFile, Span

NOWHERE = Span(SourceFile("x", ""), 0, 0)


def file(pattern: str) -> FilesChanged:
    """Return the filter of *pattern*."""
    return FilesChanged((Pattern(pattern),), None, NOWHERE)


BRANCH = IsSet(subject=Subject.BRANCH, span=NOWHERE)
ATOMS: list[Condition] = [file("a"), file("b"), BRANCH, IsSet(subject=Subject.TAG, span=NOWHERE)]


def joined(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    """Return conditions that combine *parts*."""
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return several.map(AllOf) | several.map(AnyOf) | parts.map(Not)


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(st.sampled_from(ATOMS), joined, max_leaves=8)


@given(CONDITIONS, st.sets(st.sampled_from(["a", "b", "c"])), st.sets(st.sampled_from(ATOMS[2:])))
def test_the_remainder_is_equivalent_to_the_condition(
    condition: Condition, files: set[str], others: set[Condition]
) -> None:
    """The remainder has no path filters; without filters, it holds wherever some set of files allows it."""
    changed = changed_in(files)
    remainder, free = evaluated(condition, changed), unfiltered(condition)
    truth = {
        atom: changed(atom) if isinstance(atom, FilesChanged) else atom in others for atom in atoms(condition)
    }.__getitem__

    assert not is_filtered(remainder)
    assert not is_filtered(free)
    assert holds(remainder, truth) == holds(condition, truth)
    assert holds(free, truth) or not holds(condition, truth)


def test_a_condition_without_filters_is_unchanged() -> None:
    """Nothing of it is left out."""
    condition = AllOf((BRANCH, Not(AnyOf((BRANCH, ATOMS[3])))))

    assert evaluated(condition, changed_in(())) == condition
    assert unfiltered(NEVER) == NEVER
    assert evaluated(None, changed_in(())) is None


def test_patterns_match_paths() -> None:
    """A name, `*` within a folder, `**` across folders."""
    changed = changed_in(["src/a/x.py", "README.md"])

    assert [changed(file(pattern)) for pattern in ("README.md", "src/*", "src/**", "**/x.py", "readme.md")] == [
        *(True, False, True, True, False),
    ]
