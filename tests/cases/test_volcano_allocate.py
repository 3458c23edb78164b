"""The scheduler admits and places as Volcano does, but for what the documents list as left out."""

from __future__ import annotations

import pytest
from cases.excluded_cases import check_listed, is_left_out
from cases.volcano import FILES, HEADING, LEFT_OUT, Case, World

CASES = "volcano_allocate.json"

PHASES = {True: "Inqueue", False: "Pending"}


def test_case(case: Case) -> None:
    """Each case that is not left out holds."""
    if is_left_out(case["id"], LEFT_OUT):
        return  # docs/simulate.md says why
    world = World(case)
    told = case["expect"]

    world.run()

    bound = world.bound()
    assert {name: bound.get(name) for name in told.get("bound", {})} == told.get("bound", {})
    assert len(bound) == told["bound_count"]
    assert told["evicted"] == []
    phases = told.get("pod_group_phase", {})
    assert {name: PHASES[world.gangs[name].is_admitted] for name in phases} == phases


@pytest.mark.usefixtures("cases")
def test_what_is_left_out_is_listed() -> None:
    """The list is exactly that of the documents, for all files of Volcano's cases."""
    check_listed(HEADING, LEFT_OUT, FILES)
