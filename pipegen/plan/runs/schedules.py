"""When a pipeline runs by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import available_timezones

from pipegen.config.model import StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, suggestion
from pipegen.plan.model import Schedule
from pipegen.plan.runs.cron import CronError, normal
from pipegen.source.tree import Mapping, Node, Scalar, Sequence


def schedules(value: StepValue | None, report: Report) -> tuple[Schedule, ...]:
    """Return what `schedule` says, none without it; lines that engines read differently are reported."""
    if value is None:
        return ()
    items = value.node.items if isinstance(value.node, Sequence) else (value.node,)
    return tuple(dict.fromkeys(found for item in items for found in _schedule(item, report)))


def _schedule(node: Node, report: Report) -> Iterator[Schedule]:
    line = node.get("cron") if isinstance(node, Mapping) else node
    zone = node.get("timezone") if isinstance(node, Mapping) else None
    if isinstance(zone, Scalar):
        _check_zone(zone, report)
    if not isinstance(line, Scalar):
        return
    try:
        cron = normal(line.text)
    except CronError as error:
        report.add(codes.INVALID_SCHEDULE, error.what, at=line.part(error.start, error.end or 1), hint=error.advice)
        return
    yield Schedule(cron, zone.text if isinstance(zone, Scalar) and zone.text != "UTC" else None, line.span)


def _check_zone(zone: Scalar, report: Report) -> None:
    """Report a time zone that the tz database lacks; a machine without that database knows nothing of it."""
    known = available_timezones()
    if zone.text in known or not known:
        return
    found = suggestion(zone.text, sorted(known))
    report.add(
        codes.INVALID_SCHEDULE,
        f'there is no time zone "{zone.text}"',
        at=zone.span,
        hint=f'write "{found}"' if found else "write a name of the tz database, such as Europe/Berlin or UTC",
    )
