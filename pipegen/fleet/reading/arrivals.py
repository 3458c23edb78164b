"""The arrivals of a load in the file of a fleet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.assets import schema
from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.config.schema.check import check_settings
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.fleet.arrivals import WEEK_HOURS, Arrivals, Cron, Rates, Starts
from pipegen.fleet.reading.checks import check_numbers
from pipegen.fleet.reading.named_files import FleetFolder
from pipegen.fleet.reading.values import fraction, mapping, time_of
from pipegen.plan.runs.cron import CronError, numbers
from pipegen.source.tree import Entry, Node, Scalar, child, items_of, written_text
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY_HOURS = 24


def read_arrivals(node: TreeMapping, folder: FleetFolder, report: Report) -> Arrivals:
    """Return the arrivals of *node*, which has one key; raise `Stopped` if a file that it names cannot be read."""
    rate, rates, cron, file = (node.get(key) for key in ("rate", "rates", "cron", "file"))
    if rate is not None:
        return Rates((fraction(rate),) * WEEK_HOURS)
    if rates is not None:
        return Rates(_rates(items_of(rates), report))
    if isinstance(cron, Scalar):
        return _cron(cron, report)
    times = _recorded(file, folder, report) if isinstance(file, Scalar) else items_of(node.get("times"))
    return Starts(tuple(sorted(time_of(time) for time in times)))


def _recorded(name: Scalar, folder: FleetFolder, report: Report) -> Sequence[Node]:
    """Return the times in the file with this *name*, () if it is invalid."""
    path = folder.file(name, "file", report)
    if path is None:
        return ()
    file_report = Report()
    try:
        file = load(path, file_report, shown=name.text, within=folder.root)
        file_report.stop_if_errors()
        return _times(read(file, file_report, first_key="load"), file_report)
    finally:
        report.take(file_report)


def _times(tree: Node, report: Report) -> Sequence[Node]:
    """Return the times in *tree*, the content of a file: a list of them, or the load that `--record` prints."""
    arrivals = TreeMapping((Entry(Scalar("times", tree.span), tree),), tree.span)
    loads = items_of(child(tree, "load"))
    if len(loads) == 1:
        arrivals = mapping(mapping(loads[0], tree).get("arrivals"), tree)
    times = arrivals.get("times")
    if len(loads) > 1:
        report.add(
            codes.INVALID_FLEET_VALUE,
            f"the file has {len(loads)} loads, and none is chosen",
            at=tree.span,
            hint="leave one load in the file, and put each other one into a file of its own",
        )
        return ()
    if not isinstance(times, TreeSequence) or not all(isinstance(time, Scalar) for time in times):
        report.add(
            codes.INVALID_FLEET_VALUE,
            "the file has no list of start times",
            at=tree.span,
            hint='write a list such as "[0, 90s, 2h]", or the output of "pipegen simulate --record"',
        )
        return ()
    fleet_schema = schema("fleet")
    check_settings(arrivals, {**fleet_schema["$defs"]["arrivals"], "$defs": fleet_schema["$defs"]}, report, "arrivals")
    check_numbers(times, report)
    return () if report.has_errors() else times.items


def _rates(rows: Sequence[Node], report: Report) -> tuple[float, ...]:
    """Return the rate of each hour of the week; of several *rows* for an hour, the last one counts."""
    by_hour = [0.0] * WEEK_HOURS
    for row in rows:
        if not isinstance(row, TreeMapping):
            continue
        first, last = map(int, written_text(row.get("hours"), "0-24").split("-"))
        if max(first, last) > _DAY_HOURS:
            report.add(
                codes.INVALID_FLEET_VALUE,
                f'the hours "{first}-{last}" are not within 0-24',
                at=(row.get("hours") or row).span,
                hint='write hours from 0 to 24, such as "9-17"',
            )
            continue
        if first >= last:
            report.add(
                codes.INVALID_FLEET_VALUE,
                f'the hours "{first}-{last}" end before they start',
                at=(row.get("hours") or row).span,
                hint="write two rates: one until 24, one from 0",
            )
        for day in _days(written_text(row.get("days"), "mon-sun")):
            for hour in range(first, last):
                by_hour[day * _DAY_HOURS + hour] = fraction(row.get("rate"))
    return tuple(by_hour)


def _days(text: str) -> Iterator[int]:
    """Yield the numbers of the days in *text*, from Monday; a range can go over the end of the week."""
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        day, end = _DAYS.index(first), _DAYS.index(last or first)
        yield day
        while day != end:
            day = (day + 1) % len(_DAYS)
            yield day


def _cron(line: Scalar, report: Report) -> Arrivals:
    try:
        minutes, hours, days, months, weekdays = numbers(line.text)
    except CronError as error:
        report.add(codes.INVALID_FLEET_VALUE, error.message, at=line.part(error.start, error.end), hint=error.hint)
        return Starts(())
    return Cron(minutes, hours, days, months, frozenset(day % len(_DAYS) for day in weekdays))
