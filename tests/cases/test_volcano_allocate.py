"""The scheduler admits and places tasks as Volcano does, except in the documented exclusions."""

from __future__ import annotations

import pytest
from cases.excluded_cases import VOLCANO, check_exclusions, skip_excluded
from cases.volcano import FILES, POINTS, Case, World, check_cycle

from pipegen.run.scheduling.votes import Votes

CASES = "volcano_allocate.json"


def test_case(case: Case) -> None:
    """Documented exclusions are skipped."""
    skip_excluded(case["id"], VOLCANO)
    check_cycle(case)


@pytest.mark.usefixtures("cases")
def test_what_is_left_out_is_listed() -> None:
    """The documentation lists exactly the exclusions, for all files of Volcano's cases."""
    check_exclusions(VOLCANO, FILES)


def test_the_order_of_gangs_may_change_where_drf_decides_it(cases: list[Case]) -> None:
    """Shares change while gangs wait; other votes of the plugin do not depend on the order."""
    case = next(case for case in cases if case["id"] == "allocate/two-tasks-one-node")
    tiers = [[{**plugin, "enabled": ["preemptable"]} for plugin in tier] for tier in case["tiers"]]

    assert World(case).session.ballot.changes_ranks is True
    assert World({**case, "tiers": tiers}).session.ballot.changes_ranks is False


def test_points_are_votes() -> None:
    """A vote of another name would never count."""
    names = {name for votes in POINTS.values() for name in votes}

    assert names <= set(Votes.__struct_fields__)
