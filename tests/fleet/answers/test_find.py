"""The smallest number of machines."""

from __future__ import annotations

from math import inf

import pytest
from fleet.fleets import fleet, load

from pipegen.fleet.answers.find import Condition, find, read_condition
from pipegen.fleet.arrivals import Starts
from pipegen.fleet.distributions import FixedTime
from pipegen.structs import replace

# Ten stages at once, of a minute each: with n machines, the last one waits for 10 / n - 1 rounds.
TEN = fleet([load("a", Starts((0.0,) * 10), FixedTime(60.0))], 1, 1)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("p95(wait) < 60s", Condition("p95", "wait", "", 60.0)),
        (" longest( result )<1.5h", None),
        ("longest(result)<1.5h", Condition("longest", "result", "", 5400.0)),
        ("mean(wait in merge requests) < 2 m", Condition("mean", "wait", "merge requests", 120.0)),
        ("p95(wait) > 60s", None),
        ("p90(wait) < 60s", None),
    ],
)
def test_conditions(text: str, condition: Condition | None) -> None:
    """A percentile or mean, of waits or results, below a time."""
    assert read_condition(text) == condition


@pytest.mark.parametrize(("seconds", "count", "fewer"), [(541.0, 1, None), (61.0, 5, 120.0), (1.0, 10, 60.0)])
def test_the_smallest_number(seconds: float, count: int, fewer: float | None) -> None:
    """The condition holds with this number, and not with one less."""
    answer = find(TEN, Condition("longest", "wait", "", seconds))

    assert (answer.count, answer.fewer) == (count, fewer)
    assert answer.result.fleet.groups[0].maximum == count


@pytest.mark.slow
def test_too_few_machines_may_take_too_long() -> None:
    """With one machine, the last stage ends after a million years; with ten, all end."""
    long = FixedTime(TEN.most_hours * 3600 / 5)
    answer = find(fleet([load("a", Starts((0.0,) * 10), long)], 1, 1), Condition("longest", "wait", "", 1.0))

    assert (answer.count, answer.fewer) == (10, long.seconds)


@pytest.mark.parametrize("count", [1, 3, 10, 200])
def test_the_number_in_the_file(count: int) -> None:
    """The search starts with the number in the file, and finds the same from any."""
    condition = Condition("longest", "wait", "", 61.0)
    start = replace(TEN, groups=(replace(TEN.groups[0], minimum=count, maximum=count),))

    assert find(start, condition) == find(TEN, condition)


def test_what_no_number_reaches() -> None:
    """A pipeline takes at least as long as its stages; the search ends when twice as many machines change nothing."""
    answer = find(TEN, Condition("longest", "result", "", 60.0))

    assert (answer.count, answer.value, answer.fewer) == (None, 60.0, None)
    assert answer.result.fleet.groups[0].maximum == 32


def test_stages_that_need_more_machines() -> None:
    """One and two machines change nothing for a pipeline whose services need three: the search continues."""
    stage = TEN.loads[0].workflow.stages[0]
    gang = replace(stage, services=({"slots": 1.0}, {"slots": 1.0}))
    workflow = replace(TEN.loads[0].workflow, stages=(gang,))
    fleet = replace(TEN, loads=(replace(TEN.loads[0], workflow=workflow),))
    answer = find(fleet, Condition("longest", "result", "", 601.0))

    assert (answer.count, answer.fewer) == (3, inf)
