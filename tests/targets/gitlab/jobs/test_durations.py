"""Durations as GitLab reads them."""

from __future__ import annotations

import pytest

from pipegen.targets.gitlab.jobs.durations import in_words


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        (1, "1 second"),
        (90, "1 minute 30 seconds"),
        (5_400, "1 hour 30 minutes"),
        (604_800, "7 days"),
        (176_703, "2 days 1 hour 5 minutes 3 seconds"),
    ],
)
def test_durations_have_their_largest_units_first(duration: int, expected: str) -> None:
    """Each unit occurs once, and zero units are omitted."""
    assert in_words(duration) == expected
