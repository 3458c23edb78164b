"""The report of a run as one page that needs no other file: a Gantt chart, and the ends of the logs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pipegen.run.about import About
from pipegen.run.executors.local import log_of
from pipegen.run.record import Entry, Record
from pipegen.run.summary import path_words, tail
from pipegen.run.words import in_seconds, named

_WIDTH, _ROW, _NAMES = 960, 22, 240
# Thousands of rows are no picture; the table below has all of them.
_MOST_ROWS = 2_000
_TAIL_LINES = 100
_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; } td, th { padding: 2px 12px 2px 0; text-align: left; vertical-align: top; }
pre { background: #f4f4f4; padding: 8px; overflow-x: auto; }
svg text { font: 12px system-ui, sans-serif; fill: #222; }
.success, .reused { fill: #3a7d44; color: #3a7d44; } .failed { fill: #b3261e; color: #b3261e; }
.allowed, .cancelled { fill: #9a6700; color: #9a6700; } .skipped { color: #777; } .wait { fill: #ddd; }
.path { stroke: #222; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; } pre { background: #262626; }
  svg text { fill: #ddd; } .wait { fill: #444; } .path { stroke: #fff; }
}
"""


def render(record: Record, about: About) -> str:
    """Return the page."""
    return "".join(f"{line}\n" for line in _lines(record, about))


def _lines(record: Record, about: About) -> Iterator[str]:
    title = escape(f"{about.config}: {about.status}")
    yield f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
    yield f"<p>{about.started:%Y-%m-%d %H:%M:%S} UTC, {escape(in_seconds(record.seconds))}</p>"
    yield from _path(record)
    yield from _chart(record)
    yield from _table(record)
    for entry in record.entries.values():
        yield from _log(entry, record, about)
    yield "</body></html>"


def _path(record: Record) -> Iterator[str]:
    path = record.critical_path()
    if len(path) > 1:
        yield f"<p>Longest path: {escape(path_words(path, several=len(record.runs) > 1))}</p>"


def _chart(record: Record) -> Iterator[str]:
    """Yield the chart: a row for each stage that ran, with the time that it waited once it could start."""
    rows = sorted((one for one in record.entries.values() if one.tries), key=lambda one: one.tries[0].started)
    rows = rows[:_MOST_ROWS]
    on_path = {one.task.id for one in record.critical_path()}
    scale = (_WIDTH - _NAMES) / max(record.seconds, 0.001)
    height = _ROW * (len(rows) + 1)
    yield f'<svg width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img">'
    for place, entry in enumerate(rows):
        top = _ROW * place
        yield f'<text x="0" y="{top + 15}">{escape(_shortened(_name(entry, record)))}</text>'
        if entry.ready is not None:
            yield _bar("wait", entry.ready, entry.tries[0].started, top, scale, "waited")
        for one in entry.tries:
            state = one.outcome.ending.value if one.outcome is not None else "cancelled"
            state = entry.status if one is entry.tries[-1] and entry.status else state
            ended = one.ended if one.ended is not None else record.seconds
            kind = f"{state} path" if entry.task.id in on_path else state
            yield _bar(kind, one.started, ended, top, scale, f"{state}, {in_seconds(ended - one.started)}")
    yield f'<text x="{_NAMES}" y="{height - 6}">0</text>'
    yield f'<text x="{_WIDTH}" y="{height - 6}" text-anchor="end">{escape(in_seconds(record.seconds))}</text></svg>'


def _bar(kind: str, start: float, end: float, top: int, scale: float, words: str) -> str:
    width = max((end - start) * scale, 1.0)
    return (
        f'<rect class="{kind}" x="{_NAMES + start * scale:.1f}" y="{top + 3}" width="{width:.1f}" '
        f'height="{_ROW - 6}"><title>{escape(words)}</title></rect>'
    )


def _table(record: Record) -> Iterator[str]:
    yield "<table><tr><th>Stage</th><th>Came to</th><th>Took</th><th></th></tr>"
    for entry in record.entries.values():
        status = entry.status or "not run"
        reason = entry.skipped.value if entry.skipped is not None else entry.outcome.reason if entry.outcome else ""
        took = in_seconds(entry.seconds) if entry.tries else ""
        yield (
            f'<tr><td>{escape(_name(entry, record))}</td><td class="{escape(status)}">{escape(status)}</td>'
            f"<td>{escape(took)}</td><td>{escape(reason)}</td></tr>"
        )
    yield "</table>"


def _log(entry: Entry, record: Record, about: About) -> Iterator[str]:
    for one in entry.tries:
        lines = tail(log_of(about.folder, entry.task.job, one.number), _TAIL_LINES)
        if lines:
            again = f", try {one.number}" if len(entry.tries) > 1 else ""
            is_open = " open" if entry.status == "failed" else ""
            yield f"<details{is_open}><summary>{escape(_name(entry, record) + again)}</summary>"
            yield f"<pre>{escape(chr(10).join(lines))}</pre></details>"


def _name(entry: Entry, record: Record) -> str:
    return named(entry, several=len(record.runs) > 1)


def _shortened(name: str) -> str:
    return name if len(name) <= 34 else f"{name[:33]}…"  # noqa: PLR2004 - what the column holds
