"""The scheduler admits and places jobs as Volcano does, apart from the documented exclusions."""

from __future__ import annotations

import pytest
from cases.excluded_cases import check_listed, is_left_out
from cases.volcano import FILES, HEADING, LEFT_OUT, Case, World

CASES = "volcano_allocate.json"

PHASES = {True: "Inqueue", False: "Pending"}


def test_case_has_the_results_of_volcano(case: Case) -> None:
    """Documented exclusions are skipped."""
    if is_left_out(case["id"], LEFT_OUT):
        return  # docs/simulate.md says why
    world = World(case)
    expected = case["expect"]

    world.run()

    bound = world.bound()
    assert {name: bound.get(name) for name in expected.get("bound", {})} == expected.get("bound", {})
    assert len(bound) == expected["bound_count"]
    assert expected["evicted"] == []
    phases = expected.get("pod_group_phase", {})
    assert {name: PHASES[world.gangs[name].is_admitted] for name in phases} == phases


@pytest.mark.usefixtures("cases")
def test_excluded_cases_are_documented() -> None:
    """The documentation lists exactly the exclusions, for all files of Volcano's cases."""
    check_listed(HEADING, LEFT_OUT, FILES)
