"""Regular expressions that are globs become globs, and others do not."""

from __future__ import annotations

import pytest

from pipegen.importing.globs import globs_of


@pytest.mark.parametrize(
    ("regex", "globs"),
    [
        ("^main$", ("main",)),
        (r"^v[^/]*\.[^/]$", ("v*.?",)),
        ("^(main|release/.*)$", ("main", "release/**")),
        ("^(.*/)?x$", ("**/x",)),
        ("^release/.+$", ()),
        ("^main", ()),
        ("^a|b$", ()),
        ("^v.$", ()),
        ("^/etc$", ()),
        ("^(|a)$", ()),
    ],
)
def test_a_regular_expression_becomes_the_globs_that_match_the_same(regex: str, globs: tuple[str, ...]) -> None:
    """A glob is right if it is written as this expression."""
    assert globs_of(regex) == globs
