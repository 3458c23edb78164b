"""Schedules and concurrency of pipelines."""

from __future__ import annotations

import pytest
from plan.sample_plans import plans_of, reported

from pipegen.plan.model import Plan


def plan_of(keys: str) -> Plan:
    """Return the plan of a pipeline with *keys*."""
    (plan,) = plans_of(f"pipelines: {{p: {{{keys}, stages: [{{name: s, script: [echo]}}]}}}}")
    return plan


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("'0 3 * * *'", [("0 3 * * *", None)]),
        ("{cron: '0 3 * * SUN'}", [("0 3 * * 0", None)]),
        ("{cron: '0 3 * * *', timezone: UTC}", [("0 3 * * *", None)]),
        (
            "['0 3 * * *', {cron: '0 4 * * *', timezone: Europe/Berlin}, '0  3 * * *']",
            [("0 3 * * *", None), ("0 4 * * *", "Europe/Berlin")],
        ),
    ],
)
def test_schedules_are_a_line_a_map_or_a_list(written: str, expected: list[tuple[str, str | None]]) -> None:
    """Duplicates are dropped."""
    schedules = plan_of(f"schedule: {written}").schedules

    assert [(schedule.cron, schedule.timezone) for schedule in schedules] == expected


@pytest.mark.parametrize("zone", ["Berlin", "Europe/Berlln", "../etc/passwd", "''", "utc+1"])
def test_a_time_zone_must_be_in_the_tz_database(zone: str) -> None:
    """A similar name is suggested, if there is one."""
    stages = "stages: [{name: s, script: [echo]}]"
    diagnostics = reported(f"pipelines: {{p: {{schedule: {{cron: '0 3 * * *', timezone: {zone}}}, {stages}}}}}")

    assert [diagnostic.code.number for diagnostic in diagnostics] == ["PG522"]


@pytest.mark.parametrize(
    ("written", "group", "cancels"),
    [
        ("production", "production", False),
        ("7", "7", False),
        ("{}", None, False),
        ("{cancel: true}", None, True),
        ("{group: a, cancel: false}", "a", False),
    ],
)
def test_concurrency_is_a_group_name_or_a_map(written: str, group: str | None, cancels: bool) -> None:  # noqa: FBT001
    """A map also says whether a new run cancels the old one."""
    concurrency = plan_of(f"concurrency: {written}").concurrency

    assert concurrency is not None
    assert (concurrency.group, concurrency.cancels) == (group, cancels)
