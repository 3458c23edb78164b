"""The scheduler admits and places tasks as Volcano does, except in the documented exclusions."""

from __future__ import annotations

import pytest
from cases.excluded_cases import VOLCANO, check_exclusions, skip_excluded
from cases.volcano import FILES, Case, check_cycle

CASES = "volcano_allocate.json"


def test_case(case: Case) -> None:
    """Documented exclusions are skipped."""
    skip_excluded(case["id"], VOLCANO)
    check_cycle(case)


@pytest.mark.usefixtures("cases")
def test_what_is_left_out_is_listed() -> None:
    """The documentation lists exactly the exclusions, for all files of Volcano's cases."""
    check_exclusions(VOLCANO, FILES)
