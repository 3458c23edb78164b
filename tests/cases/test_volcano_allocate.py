"""The scheduler admits and places tasks as Volcano does, except in the documented exclusions."""

from __future__ import annotations

import pytest
from cases.excluded_cases import check_listed, is_left_out
from cases.volcano import FILES, HEADING, LEFT_OUT, Case, check_cycle

CASES = "volcano_allocate.json"


def test_case(case: Case) -> None:
    """Documented exclusions are skipped."""
    if is_left_out(case["id"], LEFT_OUT):
        return  # docs/simulate.md says why
    check_cycle(case)


@pytest.mark.usefixtures("cases")
def test_what_is_left_out_is_listed() -> None:
    """The documentation lists exactly the exclusions, for all files of Volcano's cases."""
    check_listed(HEADING, LEFT_OUT, FILES)
