"""The report of a run as a self-contained page: a Gantt chart, the stages, and the ends of the logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.pictures.chart import Log, Table, render_chart
from pipegen.run.bounds import TaskPath
from pipegen.run.chart.svg import render_svg
from pipegen.run.chart.times import SECONDS
from pipegen.run.local.executors.local import log_of
from pipegen.run.model import RunMachine
from pipegen.run.report.follow import COLOUR
from pipegen.run.report.formats import About
from pipegen.run.report.record import RunRecord, StageRecord
from pipegen.run.report.summary import path_words, tail
from pipegen.run.simulation import Simulation
from pipegen.run.timeline import Timeline
from pipegen.visible import visible, visible_lines

_TAIL_LINES = 100
_RESULT = 1


def render(record: RunRecord, about: About) -> str:
    """Return the page."""
    path = record.critical_path()
    words = [f"{about.started:%Y-%m-%d %H:%M:%S} UTC, {SECONDS.words(record.seconds)}"]
    if len(path) > 1:
        words.append(f"Longest path: {visible(path_words(path, several=len(record.runs) > 1))}")
    heading = visible(f"{about.config}: {about.status}")
    return render_chart(
        title=heading,
        heading=heading,
        words=words,
        chart=render_svg(picture(record, about.machines), SECONDS),
        tables=[_stages(record)],
        logs=[log for entry in record.entries.values() for log in _logs(entry, record, about)],
    )


def picture(record: RunRecord, machines: Sequence[RunMachine]) -> Simulation:
    """Return the run of *record* on *machines* as a simulation, for charts."""
    timeline = Timeline()
    for event in record.events:
        timeline.notify(event)
    bars = timeline.bars()
    path = record.critical_path()
    return Simulation(
        pipelines=tuple(run.name for run in record.runs),
        machines=tuple(machines),
        bars=bars,
        makespan=record.seconds,
        work=sum(bar.seconds * bar.task.demand.slots for bar in bars),
        path=TaskPath(tuple(entry.task.id for entry in path), sum(entry.elapsed for entry in path)),
    )


def _stages(record: RunRecord) -> Table:
    rows = (
        (
            _name(entry, record),
            entry.status or "not run",
            SECONDS.words(entry.seconds) if entry.attempts else "",
            entry.skipped.value if entry.skipped is not None else entry.outcome.reason if entry.outcome else "",
        )
        for entry in record.entries.values()
    )
    return Table("Stages", ("Stage", "Result", "Duration", "Reason"), tuple(rows), marked=_RESULT)


def _logs(entry: StageRecord, record: RunRecord, about: About) -> Iterator[Log]:
    for attempt in entry.attempts:
        lines = tail(log_of(about.folder, entry.task.job, attempt.number), _TAIL_LINES)
        if lines:
            again = f", attempt {attempt.number}" if len(entry.attempts) > 1 else ""
            yield Log(
                _name(entry, record) + again, visible_lines(COLOUR.sub("", "\n".join(lines))), entry.status == "failed"
            )


def _name(entry: StageRecord, record: RunRecord) -> str:
    return visible(entry.task.id.display_name(several=len(record.runs) > 1))
