"""The schedules of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.config.model import StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, suggestion
from pipegen.plan.model import Schedule
from pipegen.plan.runs.cron import CronError, normalized
from pipegen.source.tree import Mapping, Node, Scalar, as_items, child


def schedules(value: StepValue | None, report: Report) -> tuple[Schedule, ...]:
    """Return the schedules of `schedule`; lines that engines read differently are reported."""
    if value is None:
        return ()
    return tuple(dict.fromkeys(schedule for item in as_items(value.node) for schedule in _schedule(item, report)))


def _schedule(node: Node, report: Report) -> Iterator[Schedule]:
    line = node.get("cron") if isinstance(node, Mapping) else node
    zone = child(node, "timezone")
    if isinstance(zone, Scalar):
        _check_zone(zone, report)
    if not isinstance(line, Scalar):
        return
    try:
        cron = normalized(line.text)
    except CronError as error:
        report.add(codes.INVALID_SCHEDULE, error.message, at=line.part(error.start, error.end or 1), hint=error.hint)
        return
    yield Schedule(cron, zone.text if isinstance(zone, Scalar) and zone.text != "UTC" else None, line.span)


def _check_zone(zone: Scalar, report: Report) -> None:
    """Report a time zone that is not in the tz database; without a tz database there is no check."""
    from zoneinfo import available_timezones  # noqa: PLC0415 - only for a schedule with a time zone

    known = available_timezones()
    if zone.text in known or not known:
        return
    similar = suggestion(zone.text, sorted(known))
    report.add(
        codes.INVALID_SCHEDULE,
        f'there is no time zone "{zone.text}"',
        at=zone.span,
        hint=f'write "{similar}"' if similar else "use a name from the tz database, such as Europe/Berlin or UTC",
    )
